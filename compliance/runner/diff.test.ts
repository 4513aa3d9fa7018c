import { describe, expect, it } from 'vitest';
import type { InitializeResult } from '../../schemas/types.js';
import { ToyRuntime } from '../model/testing/toy-runtime.js';
import type { Fault } from '../model/testing/toy-world.js';
import { diffReport } from '../report/diff-report.js';
import { fakeConnection } from './connection.fixture.js';
import { type DiffResult, diff } from './diff.js';
import { Worker } from './worker.js';

const identity: InitializeResult = {
  runtime: { name: 'toy', version: '1.0.0' },
  spec_version: '1.0',
  capabilities: ['core'],
  durable_scope: 'process',
};

function toy(fault: Fault): Worker {
  const observe: Worker['observe'] = async program => new ToyRuntime(program, [], fault).observe();
  return new Worker(async () => fakeConnection(identity, { observe }));
}

const compare = (a: Fault, b: Fault, runs: number): Promise<DiffResult> =>
  diff({ a: toy(a), b: toy(b), seed: 1, runs, shrink_ms: 20_000, signal: new AbortController().signal });

describe('diff', () => {
  it('finds nothing between a runtime and itself', async () => {
    const result = await compare('none', 'none', 25);
    expect(result.compared + result.passed_over).toBe(25);
    expect(result.disagreement).toBeUndefined();
    expect(result.compared).toBeGreaterThan(15);
    expect(diffReport(result, { a: 'x 1', b: 'y 2' }, false)).toContain('They agree.');
  });

  it('finds a runtime that ends with the best of the terminals that were reached, at which few programs part', async () => {
    const result = await compare('none', 'best terminal', 100);
    const statuses = [result.disagreement?.a, result.disagreement?.b].map(seen =>
      seen !== undefined && 'observation' in seen ? seen.observation.wait?.status : undefined,
    );
    expect(statuses[0]).not.toBe('completed');
    expect(statuses[1]).toBe('completed');
    expect(result.disagreement?.program.workflow.nodes.length).toBeLessThanOrEqual(6);
  });

  it('finds a small program at which a runtime that never retries parts from a sound one', async () => {
    const result = await compare('none', 'never retries', 100);
    const { program, a } = result.disagreement ?? {};
    expect(program?.workflow.nodes.filter(({ type }) => type === 'action').length).toBeLessThanOrEqual(3);
    expect(a).toHaveProperty('observation');
    const text = diffReport(result, { a: 'x 1', b: 'y 2' }, false);
    expect(text).toContain('  invocations\n');
    expect(text).toContain('They disagree.');
  });
});
