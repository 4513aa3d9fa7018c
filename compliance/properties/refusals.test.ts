import { describe, expect, it } from 'vitest';
import type { Said, Spoken } from '../dialogue.js';
import type { Refused } from '../program.js';
import { fakeConnection } from '../runner/connection.fixture.js';
import type { Property, Subject } from '../runner/property.js';
import { runSuite } from '../runner/run.js';
import type { Played } from '../scene.js';
import { unlessAnsweredAlike } from './dialogue-property.js';
import { permissions } from './governance/permissions.js';
import { folder } from './state/folder.js';
import { refusedGraphs } from './workflow/refused.js';

const identity = {
  runtime: { name: 'fake', version: '1.0.0' },
  spec_version: '1.0',
  capabilities: ['core', 'audit', 'governance', 'clock', 'components'] as const,
  durable_scope: 'process',
} as const;

const error: Refused = { kind: 'internal', said: 'oops', stderr: 'Traceback\nline 5' };
const WORDS = 'internal: "oops"; its process wrote to stderr: Traceback | line 5';

async function outcomeOf(property: Property, serves: Partial<Subject>) {
  const connect = async () => fakeConnection({ ...identity, capabilities: [...identity.capabilities] }, serves);
  const { outcomes } = await runSuite({ connect, properties: [property], seed: 1, runs: 1, jobs: 1, shrink_ms: 0 });
  return outcomes[0];
}

describe("the adapter's own words", () => {
  it('are told of a start in a dialogue', async () => {
    const spoken: Spoken = {
      answers: { opening: [{ result: { recovery: null } }], start: [{ error }] },
      ledger: [],
      cancelled: [],
      answered_at: {},
      kills: 0,
      violations: [],
    };
    const outcome = await outcomeOf(refusedGraphs, { converse: async () => spoken });
    expect(outcome?.counterexamples[0]?.failure.observed).toMatchObject({ start: WORDS });
    expect(outcome?.notes).toContain(`the request 'start' was answered with ${WORDS}`);
  });

  it('are no news where a case asks for a refusal', async () => {
    const answers = { opening: [{ error }], closing: [{ error }] };
    const spoken: Spoken = { answers, ledger: [], cancelled: [], answered_at: {}, kills: 0, violations: [] };
    const { notes = [] } = (await outcomeOf(folder, { converse: async () => spoken })) ?? {};
    expect(notes).toEqual([`the request 'closing' was answered with ${WORDS}`]);
  });

  it('are told of an act in a scene', async () => {
    const reply = { error: { ...error, reasons: [] } };
    const play = async ({ acts }: { readonly acts: readonly unknown[] }): Promise<Played> => ({
      seen: acts.map(() => ({ replies: [reply] })),
      ledger: [],
      kills: 0,
      violations: [],
    });
    const outcome = await outcomeOf(permissions, { play });
    const messages = outcome?.counterexamples.map(({ failure }) => failure.message) ?? [];
    expect(messages).toContainEqual(expect.stringContaining(`it was answered with ${WORDS}`));
    expect(messages).toContainEqual(expect.stringContaining(`it was ${WORDS} in the control`));
    expect(outcome?.notes[0]).toContain(`was answered with ${WORDS}`);
  });

  it('make no difference between two answers', () => {
    const answers: Record<string, readonly Said[]> = {
      one: [{ error: { kind: 'denied', said: 'no, at 10:01' } }],
      two: [{ error: { kind: 'denied', said: 'no, at 10:02' } }],
      three: [{ error: { kind: 'not_found', said: 'no, at 10:02' } }],
    };
    const spoken = { answers } as unknown as Spoken;
    expect(unlessAnsweredAlike('twice', spoken, 'one', 'two')).toBeUndefined();
    expect(unlessAnsweredAlike('twice', spoken, 'one', 'three')).toBeDefined();
  });
});
