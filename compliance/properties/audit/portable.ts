import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import type { AuditVerifyResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken } from '../../dialogue.js';
import { type Mutation, mutate, mutations } from '../../generators/mutations.js';
import { type DrawnRecord, logOf, STARTED, textOf } from '../../history/sample.js';
import { verifyText } from '../../history/verify-text.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, unlessServed, withResult } from '../dialogue-property.js';

/** Texts that another runtime could have exported, whole or with one change each. */
interface Texts {
  readonly changes: readonly (Mutation | 'none')[];
}

const EXECUTION: readonly DrawnRecord[] = [
  { record_type: 'action', status: 'pending', execution_id: 'e1' },
  {
    record_type: 'action',
    status: 'committed',
    execution_id: 'e1',
    outputs: { text: 'é😀\u2028', n: 1e-7 },
    state_changes: [{ key: 'k', op: 'put', value: null }],
  },
  { record_type: 'action', status: 'pending', execution_id: 'e2', attempt: 2, incarnation: 7 },
  { record_type: 'recovery', status: 'in_doubt', execution_id: 'e2', incarnation: 9 },
  { record_type: 'action', status: 'in_doubt', execution_id: 'e2', incarnation: 9 },
  { record_type: 'approval', status: 'resolved', execution_id: 'a1', refers_to: ['e2'], incarnation: 9 },
  { record_type: 'action', status: 'failed', execution_id: 'e2', refers_to: ['a1'], incarnation: 9 },
  { record_type: 'trust', status: 'changed', execution_id: 't1', incarnation: 9 },
];

const LOG = logOf([...STARTED, ...EXECUTION]);
const STUBBED = LOG.map(({ sequence, prev_hash, hash, ...record }) =>
  sequence % 3 === 0 ? { sequence, prev_hash, hash, redacted: true } : { ...record, sequence, prev_hash, hash },
);
const TEXT = textOf(STUBBED);
const OTHER = textOf(logOf([...STARTED, ...EXECUTION].map(record => ({ ...record, agent_id: 'other' }))));
const CHANGED: Mutation = { kind: 'flip', line: 3, column: 40, character: 'a' };

/** A log that another runtime wrote is read like one's own. */
export const portable = dialogueProperty<Texts>({
  id: 'audit/portable',
  title: 'a log that another runtime has exported verifies, and one that was changed does not from the same record on',
  requirements: ['P4'],
  capabilities: ['audit'],
  cases: fc
    .array(fc.oneof(mutations, mutations, mutations, fc.constant('none' as const)), { minLength: 6, maxLength: 12 })
    .map(changes => ({ changes })),
  weight: 0.25,
  control: { title: 'a log of another runtime, with stubs in it', case: { changes: ['none'] } },
  twins: [
    {
      requirement: 'P4',
      title: 'with one letter changed it is bad from there on',
      case: { changes: [CHANGED] },
      contrast: (control, twin) => {
        const ok = (spoken: Spoken) => resultOf<AuditVerifyResult>(spoken, 'text 0')?.ok;
        const observed = { control: ok(control), twin: ok(twin) };
        return unlessSame('the change made no difference', { control: true, twin: false }, observed);
      },
    },
    {
      requirement: 'P4',
      title: 'an answer that the log of the other does not verify',
      tamper: spoken => withResult<AuditVerifyResult>(spoken, 'text 0', () => ({ ok: false, first_bad_sequence: 1 })),
    },
  ],
  dialogue: ({ changes }): Dialogue => ({
    turns: changes.map((change, index) => ({
      do: 'ask',
      method: 'audit/verify',
      params: { text: textWith(change) },
      as: `text ${index}`,
    })),
  }),
  judge: ({ changes }, spoken): readonly Check[] =>
    changes.map((change, index) => {
      const name = `text ${index}`;
      const verdict = verifyText(textWith(change));
      const expected = verdict.ok ? { ok: true } : { ok: false, first_bad_sequence: verdict.first_bad_sequence };
      const { ok, first_bad_sequence } = resultOf<AuditVerifyResult>(spoken, name) ?? { ok: undefined };
      const observed = { ok, ...(first_bad_sequence === undefined ? {} : { first_bad_sequence }) };
      const what = `${canonicalize(change)} of the log was read otherwise than its chapter says`;
      return check('P4', unlessServed(spoken, name) ?? unlessSame(what, expected, observed));
    }),
});

function textWith(change: Mutation | 'none'): string {
  return change === 'none' ? TEXT : (mutate(TEXT, change, OTHER) ?? TEXT);
}
