import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { demandInside, isCanonicalPath, isWorkspaceFile } from './canonical-path.js';

let root: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ars-path-'));
  outside = mkdtempSync(join(tmpdir(), 'ars-outside-'));
});
afterEach(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true });
});

it.each(['a', 'a/b.txt', '…/ x', '.hidden'])('takes %j', path => expect(isCanonicalPath(path)).toBe(true));
it.each(['', '/a', 'a/', 'a//b', './a', 'a/../b', '..', 'a\0b'])('refuses %j', path => {
  expect(isCanonicalPath(path)).toBe(false);
});

it('knows files of the folder, and none that a link leads out to', () => {
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub', 'in.txt'), '');
  writeFileSync(join(outside, 'out.txt'), '');
  symlinkSync(join(outside, 'out.txt'), join(root, 'out.txt'));
  symlinkSync(join(root, 'sub', 'in.txt'), join(root, 'within.txt'));
  const there = ['sub/in.txt', 'within.txt', 'out.txt', 'sub', 'none'].map(path => isWorkspaceFile(root, path));
  expect(there).toEqual([true, true, false, false, false]);
});

it('refuses to write through links that lead out or nowhere', () => {
  const refused = expect.objectContaining({ code: 'workspace_foreign' });
  demandInside(root, 'infrastructure/store');
  symlinkSync(outside, join(root, 'infrastructure'));
  expect(() => demandInside(root, 'infrastructure/store')).toThrow(refused);
  symlinkSync(join(outside, 'none.json'), join(root, 'workspace.json'));
  expect(() => demandInside(root, 'workspace.json')).toThrow(refused);
  mkdirSync(join(root, 'own'));
  symlinkSync(join(root, 'own'), join(root, 'link'));
  demandInside(root, 'link/deeper');
});
