import { describe, expect, it } from 'vitest';
import { consistencyOf } from './consistency.js';
import { type DrawnRecord, logOf, STARTED, textOf } from './sample.js';

const DONE: readonly DrawnRecord[] = [
  ...STARTED,
  { record_type: 'action', status: 'pending', execution_id: 'e1' },
  {
    record_type: 'action',
    status: 'committed',
    execution_id: 'e1',
    state_changes: [{ key: 'k', op: 'put', value: 1, expected_version: 0 }],
  },
  { record_type: 'terminal', status: 'completed', execution_id: 't1' },
  { record_type: 'workflow', status: 'workflow_completed', execution_id: 'i1', outputs: {} },
];

/** The requirement and the sequence of each finding. */
function found(drawn: readonly DrawnRecord[]): [string, number | undefined][] {
  return consistencyOf(textOf(logOf(drawn))).map(({ requirement, sequence }) => [requirement, sequence]);
}

function changed(at: number, ...put: readonly DrawnRecord[]): readonly DrawnRecord[] {
  return DONE.toSpliced(at, 1, ...put);
}

describe('phase C', () => {
  it('finds nothing in a sound log, and the first line that does not verify', () => {
    expect(found(DONE)).toEqual([]);
    const lines = textOf(logOf(DONE)).split('\n');
    const text = lines.with(3, (lines[3] ?? '').replace('e1', 'e2')).join('\n');
    expect(consistencyOf(text)).toMatchObject([{ requirement: 'AC1', sequence: 4 }]);
  });

  it.each<[string, readonly DrawnRecord[], [string, number]]>([
    ['a commit without pending', changed(2), ['AC2', 3]],
    ['a commit under another key', changed(3, { ...(DONE[3] as DrawnRecord), idempotency_key: 'k2' }), ['AC2', 4]],
    ['two types under one id', changed(4, { ...(DONE[4] as DrawnRecord), execution_id: 'e1' }), ['AC2', 5]],
    ['a terminal twice', [...DONE.slice(0, 5), DONE[4] as DrawnRecord, DONE[5] as DrawnRecord], ['AC2', 6]],
    [
      'a node after the end',
      [...DONE, { record_type: 'terminal', status: 'completed', execution_id: 't2' }],
      ['AC2', 7],
    ],
    [
      'a recovery of what is not pending',
      [...DONE.slice(0, 4), { record_type: 'recovery', status: 'close', execution_id: 'e1' }, ...DONE.slice(4)],
      ['AC2', 5],
    ],
    ['a parent that there is not', changed(4, { ...(DONE[4] as DrawnRecord), parent_execution_id: 'i9' }), ['AC3', 5]],
    ['a reference to what comes later', changed(4, { ...(DONE[4] as DrawnRecord), refers_to: ['t9'] }), ['AC3', 5]],
    ['another context', changed(4, { ...(DONE[4] as DrawnRecord), context_id: 'i9' }), ['AC3', 5]],
    ['no governance gate', DONE.slice(1), ['AC5', 1]],
  ])('finds %s', (_name, drawn, finding) => {
    expect(found(drawn)).toContainEqual(finding);
  });

  it('finds an expected version that the fold does not have', () => {
    const state_changes = [{ key: 'k', op: 'put' as const, value: 1, expected_version: 1 }];
    expect(found(changed(3, { ...(DONE[3] as DrawnRecord), state_changes }))).toEqual([['AC4', 4]]);
  });
});
