import { describe, expect, it } from 'vitest';
import type { Action } from '../../../schemas/types.js';
import {
  decideFailed,
  decideInterrupted,
  decideUncommittable,
  decideUndo,
  MAX_REDOS,
  type ProbeVerdict,
  type RecoveryDecisionWord,
} from './recovery-table.js';

const action = (over: Partial<Action>): Action => ({
  action_id: 'a',
  version: '1.0.0',
  determinism: 'non_deterministic',
  rollback: 'rollbackable',
  side_effects: ['filesystem'],
  ...over,
});
const verdicts: ProbeVerdict[] = ['applied', 'absent', 'partial', 'unknown'];
const fresh = { redos: 0, undo_possible: true };

const columns: [string, Action, RecoveryDecisionWord[]][] = [
  ['without side effects', action({ side_effects: [] }), ['commit', 'redo', 'redo', 'redo']],
  ['side effects not declared', withoutSideEffects(), ['commit', 'redo', 'redo', 'redo']],
  [
    'deterministic and idempotent',
    action({ determinism: 'deterministic', idempotent: true }),
    ['commit', 'redo', 'redo', 'redo'],
  ],
  [
    'deterministic, idempotent and irreversible',
    action({ determinism: 'deterministic', idempotent: true, rollback: 'irreversible' }),
    ['commit', 'close', 'in_doubt', 'in_doubt'],
  ],
  ['deterministic only', action({ determinism: 'deterministic' }), ['commit', 'close', 'roll_back', 'roll_back']],
  ['rollbackable', action({}), ['commit', 'close', 'roll_back', 'roll_back']],
  ['compensatable', action({ rollback: 'compensatable' }), ['commit', 'close', 'compensate', 'compensate']],
  ['irreversible', action({ rollback: 'irreversible' }), ['commit', 'close', 'in_doubt', 'in_doubt']],
];

function withoutSideEffects(): Action {
  const { side_effects: _, ...rest } = action({});
  return rest;
}

describe('interrupted executions', () => {
  it.each(columns)('%s', (_, subject, expected) => {
    expect(verdicts.map(v => decideInterrupted(v, subject, fresh))).toEqual(expected);
  });

  it('fall to the category when no redo is left', () => {
    const idempotent = action({ determinism: 'deterministic', idempotent: true, rollback: 'compensatable' });
    const spent = { redos: MAX_REDOS, undo_possible: true };
    expect(verdicts.map(v => decideInterrupted(v, idempotent, spent))).toEqual([
      'commit',
      'close',
      'compensate',
      'compensate',
    ]);
  });

  it('are closed after the last redo where there is nothing to undo', () => {
    const spent = { redos: MAX_REDOS, undo_possible: false };
    expect(verdicts.map(v => decideInterrupted(v, action({ side_effects: [] }), spent))).toEqual([
      'commit',
      'close',
      'close',
      'close',
    ]);
  });

  it('are in doubt where the undo cannot run', () => {
    expect(decideInterrupted('unknown', action({}), { redos: 0, undo_possible: false })).toBe('in_doubt');
  });
});

describe('failed executions', () => {
  it.each([
    ['rollbackable', 'roll_back'],
    ['compensatable', 'compensate'],
    ['irreversible', 'in_doubt'],
  ] as const)('of a %s action that is idempotent are not redone', (rollback, undo) => {
    const subject = action({ rollback, determinism: 'deterministic', idempotent: true });
    expect(verdicts.map(v => decideFailed(v, subject, true))).toEqual(['commit', 'close', undo, undo]);
    expect(decideUncommittable(subject, true)).toBe(undo);
    expect(decideUncommittable(subject, false)).toBe('in_doubt');
  });
});

describe('interrupted undos', () => {
  it('are committed or redone, and given up after the last redo', () => {
    expect(verdicts.map(v => decideUndo(v, 0))).toEqual(['commit', 'redo', 'redo', 'redo']);
    expect(verdicts.map(v => decideUndo(v, MAX_REDOS))).toEqual(['commit', 'close', 'close', 'close']);
  });
});
