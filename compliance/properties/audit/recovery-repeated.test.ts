import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import type { Observation, Program } from '../../program.js';
import type { Subject } from '../../runner/property.js';
import { recoveryRepeated } from './recovery-repeated.js';

const CASE = {
  kind: 'rollbackable',
  probe: 'ledger',
  ordinal: 1,
  second: { at: 'invocation', ordinal: 1, when: 'receipt' },
};

function action(execution_id: string, status: string, incarnation: number, more: object = {}): AuditRecord {
  return { record_type: 'action', execution_id, status, incarnation, ...more } as AuditRecord;
}

function seen(kills: number, log: readonly AuditRecord[]): Observation {
  return { start: { execution_id: 'i1' }, ledger: [], recoveries: [], kills, log };
}

async function verdictOn(once: Observation, twice: Observation) {
  const observe = ({ kills }: Program) => Promise.resolve(kills.length === 1 ? once : twice);
  const subject = { observe } as Partial<Subject> as Subject;
  const found = await recoveryRepeated.replay({ subject, seed: 1, runs: 1, shrink_ms: 0 }, 'generated', CASE);
  return found.contributions.map(({ tally, verdict }) => [tally.reached, verdict.verdict]);
}

const COMMITTED = [action('a', 'pending', 1), action('a', 'committed', 2)];

describe('a second kill', () => {
  it('in work that had begun after recovery is not during recovery', async () => {
    const once = seen(1, [...COMMITTED, action('b', 'pending', 2), action('b', 'committed', 2)]);
    const twice = seen(2, [...COMMITTED, action('b', 'pending', 2), action('b', 'failed', 3)]);
    expect(await verdictOn(once, twice)).toEqual([[0, 'INCONCLUSIVE']]);
  });

  it('in the undo of what was interrupted is, and makes no difference in the end', async () => {
    const undo = (status: string, incarnation: number) => action('u', status, incarnation, { purpose: 'revert' });
    const once = seen(1, [
      action('a', 'pending', 1),
      undo('pending', 2),
      undo('committed', 2),
      action('a', 'failed', 2),
    ]);
    const same = [action('a', 'pending', 1), undo('pending', 2), undo('committed', 3), action('a', 'failed', 3)];
    expect(await verdictOn(once, seen(2, same))).toEqual([[1, 'PASS']]);
    expect(await verdictOn(once, seen(2, same.slice(0, 3)))).toEqual([[1, 'FAIL']]);
  });
});
