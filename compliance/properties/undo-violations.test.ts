import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import type { LedgerEntry, Observation, UndoOutcome } from '../program.js';
import { BY_ANOTHER, COMPENSATE, wishing } from './audit/undo-programs.js';
import { UNDO_REACH, undoViolations, withoutUndos } from './undo-violations.js';

const PROGRAM = wishing([COMPENSATE, COMPENSATE]);

function record(sequence: number, status: AuditRecord['status'], more: Partial<AuditRecord> = {}): AuditRecord {
  const own = {
    sequence,
    status,
    record_type: 'action',
    execution_id: 'e1',
    node_id: 'comp',
    rollback: 'compensatable',
  };
  const action = { action_id: 'step', action_version: '1.0.0', idempotency_key: 'k1' };
  return { ...own, ...action, ...more } as AuditRecord;
}

const UNDO = { execution_id: 'u1', action_id: 'undo', purpose: 'compensate', idempotency_key: 'k2' } as const;
const LOG: readonly AuditRecord[] = [
  record(1, 'pending', { inputs: {} }),
  record(2, 'committed', { outputs: { value: 1 } }),
  record(3, 'pending', { ...UNDO, refers_to: ['e1'], inputs: {} }),
  record(4, 'committed', { ...UNDO, outputs: {} }),
  record(5, 'compensated', { refers_to: ['u1'] }),
];
const INPUTS = { execution_id: 'e1', idempotency_key: 'k1', inputs: {}, outputs: { value: 1 } };
const INVOKED = {
  ...{ kind: 'invoke', incarnation: 1, ordinal: 1, execution_id: 'u1', idempotency_key: 'k2', action_id: 'undo' },
  ...{ version: '1.0.0', inputs: INPUTS, reply: { outputs: {} }, effect: true, received_at: 1, replied_at: 2 },
} as LedgerEntry;

function outcome(wish: number, more: Partial<UndoOutcome> = {}): UndoOutcome {
  return { wish, target: 'e1', answers: [{ execution_id: 'u1' }], records: 0, invocations: 0, ...more };
}

function seen(change: Partial<Observation> = {}): Observation {
  const undos = [outcome(0, { records: 3, invocations: 1 }), outcome(1)];
  const start = { execution_id: 'i1' };
  return { start, ledger: [INVOKED], log: LOG, recoveries: [null], kills: 0, undos, ...change };
}

function broken(change: Partial<Observation>, program = PROGRAM): readonly string[] {
  return [...new Set(undoViolations(program, seen(change)).map(({ requirement }) => requirement))];
}

const without = (sequence: number) => LOG.filter(entry => entry.sequence !== sequence);
const refused = outcome(1, { answers: [{ error: { kind: 'denied' } }] });

describe('the rules about undoing', () => {
  it('find nothing wrong with an undo that is asked for twice', () => {
    expect(broken({})).toEqual([]);
    const reached = Object.keys(UNDO_REACH).filter(id => UNDO_REACH[id]?.(PROGRAM, seen()));
    expect(reached).toEqual(['RB1', 'RB3', 'RB4', 'RB5', 'RBI3', 'CP1']);
  });

  it.each<[string, Partial<Observation>, string[]]>([
    ['nobody asked for it', { undos: [] }, ['RB1']],
    ['the mark is missing', { log: without(5) }, ['RB5']],
    ['the undo was never pending', { log: without(3) }, ['RB3']],
    ['the undo is not in the log', { log: without(3).filter(({ sequence }) => sequence !== 4) }, ['RB3', 'RB5']],
    ['it was given no outputs', { ledger: [{ ...INVOKED, inputs: { ...INPUTS, outputs: {} } }] }, ['RB4']],
    ['another action was invoked', { ledger: [{ ...INVOKED, action_id: 'put' }] }, ['CP1']],
    ['it was done again', { ledger: [INVOKED, { ...INVOKED, ordinal: 2 }] }, ['RBI3']],
    ['the second key is another', { ledger: [INVOKED, { ...INVOKED, incarnation: 2, idempotency_key: 'x' }] }, ['CP3']],
    [
      'the second answer is another',
      { undos: [outcome(0), outcome(1, { answers: [{ execution_id: 'x' }] })] },
      ['RBI3'],
    ],
    ['the second request changed something', { undos: [outcome(0), outcome(1, { records: 1 })] }, ['RBI3']],
    ['an undo was undone', { undos: [outcome(0), outcome(1, { target: 'u1' })] }, ['RB2', 'RBI2']],
    [
      'a failed undo was told as done',
      { log: [...LOG.slice(0, 3), record(4, 'failed', UNDO)], undos: [outcome(0)] },
      ['RBI1'],
    ],
  ])('where %s', (_title, change, requirements) => {
    expect(broken(change)).toEqual(requirements);
  });

  it('want another agent and a request without evidence refused', () => {
    const byAnother = wishing([COMPENSATE, BY_ANOTHER]);
    expect(broken({}, byAnother)).toEqual(['RB2']);
    expect(broken({ undos: [outcome(0), refused] }, byAnother)).toEqual([]);
    expect(broken({ undos: [outcome(0), { ...refused, records: 1 }] }, byAnother)).toEqual(['RB2']);
    expect(broken({ undos: [outcome(0)] }, wishing([{ ...COMPENSATE, without_evidence: true }]))).toEqual(['RB4']);
  });
});

it('the model does not see what was undone on request', () => {
  const { ledger, log = [], state } = withoutUndos(PROGRAM, seen({ state: {} }));
  expect(state).toBeUndefined();
  expect(ledger).toEqual([]);
  expect(log.map(({ sequence }) => sequence)).toEqual([1, 2]);
});
