import { describe, expect, it } from 'vitest';
import type { Observation } from '../program.js';
import { fakeConnection } from '../runner/connection.fixture.js';
import { runSuite } from '../runner/run.js';
import { nodes } from './workflow/nodes.js';

const identity = {
  runtime: { name: 'fake', version: '1.0.0' },
  spec_version: '1.0',
  capabilities: ['core'],
  durable_scope: 'process',
} as const;

describe('a program property', () => {
  it("tells the adapter's own words, and those on stderr, where a start ends in an error of the runtime's own", async () => {
    const error = { kind: 'internal', said: 'oops', stderr: 'Traceback\nline 5' };
    const observe = async (): Promise<Observation> => ({ start: { error }, ledger: [], recoveries: [], kills: 0 });
    const connect = async () => fakeConnection({ ...identity, capabilities: ['core'] }, { observe });
    const { outcomes } = await runSuite({ connect, properties: [nodes], seed: 1, runs: 1, jobs: 1, shrink_ms: 0 });
    const [outcome] = outcomes;
    const told = 'workflow/start was answered with internal: "oops"; its process wrote to stderr: Traceback | line 5';
    expect(outcome?.notes).toContain(told);
    expect(outcome?.counterexamples[0]).toMatchObject({ requirement: 'CF7', failure: { observed: told } });
  });
});
