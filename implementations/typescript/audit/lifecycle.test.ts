import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRecord, RecordStatus, RecordType } from '../../../schemas/types.js';
import { checkLifecycle, type LifecycleRecord, type LifecycleVerdict } from './lifecycle.js';

const ACTION_STATUSES: readonly RecordStatus[] = [
  'pending',
  'committed',
  'failed',
  'in_doubt',
  'rolled_back',
  'compensated',
];
const WORKFLOW_STATUSES: readonly RecordStatus[] = [
  'workflow_started',
  'workflow_completed',
  'workflow_failed',
  'workflow_compensated',
];

const of =
  (record_type: RecordType) =>
  (status: RecordStatus, execution_id = 'e', refers_to?: [string]): LifecycleRecord => ({
    record_type,
    status,
    execution_id,
    ...(refers_to && { refers_to }),
  });
const action = of('action');
const workflow = of('workflow');
const approval = of('approval');

function check(...records: LifecycleRecord[]): LifecycleVerdict {
  return checkLifecycle(records.map((record, i) => ({ ...record, sequence: i + 1 }) as AuditRecord));
}

/** The lives that the chapter allows, spelled out, for comparison with the table. */
const LIVES = new Set([
  'failed',
  'pending',
  'pending committed',
  'pending failed',
  'pending in_doubt',
  'pending in_doubt committed',
  'pending in_doubt failed',
  ...['pending', 'pending in_doubt'].flatMap(start => [
    `${start} committed rolled_back`,
    `${start} committed compensated`,
  ]),
]);

describe('checkLifecycle', () => {
  it('allows exactly the lives of an action that the table names', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ACTION_STATUSES), { minLength: 1, maxLength: 5 }), life => {
        const records = life.map(status => action(status, 'e', ['e']));
        const verdict = check(approval('resolved'), ...records);
        expect(verdict.ok).toBe(LIVES.has(life.join(' ')));
        if (!verdict.ok) {
          const good = life.slice(0, verdict.first_bad_sequence - 2).join(' ');
          expect(good === '' || LIVES.has(good)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('allows a workflow one start and one end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORKFLOW_STATUSES), { minLength: 1, maxLength: 3 }), life => {
        const allowed =
          life[0] === 'workflow_started' && life.length <= 2 && !life.slice(1).includes('workflow_started');
        expect(check(...life.map(status => workflow(status))).ok).toBe(allowed);
      }),
    );
  });

  it('names the requirement that a record breaks', () => {
    const cases: [LifecycleRecord[], string][] = [
      [[action('pending'), action('committed'), action('committed')], 'AII1'],
      [[action('pending'), action('rolled_back')], 'AII2'],
      [[action('compensated')], 'AII2'],
      [[action('committed')], 'AII3'],
      [[action('in_doubt')], 'AII3'],
      [[action('failed'), action('committed')], 'AII3'],
      [[action('pending'), action('committed'), action('failed')], 'AII7'],
      [[action('pending'), action('committed'), action('in_doubt')], 'AII7'],
      [[action('pending'), action('failed'), action('pending')], 'EX1'],
      [[workflow('workflow_started'), workflow('workflow_started')], 'AM1'],
      [[of('terminal')('completed'), of('terminal')('completed')], 'AM1'],
      [[action('pending'), workflow('workflow_started')], 'PC5'],
    ];
    const found = cases.map(([records]) => {
      const verdict = check(...records);
      return verdict.ok ? 'ok' : [verdict.first_bad_sequence, verdict.requirement];
    });
    expect(found).toEqual(cases.map(([records, requirement]) => [records.length, requirement]));
  });

  it('lets only an approval that the record refers to decide what is in doubt', () => {
    const doubt = [action('pending'), action('in_doubt')];
    for (const status of ['committed', 'failed'] as const) {
      expect(check(...doubt, action(status)).ok).toBe(false);
      expect(check(...doubt, action(status, 'e', ['other'])).ok).toBe(false);
      expect(check(...doubt, approval('granted'), action(status, 'e', ['e'])).ok).toBe(false);
      expect(check(...doubt, approval('resolved', 'other'), action(status, 'e', ['e'])).ok).toBe(false);
      expect(check(...doubt, approval('resolved'), action(status)).ok).toBe(false);
      expect(check(...doubt, approval('resolved'), action(status, 'e', ['e'])).ok).toBe(true);
    }
  });

  it('keeps executions apart and passes over records that only accompany them', () => {
    const gate = of('gate');
    const recovery = of('recovery');
    const records = [gate('allowed'), action('pending'), recovery('redo'), action('failed'), action('pending', 'f')];
    expect(check(...records, recovery('close'), action('committed', 'f'), gate('denied')).ok).toBe(true);
  });
});
