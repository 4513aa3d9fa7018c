import { expect, it } from 'vitest';
import type { Observation, UndoOutcome } from '../../program.js';
import type { Context, Subject } from '../../runner/property.js';
import { undoFails, undoKilled, undoRecords, undoRefused } from './undo-records.js';

/** A runtime that answers every request to undo as given. */
function subject(answer: UndoOutcome['answers'][number]): Subject {
  const observation: Observation = {
    start: { execution_id: 'i1' },
    ledger: [],
    log: [],
    recoveries: [null],
    kills: 0,
    undos: [{ wish: 0, target: 'e1', answers: [answer], records: 0, invocations: 0 }],
  };
  return { observe: async () => observation } as unknown as Subject;
}

const context = (answer: UndoOutcome['answers'][number]): Context => ({
  subject: subject(answer),
  seed: 1,
  runs: 1,
  shrink_ms: 0,
});

it.each([undoRecords, undoRefused, undoFails, undoKilled])(
  '$id does not apply where undoing is not served',
  async property => {
    const { contributions } = await property.run(context({ error: { kind: 'unsupported' } }));
    const verdicts = new Set(contributions.map(({ verdict }) => JSON.stringify(verdict)));
    const capability = 'recovery (execution/rollback)';
    expect([...verdicts]).toEqual([JSON.stringify({ verdict: 'NOT_APPLICABLE', capability })]);
  },
);

it.each([undoRecords, undoRefused, undoFails, undoKilled])(
  '$id passes nothing where everything is refused',
  async property => {
    const { contributions } = await property.run(context({ error: { kind: 'illegal_state' } }));
    expect(contributions.map(({ verdict }) => verdict.verdict)).not.toContain('PASS');
  },
);
