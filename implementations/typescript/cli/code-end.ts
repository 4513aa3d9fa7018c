import { visible } from './code-frame.js';
import { placeOf } from './code-place.js';
import { errorColors } from './color.js';
import { nextCommand } from './next-command.js';
import { endNow, isEnding, reportError, visibleLines } from './output.js';
import { thrownText } from './thrown-text.js';

const EXIT_ADVICE =
  'nothing that was recorded is lost; let an action that fails throw or give back an error, which never ends the process';

/** The modules of actions that load at this moment, and whether any has begun to. */
const loading = new Set<string>();
let loaded = false;

/** Gives what a module of actions is loaded as; where it ends the process meanwhile, that is told of as of that module. */
export async function loadedCode<T>(path: string, load: () => Promise<T>): Promise<T> {
  loaded = true;
  loading.add(path);
  try {
    return await load();
  } finally {
    loading.delete(path);
  }
}

/**
 * Tells on stderr where the code of actions ends this process, by `process.exit` or by what it throws in a callback of its
 * own; the exit code is then 1, and 2 where its module does not even load.
 */
export function tellEndsByCode(): void {
  process.once('uncaughtException', stopAtUncaught);
  process.once('exit', tellExit);
}

/** How to go on after the process ended amid a run. */
export function finishText(): string {
  return `finish what is interrupted with: ${nextCommand('run', '--resume')}`;
}

/** What code of actions throws in a callback of its own belongs to no execution, and nothing can be said of its effects. */
function stopAtUncaught(error: unknown): void {
  if (!loaded) endNow(reportError(error));
  process.stderr.write(
    `${errorColors().red('error')} the code of the actions threw outside of a call, so the run stops here:\n${visibleLines(thrownText(error))}\n${finishText()}\n`,
  );
  endNow(1);
}

/** Code that exits is seen nowhere else: nothing of ars comes to its turn any more. */
function tellExit(code: number): void {
  if (!loaded || isEnding()) return;
  const place = placeOf(new Error('exit'));
  const how = `process.exit(${code})${place === undefined ? '' : `, at ${visible(place)}`}`;
  const [path] = loading;
  process.exitCode = path === undefined ? 1 : 2;
  const told =
    path === undefined
      ? `the code of the actions ended the process with ${how}, so the run stops here\n${EXIT_ADVICE}\n${finishText()}`
      : `${errorColors().dim('[usage]')} the actions in "${visible(path)}" do not load: they end the process with ${how}`;
  process.stderr.write(`${errorColors().red('error')} ${told}\n`);
}
