#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { auditCommand } from './audit.js';
import { explainCommand } from './explain.js';
import { endWithReader, reportError } from './output.js';
import { runCommand } from './run.js';
import { verifyCommand } from './verify.js';

const require = createRequire(import.meta.url);
const { version } = require('agent-runtime-spec/package.json') as { version: string };

const program = new Command('ars')
  .description('Verify workflows, run them durably, and read what happened.')
  .version(version)
  .showSuggestionAfterError()
  .showHelpAfterError('(--help shows what there is)');
for (const command of [verifyCommand(), explainCommand(), runCommand(), auditCommand()]) program.addCommand(command);

/** Usage errors of the parser leave with 2 as well. */
function overrideExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) overrideExit(child);
}

endWithReader();
overrideExit(program);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportError(error);
}
