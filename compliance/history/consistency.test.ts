import { describe, expect, it } from 'vitest';
import { consistencyOf } from './consistency.js';
import { type DrawnRecord, logOf, textOf } from './sample.js';

type Gate = NonNullable<DrawnRecord['gate']>;

const gate = (name: Gate, more: Partial<DrawnRecord> = {}): DrawnRecord => ({
  record_type: 'gate',
  status: 'allowed',
  execution_id: 'i1',
  gate: name,
  ...more,
});

const GATES = (['verification', 'governance', 'safety', 'execution'] as const).map(name => gate(name));
const START: DrawnRecord = { record_type: 'workflow', status: 'workflow_started', execution_id: 'i1' };
const NODE: DrawnRecord = { record_type: 'terminal', status: 'completed', execution_id: 't1' };
const END: DrawnRecord = { record_type: 'workflow', status: 'workflow_completed', execution_id: 'i1', outputs: {} };

/** Four gates, the start, a pending and a committed record, a terminal and the end. */
const DONE: readonly DrawnRecord[] = [
  ...GATES,
  START,
  { record_type: 'action', status: 'pending', execution_id: 'e1' },
  {
    record_type: 'action',
    status: 'committed',
    execution_id: 'e1',
    state_changes: [{ key: 'k', op: 'put', value: 1, expected_version: 0 }],
  },
  NODE,
  END,
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
    const text = lines.with(6, (lines[6] ?? '').replace('e1', 'e2')).join('\n');
    expect(consistencyOf(text)).toMatchObject([{ requirement: 'AC1', sequence: 7 }]);
  });

  it.each<[string, readonly DrawnRecord[], [string, number]]>([
    ['a commit without pending', DONE.toSpliced(5, 1), ['AC2', 6]],
    ['a commit under another key', changed(6, { ...(DONE[6] as DrawnRecord), idempotency_key: 'k2' }), ['AC2', 7]],
    ['two types under one id', changed(7, { ...NODE, execution_id: 'e1' }), ['AC2', 8]],
    ['a terminal twice', DONE.toSpliced(8, 0, NODE), ['AC2', 9]],
    ['a node after the end', [...DONE, { ...NODE, execution_id: 't2' }], ['AC2', 10]],
    [
      'a recovery of what is not pending',
      DONE.toSpliced(7, 0, { record_type: 'recovery', status: 'close', execution_id: 'e1' }),
      ['AC2', 8],
    ],
    ['gates in another order', [...GATES.slice(0, 2).toReversed(), ...DONE.slice(2)], ['AC2', 1]],
    ['a gate that was not asked', DONE.toSpliced(2, 1), ['AC2', 3]],
    ['a start after three gates', DONE.toSpliced(3, 1), ['AC2', 4]],
    [
      'a gate of another start in between',
      DONE.toSpliced(1, 0, gate('verification', { execution_id: 'i2' })),
      ['AC2', 2],
    ],
    ['a start that is asked again', DONE.toSpliced(5, 0, gate('verification')), ['AC2', 6]],
    ['safety asked of what goes on', DONE.toSpliced(6, 0, gate('safety')), ['AC2', 7]],
    ['governance asked of what has ended', [...DONE, gate('governance')], ['AC2', 10]],
    ['a parent that there is not', changed(7, { ...NODE, parent_execution_id: 'i9' }), ['AC3', 8]],
    ['a reference to what comes later', changed(7, { ...NODE, refers_to: ['t9'] }), ['AC3', 8]],
    ['another context', changed(7, { ...NODE, context_id: 'i9' }), ['AC3', 8]],
    ['no governance gate', DONE.toSpliced(1, 1), ['AC5', 4]],
  ])('finds %s', (_name, drawn, finding) => {
    expect(found(drawn)).toContainEqual(finding);
  });

  it('finds an expected version that the fold does not have', () => {
    const state_changes = [{ key: 'k', op: 'put' as const, value: 1, expected_version: 1 }];
    expect(found(changed(6, { ...(DONE[6] as DrawnRecord), state_changes }))).toEqual([['AC4', 7]]);
  });

  it('finds nothing in a denial, a dry run and a continuation', () => {
    const denied = [
      gate('verification', { execution_id: 'i2' }),
      gate('governance', { execution_id: 'i2', status: 'denied' }),
    ];
    const simulated: readonly DrawnRecord[] = [
      ...GATES.slice(0, 2).map(one => ({ ...one, execution_id: 'd1' })),
      {
        record_type: 'dry_run',
        status: 'simulated',
        execution_id: 'd1',
        node_id: undefined,
        parent_execution_id: undefined,
      } as never,
    ];
    expect(
      found([...denied, ...simulated, ...DONE.toSpliced(5, 0, gate('governance'))]).filter(([id]) => id === 'AC2'),
    ).toEqual([]);
  });
});
