import { describe, expect, it } from 'vitest';
import type { InitializeResult, VerificationReport, Workflow } from '../../schemas/types.js';
import { ToyRuntime } from '../model/testing/toy-runtime.js';
import type { Fault } from '../model/testing/toy-world.js';
import type { Observation, Program } from '../program.js';
import { COMPARISONS } from '../properties/comparisons.js';
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
  diff({
    a: toy(a),
    b: toy(b),
    comparisons: COMPARISONS,
    seed: 1,
    runs,
    shrink_ms: 20_000,
    signal: new AbortController().signal,
  });

const REPORT: VerificationReport = {
  schema_version: '1.0',
  workflow_id: 'generated@1.0.0',
  verdict: 'PASS',
  counts: { blocking: 0, warning: 0 },
  rules: [],
  findings: [],
};

/** A runtime that verifies, and calls every workflow of more than so many nodes wrong. */
function verifier(most: number): Worker {
  const verify: Worker['verify'] = async ({ workflow }) =>
    (workflow as Workflow).nodes.length > most
      ? { ...REPORT, verdict: 'FAIL', counts: { ...REPORT.counts, blocking: 1 } }
      : REPORT;
  const observe: Worker['observe'] = async program => new ToyRuntime(program, [], 'none').observe();
  return new Worker(async () =>
    fakeConnection({ ...identity, capabilities: ['core', 'verification'] }, { observe, verify }),
  );
}

describe('diff', () => {
  it('compares cases of every kind that both runtimes claim, and of no other', async () => {
    const signal = new AbortController().signal;
    const options = { comparisons: COMPARISONS, seed: 1, runs: 40, shrink_ms: 20_000, signal };
    const found = await diff({ a: verifier(2), b: verifier(99), ...options });
    expect(found.disagreement?.case).toHaveProperty('workflow');
    expect(found.disagreement?.a).toMatchObject({ decisions: { verdict: 'FAIL' } });
    const text = diffReport(found, { a: 'x 1', b: 'y 2' }, false);
    expect(text).toContain('  verdict\n    A "FAIL"\n    B "PASS"');
    expect(text).toContain('workflows to verify');
    const plain = await diff({ a: verifier(2), b: toy('none'), ...options });
    expect(plain.disagreement).toBeUndefined();
    expect(Object.keys(plain.compared)).toEqual(['programs']);
  });

  it('finds nothing between a runtime and itself', async () => {
    const result = await compare('none', 'none', 25);
    expect((result.compared.programs ?? 0) + result.passed_over).toBe(25);
    expect(result.disagreement).toBeUndefined();
    expect(result.compared.programs).toBeGreaterThan(15);
    expect(diffReport(result, { a: 'x 1', b: 'y 2' }, false)).toContain('They agree.');
  });

  it('finds a runtime that ends with the best of the terminals that were reached, at which few programs part', async () => {
    const result = await compare('none', 'best terminal', 100);
    const statuses = [result.disagreement?.a, result.disagreement?.b].map(seen =>
      seen !== undefined && 'evidence' in seen ? (seen.evidence as Observation).wait?.status : undefined,
    );
    expect(statuses[0]).not.toBe('completed');
    expect(statuses[1]).toBe('completed');
    const program = result.disagreement?.case as Program;
    expect(program.workflow.nodes.length).toBeLessThanOrEqual(6);
  });

  it('finds a small program at which a runtime that never retries parts from a sound one', async () => {
    const result = await compare('none', 'never retries', 100);
    const program = result.disagreement?.case as Program;
    expect(program.workflow.nodes.filter(({ type }) => type === 'action').length).toBeLessThanOrEqual(3);
    expect(result.disagreement?.a).toHaveProperty('evidence');
    const text = diffReport(result, { a: 'x 1', b: 'y 2' }, false);
    expect(text).toContain('  invocations\n');
    expect(text).toContain('They disagree.');
  });
});
