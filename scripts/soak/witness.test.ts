import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import { judge, type Witness } from './witness.js';

const action = (sequence: number, status: string, more: Partial<AuditRecord> = {}) =>
  ({
    ...{ sequence, hash: `h${sequence}`, record_type: 'action', status, execution_id: 'e', context_id: 'i' },
    ...{ node_id: 'b2', idempotency_key: 'i/b2/0' },
    ...more,
  }) as AuditRecord;
const instance = (sequence: number, status: string) =>
  action(sequence, status, { record_type: 'workflow', execution_id: 'i', node_id: undefined as never });
const sound = [
  instance(1, 'workflow_started'),
  action(2, 'pending'),
  action(3, 'committed'),
  instance(4, 'workflow_completed'),
];
const seen: Witness = {
  told: new Map(sound.map(({ sequence, hash }) => [sequence, hash])),
  effects: [{ kind: 'post', key: 'i/b2/0' }],
};
const faults = ({ lost, doubled_commits, doubled_effects, claimed_effects, unended }: ReturnType<typeof judge>) => [
  ...[lost, doubled_commits, doubled_effects, claimed_effects, unended],
];

describe('the witness of the soak', () => {
  it('finds nothing in a sound log', () => {
    expect(judge(sound, seen)).toMatchObject({ records: 4, commits: 1, instances: 1 });
    expect(faults(judge(sound, seen))).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([
    ['a record that was told and is not there', sound.slice(0, 3), seen, [1, 0, 0, 0, 1]],
    ['a record that was told otherwise', sound, { ...seen, told: new Map([[3, 'h9']]) }, [1, 0, 0, 0, 0]],
    ['a second commit', [...sound, action(5, 'committed')], seen, [0, 1, 0, 0, 0]],
    ['an effect that happened twice', sound, { ...seen, effects: [...seen.effects, ...seen.effects] }, [0, 0, 1, 0, 0]],
    ['a commit without its effect', sound, { ...seen, effects: [] }, [0, 0, 0, 1, 0]],
  ] as const)('finds %s', (_, records, witness, expected) => {
    expect(faults(judge(records, witness))).toEqual(expected);
  });

  it('does not expect the end of an instance in doubt', () => {
    const records = [...sound.slice(0, 2), action(3, 'in_doubt')];
    expect(faults(judge(records, { told: new Map(), effects: [] }))).toEqual([0, 0, 0, 0, 0]);
  });
});
