import * as fc from 'fast-check';
import type { AuditVerifyResult } from '../../../schemas/types.js';
import { resultOf } from '../../dialogue.js';
import { type Mutation, mutate, mutations } from '../../generators/mutations.js';
import { type DrawnRecord, logOf, STARTED, textOf } from '../../history/sample.js';
import { verifyText } from '../../history/verify-text.js';
import { check, dialogueProperty, unlessSame, unlessServed, withResult } from '../dialogue-property.js';
import { STORIES, STORY_SCRIPT, told } from '../stories.js';

const DRAWN: readonly DrawnRecord[] = [
  ...STARTED,
  { record_type: 'action', status: 'pending', execution_id: 'e1' },
  { record_type: 'action', status: 'committed', execution_id: 'e1' },
  { record_type: 'action', status: 'pending', execution_id: 'e2' },
  { record_type: 'action', status: 'failed', execution_id: 'e2' },
  {
    record_type: 'workflow',
    status: 'workflow_failed',
    execution_id: 'i1',
    error_class: 'E2',
    error_detail: 'it failed',
  },
];
const TEXT = textOf(logOf(DRAWN));
const OTHER = textOf(logOf(DRAWN.map(record => ({ ...record, agent_id: 'other' }))));

/** Changes of a log, one after the other, and what is put behind it. */
interface Changes {
  readonly changes: readonly Mutation[];
  readonly tail: string;
}

const change = (kind: Mutation['kind'], line: number): Mutation => ({ kind, line, column: 30, character: 'a' });

function changedText({ changes, tail }: Changes): string {
  return changes.reduce((text, one) => mutate(text, one, OTHER) ?? text, TEXT) + tail;
}

/** Checking a log ends where its chain does. */
export const firstBadLine = dialogueProperty<Changes>({
  id: 'verification/first-bad-line',
  title: 'a log of another runtime is checked up to the first line that does not verify, whatever comes behind it',
  requirements: ['VL3'],
  capabilities: ['audit'],
  cases: fc.record({
    changes: fc.array(mutations, { maxLength: 3 }),
    tail: fc.constantFrom('', 'no record\n', '{"sequence":8}\n', '\n'),
  }),
  weight: 0.5,
  examples: [
    { changes: [], tail: '' },
    { changes: [], tail: 'no record\n' },
    { changes: [change('drop', 1)], tail: '' },
    { changes: [change('rehash', 2), change('flip', 5)], tail: '{}\n' },
  ],
  control: {
    title: 'a log with two changed lines and something that is no record',
    case: { changes: [change('flip', 2), change('flip', 4)], tail: 'x\n' },
  },
  twins: [
    {
      requirement: 'VL3',
      title: 'an answer that names a later line',
      tamper: spoken =>
        withResult<AuditVerifyResult>(spoken, 'verify', answer => ({
          ...answer,
          first_bad_sequence: (answer.first_bad_sequence ?? 0) + 2,
        })),
    },
  ],
  dialogue: value => ({
    turns: [{ do: 'ask', method: 'audit/verify', params: { text: changedText(value) }, as: 'verify' }],
  }),
  judge: (value, spoken) => {
    const verdict = verifyText(changedText(value));
    const wanted = verdict.ok ? { ok: true } : { ok: false, first_bad_sequence: verdict.first_bad_sequence };
    const { ok, first_bad_sequence } = resultOf<AuditVerifyResult>(spoken, 'verify') ?? {};
    return [
      check(
        'VL3',
        unlessServed(spoken, 'verify') ?? unlessSame('what is wrong with the log', wanted, { ok, first_bad_sequence }),
      ),
    ];
  },
});

/** What is read back. */
interface ReadBack {
  readonly story: 'steps' | 'undone' | 'fails';
}

/** Reading back changes nothing. */
export const readOnly = dialogueProperty<ReadBack>({
  id: 'verification/read-only',
  title: 'checking a log and reading an ended instance back, after a restart too, invokes nothing and records nothing',
  requirements: ['RV2'],
  capabilities: ['audit'],
  examples: [{ story: 'undone' }, { story: 'fails' }],
  control: { title: 'an instance of two actions', case: { story: 'steps' } },
  twins: [
    {
      requirement: 'RV2',
      title: 'a log with a record more after reading',
      tamper: spoken => withResult<{ text: string }>(spoken, 'after', log => ({ ...log, text: `${log.text}{}\n` })),
    },
    {
      requirement: 'RV2',
      title: 'a ledger with an invocation more',
      tamper: spoken => ({ ...spoken, ledger: [...spoken.ledger, ...spoken.ledger.slice(-1)] }),
    },
  ],
  dialogue: ({ story }) => {
    const read = (place: string) =>
      [
        { do: 'ask', method: 'audit/verify', params: { text: { $: `${place}/text` } }, as: `${place}-verified` },
        {
          do: 'ask',
          method: 'workflow/wait',
          params: { execution_id: { $: `${story}/execution_id` }, budget_ms: 0 },
          as: `${place}-waited`,
        },
      ] as const;
    return {
      script: STORY_SCRIPT,
      turns: [
        told(story),
        { do: 'read', as: 'before' },
        ...read('before'),
        { do: 'read', as: 'after' },
        { do: 'kill' },
        { do: 'open' },
        { do: 'read', as: 'reopened' },
        ...read('reopened'),
        { do: 'read', as: 'last' },
      ],
    };
  },
  judge: ({ story }, spoken) => {
    const text = (name: string) => resultOf<{ text: string }>(spoken, name)?.text;
    const verified = ['before', 'reopened'].map(place => resultOf<AuditVerifyResult>(spoken, `${place}-verified`)?.ok);
    const names = Object.keys(STORIES[story].script.nodes);
    const undos = story === 'undone' ? 1 : 0;
    const waits = ['before', 'reopened'].map(place => resultOf<{ status: string }>(spoken, `${place}-waited`)?.status);
    return [
      check(
        'RV2',
        unlessSame('the logs verify', [true, true], verified) ??
          unlessSame('the instance is read alike', waits[0], waits[1]) ??
          unlessSame('the log before and after it was read', text('before'), text('after')) ??
          unlessSame('the log before and after it was read after a restart', text('reopened'), text('last')) ??
          unlessSame('how much was invoked', names.length + undos, spoken.ledger.length),
      ),
    ];
  },
});
