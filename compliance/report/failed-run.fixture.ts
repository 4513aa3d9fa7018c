import type { InitializeResult } from '../../schemas/types.js';
import type { Observation, Program } from '../program.js';
import { chain } from '../properties/drawn.js';
import { caseProperty } from '../runner/case-property.js';
import { fakeConnection } from '../runner/connection.fixture.js';
import { runSuite } from '../runner/run.js';
import { toReport } from './report.js';
import type { Background } from './standing.js';

/** What the runtime says of itself. */
export const identity: InitializeResult = {
  runtime: { name: 'fake', version: '1.2.3', language: 'none' },
  spec_version: '1.0',
  capabilities: ['core', 'audit'],
  durable_scope: 'process',
};

/** A node that was executed in two incarnations. */
export const observation: Observation = {
  start: { execution_id: 'i1' },
  wait: { status: 'completed', trace: [{ node_id: 'a', outcome: 'success', attempts: 1 }] },
  ledger: [1, 4].map(received_at => ({
    kind: 'invoke',
    incarnation: received_at === 1 ? 1 : 2,
    ordinal: 1,
    execution_id: `x${received_at}`,
    idempotency_key: 'k',
    action_id: 'step',
    version: '1.0.0',
    node_id: 'a',
    attempt: 1,
    inputs: {},
    effect: true,
    received_at,
  })),
  recoveries: [null, null],
  kills: 1,
  killed_at: [2],
};

/** Violated by every case. */
export const always = caseProperty<Program, Observation>({
  id: 'audit/always',
  title: 'always violated',
  kind: 'kill',
  requirements: ['AII1', 'AII3'],
  control: { title: 'one', case: chain(1) },
  twins: [],
  examine: async () => ({ evidence: observation, kills: 1 }),
  judge: () => [
    {
      requirement: 'AII1',
      reached: true,
      failure: { message: 'twice', expected: 'once', observed: ['x1', 'x4'], node_id: 'a' },
    },
    { requirement: 'AII3', reached: true },
  ],
});

/** Gives the report of a run in which one requirement failed and another held. */
export async function failedRun() {
  const run = await runSuite({
    connect: async () => fakeConnection(identity),
    properties: [always],
    seed: 3,
    runs: 1,
    jobs: 1,
    shrink_ms: 10,
  });
  const command = ['node', 'adapter.js'];
  const report = toReport(run, {
    ...{ suite_version: '0.1.0', command, jobs: 1, profile: 'full', scale: 1 },
    started_at: '2026-01-01T00:00:00.000Z',
  });
  return { report, counterexamples: run.outcomes.flatMap(outcome => outcome.counterexamples) };
}

/** What a suite with that one property knows of a specification with four requirements. */
export const background: Background = {
  clauses: new Map(
    [
      { id: 'AII1', text: 'At most one `committed` record.', chapter: 6 },
      { id: 'AII3', text: 'Another.', chapter: 6 },
      { id: 'P0', text: 'An aim.', chapter: 1, untestable: 'it is <b>an aim</b>' },
      { id: 'P1', text: 'Not judged.', chapter: 1 },
    ].map(clause => [clause.id, clause]),
  ),
  properties: [always],
  mutants: [{ id: 'twice', requirement: 'AII1', why: 'it commits twice', edits: [] }],
};
