import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mutant, plant } from './mutant.js';
import { planted } from './planted.js';

const mutant: Mutant = {
  id: 'adds-wrong',
  requirement: 'X1',
  why: 'subtracts',
  edits: [{ file: 'sum.js', find: 'a + b', replace: 'a - b' }],
};

describe('plant', () => {
  it('changes the one place', () => {
    expect(plant(mutant, 'sum.js', 'return a + b;')).toBe('return a - b;');
  });

  it('leaves other files alone', () => {
    expect(plant(mutant, 'other.js', 'a + b; a + b;')).toBe('a + b; a + b;');
  });

  it.each([
    ['never', 'return a * b;'],
    ['twice', 'a + b; a + b;'],
  ])('refuses a text that occurs %s', (_word, source) => {
    expect(() => plant(mutant, 'sum.js', source)).toThrow(expect.objectContaining({ code: 'suite_bug' }));
  });
});

describe('a planted fault', () => {
  const code = mkdtempSync(join(tmpdir(), 'ars-mutant-'));
  const runtime = join(code, 'implementations', 'typescript');
  afterAll(() => rmSync(code, { recursive: true }));

  beforeAll(() => {
    for (const folder of ['schemas', 'compliance/adapter', 'compliance/wire', 'implementations/typescript'])
      mkdirSync(join(code, folder), { recursive: true });
    writeFileSync(join(code, 'compliance', 'error.js'), '');
    writeFileSync(join(runtime, 'sum.js'), 'export const sum = (a, b) => a + b;\n');
    writeFileSync(join(runtime, 'adapter.js'), "export { sum } from './sum.js';\n");
  });

  it('is in a copy of the runtime, which is gone when it is removed', async () => {
    const { adapter, remove } = planted(mutant, code);
    const { sum } = (await import(pathToFileURL(adapter).href)) as { readonly sum: (a: number, b: number) => number };
    expect(sum(3, 2)).toBe(1);
    expect(readFileSync(join(runtime, 'sum.js'), 'utf8')).toContain('a + b');
    remove();
    expect(existsSync(adapter)).toBe(false);
  });

  it('leaves nothing behind where it has no place', () => {
    const unfit = { ...mutant, edits: [{ file: 'sum.js', find: 'a ** b', replace: '' }] };
    expect(() => planted(unfit, code)).toThrow(expect.objectContaining({ code: 'suite_bug' }));
    expect(readdirSync(join(code, 'planted'))).toEqual([]);
  });
});
