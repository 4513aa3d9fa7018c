import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Session } from '../harness/session.js';
import { type Compiled, compile } from '../harness/testing/compiled.js';
import { PROPERTIES } from '../properties/index.js';
import { packageRoot } from '../runner/package.js';
import { MUTANTS } from './index.js';
import { type Conviction, mutantSuspect, nullSuspects, power } from './power.js';

describe('power', () => {
  let compiled: Compiled;
  beforeAll(() => {
    compiled = compile(['compliance', 'implementations/typescript']);
    compiled.write('package.json', readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  });
  afterAll(() => compiled.remove());

  it('catches and rightly blames every mutant and every null adapter', { timeout: 900_000 }, async () => {
    const code = compiled.path('');
    // Null adapters keep the suite waiting, which costs nothing while mutants are judged beside them.
    const suspects = [...nullSuspects(code), ...MUTANTS.map(mutant => mutantSuspect(mutant, code))];
    const convictions = await power({
      suspects,
      properties: PROPERTIES,
      connect: command => () => Session.start(command),
      seed: 1,
      runs: 2,
      jobs: 3,
      full: false,
      budget_ms: 120_000,
    });
    const tell = ({ suspect, fate, red, note }: Conviction) => ({ id: suspect.id, fate, red, note });
    expect(convictions.filter(({ fate }) => fate !== 'killed').map(tell)).toEqual([]);
    expect(convictions).toHaveLength(suspects.length);
  });
});
