#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { ArsError } from '../error.js';
import { auditCommand } from './audit.js';
import { explainCommand } from './explain.js';
import { endWithReader, leave, reportError, visibleLines } from './output.js';
import { resolveCommand } from './resolve.js';
import { runCommand } from './run.js';
import { verifyCommand } from './verify.js';

const require = createRequire(import.meta.url);
const { version } = require('agent-runtime-spec/package.json') as { version: string };

const program = new Command('ars')
  .description('Verify workflows, run them durably, and read what happened.')
  .version(version)
  .showSuggestionAfterError()
  .showHelpAfterError('(--help shows what there is)');
const COMMANDS = [verifyCommand(), explainCommand(), runCommand(), resolveCommand(), auditCommand()];
for (const command of COMMANDS) program.addCommand(command);

/** Usage errors of the parser leave with 2 as well, and show what was typed without its control characters. */
function overrideExit(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: text => void process.stderr.write(visibleLines(text)) });
  for (const child of command.commands) overrideExit(child);
}

/** What no event will ever continue: the code of actions awaits something that cannot come. */
function reportStandstill(): void {
  process.exitCode = reportError(
    new ArsError('usage', 'the module of actions never finishes loading: it awaits what does not come'),
  );
  process.exit();
}

endWithReader();
overrideExit(program);
process.once('beforeExit', reportStandstill);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportError(error);
}
await leave();
