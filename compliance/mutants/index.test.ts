import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { PROPERTIES } from '../properties/index.js';
import { packageRoot } from '../runner/package.js';
import { findMutant, MUTANTS } from './index.js';
import { type Mutant, plant } from './mutant.js';

const root = packageRoot();
const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };

const texts = new Map<string, string>();

/** The compiled text of a file of the reference runtime, made of its source in the same way as the build does. */
function compiled(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(join(root, 'implementations', 'typescript', file.replace(/\.js$/, '.ts')), 'utf8');
  const text = ts.transpileModule(source, { compilerOptions }).outputText;
  texts.set(file, text);
  return text;
}

describe('the list of mutants', () => {
  it('has ids of its own', () => {
    expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS.map((mutant): [string, Mutant] => [mutant.id, mutant]))('finds the place of %s', (_id, mutant) => {
    for (const file of new Set(mutant.edits.map(edit => edit.file))) {
      const source = compiled(file);
      expect(plant(mutant, file, source)).not.toBe(source);
    }
  });

  it('breaks only requirements that a property judges', () => {
    const judged = new Set(PROPERTIES.flatMap(({ requirements }) => requirements));
    expect(MUTANTS.filter(({ requirement }) => !judged.has(requirement))).toEqual([]);
  });

  it('has a killer for each requirement that a runtime has to show first', () => {
    const first = 'CF1 CF2 CF3 CF4 CF5 CN1 AII1 AII3 AII6 CC1 CC2 CLI1 WII1 WII2 WII3 S1 S2 S3 S4 S5 S6 G1 G2'.split(
      ' ',
    );
    const killed = new Set(MUTANTS.map(({ requirement }) => requirement));
    expect(first.filter(id => !killed.has(id))).toEqual([]);
  });

  it('refuses an id that is none, and tells the nearest, or all', () => {
    expect(() => findMutant('nothing')).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => findMutant('and-as-xor')).toThrow(/did you mean 'and-as-or'/);
    expect(() => findMutant('?')).toThrow(/there are: .*and-as-or/);
  });
});
