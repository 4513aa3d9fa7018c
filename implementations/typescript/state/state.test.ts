import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateChange, StateEntry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { conflictError, foldState, planChanges, type StateRecord, toState } from './state.js';

const put = (key: string, value: unknown, expected_version?: number): StateChange =>
  ({ key, op: 'put', value, ...(expected_version === undefined ? {} : { expected_version }) }) as StateChange;
const remove = (key: string): StateChange => ({ key, op: 'delete' });
const committed = (execution_id: string, ...state_changes: StateChange[]): StateRecord => ({
  record_type: 'action',
  status: 'committed',
  execution_id,
  state_changes,
});

describe('planChanges', () => {
  it('refuses a second create of a key, also of a deleted one (I1)', () => {
    const state = foldState([committed('e1', put('k', 1, 0)), committed('e2', remove('k'))]);
    expect(planChanges(key => state.get(key), [put('other', 1, 0), put('k', 2, 0)], 'e3')).toEqual({
      ok: false,
      conflict: { key: 'k', expected_version: 0, actual_version: 2 },
    });
    expect(planChanges(key => state.get(key), [put('k', 2, 2)], 'e3').ok).toBe(true);
  });

  it('sees its own earlier changes', () => {
    const plan = planChanges(() => undefined, [put('k', 1, 0), remove('k'), put('k', 3, 2)], 'e1');
    expect(plan).toEqual({ ok: true, entries: new Map([['k', { value: 3, version: 3, writer: 'e1' }]]) });
  });
});

describe('foldState', () => {
  it('counts every write, keeps deleted keys without value, and names the last writer', () => {
    const records: StateRecord[] = [
      committed('e1', put('a', 1), put('b', null)),
      { ...committed('e2', put('a', 2)), status: 'pending' },
      { ...committed('e3', put('a', 3)), record_type: 'workflow' },
      committed('e4', remove('a')),
    ];
    expect(toState(foldState(records))).toEqual({
      a: { version: 2, writer: 'e4' },
      b: { value: null, version: 1, writer: 'e1' },
    });
  });

  it('keeps keys that mean something to JavaScript', () => {
    const state = toState(foldState([committed('e1', put('__proto__', 1), put('constructor', 2))]));
    expect(Object.entries(state).map(([key, entry]) => [key, entry.value])).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });

  it('refuses a log whose records contradict each other', () => {
    expect(() => foldState([committed('e1', put('k', 1, 4))])).toThrow(
      expect.objectContaining({ code: 'log_corrupt', details: expect.objectContaining({ actual_version: 0 }) }),
    );
  });

  it('equals a count of the writes, and does not depend on where the log is cut', () => {
    const change = fc.record({
      key: fc.constantFrom('a', 'b', '__proto__'),
      remove: fc.boolean(),
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 20 }), fc.nat(20), (lists, cut) => {
        const records = lists.map((list, i) =>
          committed(`e${i}`, ...list.map(c => (c.remove ? remove(c.key) : put(c.key, c.value)))),
        );
        const whole = foldState(records);
        expect(foldState(records.slice(cut), foldState(records.slice(0, cut)))).toEqual(whole);
        const expected = new Map<string, StateEntry>();
        for (const { key, version } of countWrites(records)) {
          const writer = records.findLast(r => r.state_changes?.some(c => c.key === key));
          const last = writer?.state_changes?.findLast(c => c.key === key);
          const value = last?.op === 'put' ? { value: last.value } : {};
          expected.set(key, { ...value, version, writer: writer?.execution_id } as StateEntry);
        }
        expect(whole).toEqual(expected);
      }),
    );
  });
});

function countWrites(records: readonly StateRecord[]): { key: string; version: number }[] {
  const all = records.flatMap(record => record.state_changes ?? []);
  return [...new Set(all.map(c => c.key))].map(key => ({ key, version: all.filter(c => c.key === key).length }));
}

describe('conflictError', () => {
  it('carries the conflict', () => {
    const conflict = { key: 'k', expected_version: 0, actual_version: 3 };
    const error = conflictError(conflict);
    expect(error).toBeInstanceOf(ArsError);
    expect({ code: error.code, details: error.details }).toEqual({ code: 'version_conflict', details: conflict });
  });
});
