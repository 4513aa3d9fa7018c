import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fence } from '../fences.js';
import { ROOT } from '../project.js';
import { stepsOf } from './block.js';

/** The programs that a document may call, and where they are after a build. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'npx ars': 'dist/implementations/typescript/cli/main.js',
  'npx ars-compliance': 'dist/compliance/cli.js',
};
const SHARED = ['dist', 'examples', 'schemas', 'spec', 'reference', 'node_modules', 'package.json'];

/** Gives the decisions of recovery in the log, a JSON line each. */
const RECOVERED = 'npx ars audit show --type recovery --format jsonl';

/** How long a process that is to be killed goes on after it has printed the word. */
const GRACE_MS = 150;

/** Gives the program and the arguments of a command; undefined where it calls anything else. */
export function parseCommand(
  command: string,
): { readonly program: string; readonly args: readonly string[] } | undefined {
  const name = Object.keys(PROGRAMS).find(known => command === known || command.startsWith(`${known} `));
  const program = name === undefined ? undefined : PROGRAMS[name];
  if (name === undefined || program === undefined) return undefined;
  const words = command.slice(name.length).match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return { program, args: words.map(word => word.replace(/^(['"])(.*)\1$/, '$2')) };
}

/** A folder that looks like a clone to a command, and takes what the commands write. */
export interface Stage {
  readonly folder: string;
  remove(): void;
}

/** Makes a stage; the blocks of one document are played on one, as a reader would type them. */
export function makeStage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'ars-console-'));
  for (const name of SHARED) symlinkSync(join(ROOT, name), join(folder, name));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Gives what each command of a block prints, both streams in the order in which they were written.
 *
 * A block with `kill="word"` has its first command killed with SIGKILL soon after it printed the word. Throws where it
 * then prints fewer or more decisions of recovery than the log has.
 */
export async function play(fence: Fence, stage: Stage): Promise<string[][]> {
  const printed: string[][] = [];
  for (const [index, { command }] of stepsOf(fence.text).entries())
    printed.push(await run(command, stage, index === 0 ? fence.attributes.kill : undefined));
  if (fence.attributes.kill !== undefined) {
    const recorded = (await run(RECOVERED, stage, undefined)).filter(line => line.startsWith('{')).length;
    const told = printed.flat().filter(line => line.startsWith('↻ ')).length;
    if (told !== recorded)
      throw new Error(`${fence.place}: ${recorded} decisions of recovery, and ${told} are printed`);
  }
  return printed;
}

async function run(command: string, { folder }: Stage, kill: string | undefined): Promise<string[]> {
  const parsed = parseCommand(command);
  if (parsed === undefined) throw new Error(`"${command}" is none of ${Object.keys(PROGRAMS).join(', ')}`);
  const path = join(folder, '.printed');
  const file = openSync(path, 'w');
  try {
    const child = spawn(process.execPath, [join(folder, parsed.program), ...parsed.args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', file, file],
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (_, signal) => resolve(signal));
    });
    while (kill !== undefined && child.exitCode === null) {
      if (readFileSync(path, 'utf8').includes(kill)) {
        await pause(GRACE_MS);
        child.kill('SIGKILL');
        break;
      }
      await pause(10);
    }
    const signal = await ended;
    const lines = readFileSync(path, 'utf8').replace(/\n$/, '').split('\n');
    return signal === 'SIGKILL' ? [...lines, 'Killed'] : lines;
  } finally {
    closeSync(file);
  }
}
