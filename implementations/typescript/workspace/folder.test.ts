import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './folder.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ars-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a folder', () => {
  it('is made with those above it, and may be there already', () => {
    const folder = join(root, 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('cannot be made below a file, through a link to nothing, or where the file system makes none', () => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nothing'), join(root, 'link'));
    for (const folder of [join(root, 'file', 'a'), join(root, 'link', 'a'), '/proc/ars-none/a'])
      expect(() => makeFolder(folder)).toThrow(expect.objectContaining({ code: expect.stringMatching(/^E/) }));
  });
});
