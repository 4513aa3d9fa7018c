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

/** The compiled text of a file of the reference runtime, made of its source in the same way as the build does. */
function compiled(file: string): string {
  const source = readFileSync(join(root, 'implementations', 'typescript', file.replace(/\.js$/, '.ts')), 'utf8');
  return ts.transpileModule(source, { compilerOptions }).outputText;
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

  it('refuses an id that is none', () => {
    expect(() => findMutant('nothing')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
