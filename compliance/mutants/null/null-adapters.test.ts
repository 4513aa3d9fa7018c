import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from '../../harness/doctor.js';
import { type Compiled, compile } from '../../harness/testing/compiled.js';

let compiled: Compiled;

beforeAll(() => {
  compiled = compile();
});
afterAll(() => compiled.remove());

async function complaints(name: string, scale: number): Promise<string[]> {
  const path = compiled.path(`compliance/mutants/null/${name}.ts`);
  const { diagnoses } = await examine({ command: process.execPath, args: [path] }, { scale });
  return diagnoses.filter(({ ok }) => !ok).map(({ id }) => id);
}

it('always-ok and always-refuses keep to the wire in everything that they say, and do nothing', async () => {
  expect(await complaints('always-ok', 1)).toEqual(['workflow']);
  expect(await complaints('always-refuses', 1)).toEqual(['workflow']);
});

it('answers-nothing and echo do not get past initialize', async () => {
  expect(await complaints('answers-nothing', 0.1)).toEqual(['initialize']);
  expect(await complaints('echo', 1)).toEqual(['initialize']);
});
