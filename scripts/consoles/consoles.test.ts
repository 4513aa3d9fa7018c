import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commands } from '../../compliance/commands.js';
import { createProgram } from '../../implementations/typescript/cli/program.js';
import { fencesOf } from '../fences.js';
import { ROOT } from '../project.js';
import { projectFiles, readProjectFile } from '../shape.js';
import { isPlayed, matches, rewritten, settled, stepsOf, withBlocks } from './block.js';
import { playDocument } from './documents.js';
import { parseCommand } from './play.js';

const DOCUMENT = '# A\n\n```console\n$ one\nfirst 3 ms\n$ two\n```\n\nb\n\n```console\n$ three\n```\n';
const documents = projectFiles().filter(path => path.endsWith('.md') && !path.startsWith('reference/'));
const consoles = documents.flatMap(path =>
  fencesOf(path, readProjectFile(path)).filter(({ language }) => language === 'console'),
);

test('a block has commands with outputs, and is played where there is one', () => {
  const [first, second] = fencesOf('a.md', DOCUMENT);
  expect(stepsOf(first?.text ?? '')).toEqual([
    { command: 'one', output: ['first 3 ms'] },
    { command: 'two', output: [] },
  ]);
  expect([first, second].map(fence => fence !== undefined && isPlayed(fence))).toEqual([true, false]);
});

test('what differs from run to run is not compared', () => {
  const digest = 'a'.repeat(64);
  expect(settled(`ok 01a22867-a7c3-7e9d-92d4-c7d5a07342ef sha256:${digest} 4.2 s 2026-03-01T12:00:00.000Z `)).toBe(
    'ok ID sha256:DIGEST N s TIME',
  );
});

describe('a printed output', () => {
  test.each([
    ['the same', ['a 1 ms', 'b'], ['a 7 ms', 'b'], true],
    ['with blank lines at the end', ['a'], ['a', ''], true],
    ['another', ['a'], ['b'], false],
    ['longer', ['a'], ['a', 'b'], false],
    ['shorter', ['a', 'b'], ['a'], false],
    ['with lines that are left out', ['a', '…', 'd'], ['a', 'b', 'c', 'd'], true],
    ['with nothing where lines are left out', ['a', '…', 'd'], ['a', 'd'], true],
    ['with the word after the gap twice', ['…', 'd'], ['d', 'e', 'd'], true],
    ['that ends otherwise than after the gap', ['a', '…', 'd'], ['a', 'd', 'e'], false],
    ['with a gap at the end', ['a', '…'], ['a', 'b'], true],
  ])('is %s', (_, shown, printed, same) => {
    expect(matches(shown, printed)).toBe(same);
  });

  test('of a killed process may be at another step', () => {
    const shown = ['✓ step-01 3 ms', '✓ step-02 3 ms', 'Killed', '↻ step-03 redo after absent', 'ok: 31 records'];
    const printed = ['✓ step-01 3 ms', 'Killed', 'ok: 28 records'];
    expect(matches(shown, printed, true)).toBe(true);
    expect(matches(shown, printed)).toBe(false);
    expect(matches(shown, ['✓ step-01 3 ms', 'ok: 28 records'], true)).toBe(false);
  });
});

test('only what differs is written anew', () => {
  expect(rewritten('$ one\nfirst 3 ms\n$ two\nold', [['first 9 ms'], ['new']])).toBe('$ one\nfirst 3 ms\n$ two\nnew');
  const changes = fencesOf('a.md', DOCUMENT).map(fence => ({ fence, text: `${fence.text}\nmore` }));
  expect(withBlocks(DOCUMENT, changes)).toBe(
    DOCUMENT.replace('$ two', '$ two\nmore').replace('$ three', '$ three\nmore'),
  );
});

/** What is wrong with a command that is shown and not played: another program, a sub-command or an option that is not there. */
function faultsOf(command: string): string[] {
  const parsed = parseCommand(command);
  if (parsed === undefined) return [`"${command}" is neither npx ars nor npx ars-compliance`];
  let level: Command = command.startsWith('npx ars-compliance') ? commands(() => {}) : createProgram();
  const words = parsed.args.slice(0, parsed.args.includes('--') ? parsed.args.indexOf('--') : undefined);
  for (const word of words) {
    const next = level.commands.find(child => child.name() === word);
    if (next !== undefined) level = next;
    else if (level.commands.length > 0) return [`"${command}": there is no "${word}"`];
    else if (word.startsWith('--') && !level.options.some(({ long }) => long === word.replace(/=.*/, '')))
      return [`"${command}": there is no "${word}"`];
  }
  return [];
}

test('every command that a document shows is there', () => {
  expect(faultsOf('npx ars verify --quiet x.yaml')).toEqual([]);
  expect(faultsOf('npx ars verity')).toEqual(['"npx ars verity": there is no "verity"']);
  expect(faultsOf('npx ars-compliance run --outt x -- node --any')).toHaveLength(1);
  expect(faultsOf('ls')).toHaveLength(1);
  expect(consoles.flatMap(({ text }) => stepsOf(text).flatMap(({ command }) => faultsOf(command)))).toEqual([]);
  expect(consoles.some(isPlayed)).toBe(true);
});

test.each(documents.filter(path => consoles.some(fence => isPlayed(fence) && fence.place.startsWith(`${path}:`))))(
  'the commands of %s print what it shows; npm run docs:outputs -- --write brings it up to date',
  async path => {
    expect(existsSync(join(ROOT, 'dist/implementations/typescript/cli/main.js')), 'run npm run build first').toBe(true);
    const { text, differing } = await playDocument(path, readProjectFile(path));
    expect(differing, text).toEqual([]);
  },
);
