import { createRequire } from 'node:module';
import { Command } from 'commander';
import { noteCall } from './next-command.js';
import { visibleLines } from './output.js';
import { demandFolder } from './workspace-option.js';

const require = createRequire(import.meta.url);

/** Returns the command line `ars` with some of its commands; usage errors of its parser are thrown, not exited with. */
export function createShell(commands: readonly Command[]): Command {
  const { version } = require('agent-runtime-spec/package.json') as { version: string };
  const program = new Command('ars')
    .description('Verify workflows, run them durably, and read what happened.')
    .version(version)
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows what there is)');
  for (const command of commands) program.addCommand(command);
  program.hook('preAction', (_program, action) => {
    const { workspace } = action.opts<{ workspace?: unknown }>();
    noteCall(wordsOf(action), action.opts());
    if (typeof workspace === 'string') demandFolder(workspace);
  });
  overrideExit(program);
  return program;
}

/** The words by which a command is called, after `ars`. */
function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent != null; at = at.parent) words.unshift(at.name());
  return words.join(' ');
}

/** Usage errors of the parser leave with 2 as well, and show what was typed without its control characters. */
function overrideExit(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: text => void process.stderr.write(visibleLines(text)) });
  for (const child of command.commands) overrideExit(child);
}
