import type { VerificationReport } from '../../../schemas/types.js';
import { resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { act, line, skill, step, workflow } from '../../generators/pairs/pair.js';
import { given } from '../../generators/pairs/setting.js';
import { type Together, together, togetherDocument } from '../../generators/pairs/together.js';
import { OWNER } from '../../program.js';
import { check, dialogueProperty, unlessSame, unlessServed, withResult } from '../dialogue-property.js';
import { STORIES, STORY_SCRIPT, told } from '../stories.js';
import { differs } from './same.js';

/** A definition that the workspace does not have, and what needs it. */
const ELSEWHERE = [act('elsewhere')];
const SUB = workflow('sub', line([step('one', 'elsewhere@1')], { actions: ELSEWHERE }));
const NEEDS = given(line([step('do', 'elsewhere@1'), skill('more', 'sub@1')])).workflow;

const ASKED = ['own', 'lent', 'own-again', 'elsewhere'] as const;

/** Verification changes nothing, invokes nothing, and says the same later and in another process. */
export const unchanging = dialogueProperty<Together>({
  id: 'verification/unchanging',
  title: 'verification leaves registry, State and log as they are, invokes nothing, and later says the same elsewhere',
  requirements: ['VG1', 'VG2', 'VII1'],
  capabilities: ['verification', 'audit', 'state'],
  cases: together(true),
  weight: 0.15,
  control: {
    title: 'a document that needs what only a registry given beside it has, in a workspace with a State and a log',
    case: {
      plantings: [
        { rule: 'S7', pair: 'an action that is defined nowhere' },
        { rule: 'S1', pair: 'a cycle' },
      ],
    },
  },
  twins: [
    {
      requirement: 'VG1',
      title: 'a log that has grown by then',
      tamper: spoken => withResult<{ text: string }>(spoken, 'log-after', log => ({ ...log, text: `${log.text}{}\n` })),
    },
    {
      requirement: 'VG2',
      title: 'a ledger with one invocation more',
      tamper: spoken => ({ ...spoken, ledger: [...spoken.ledger, ...spoken.ledger.slice(-1)] }),
    },
    {
      requirement: 'VII1',
      title: 'another report after the restart',
      tamper: spoken =>
        withResult<VerificationReport>(spoken, 'document-elsewhere', report => ({ ...report, verdict: 'PASS' })),
    },
  ],
  dialogue: value => {
    const document = togetherDocument(value);
    const verified = (as: string, params: object): Turn => ({
      do: 'ask',
      method: 'workflow/verify',
      params: { ...params },
      as,
    });
    const registry = (definitions: object) => ({ registry: { schema_version: '1.0', ...definitions } });
    const own = { workflow: document.workflow, ...registry(document.registry) };
    const look = (when: string): Turn[] => [
      { do: 'read', as: `log-${when}` },
      { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: `state-${when}` },
    ];
    return {
      script: STORY_SCRIPT,
      turns: [
        told('steps'),
        ...look('before'),
        verified('own', { workflow: NEEDS }),
        verified('document', own),
        verified('lent', { workflow: NEEDS, ...registry({ actions: ELSEWHERE, workflows: [SUB] }) }),
        verified('own-again', { workflow: NEEDS }),
        ...look('after'),
        { do: 'kill' },
        { do: 'open' },
        verified('elsewhere', { workflow: NEEDS }),
        verified('document-elsewhere', own),
      ],
    };
  },
  judge: (_value, spoken) => {
    const unserved = [...ASKED, 'log-before', 'log-after'].map(name => unlessServed(spoken, name)).find(Boolean);
    if (unserved !== undefined) return [check('VG1', unserved), check('VG2', unserved), check('VII1', unserved)];
    const steps = Object.keys(STORIES.steps.script.nodes).length;
    return [
      check('VG1', changed(spoken)),
      check('VG2', unlessSame('something was invoked beside the story', steps, spoken.ledger.length)),
      check('VII1', another(spoken)),
    ];
  },
});

function changed(spoken: Spoken) {
  const text = (when: string) => resultOf<{ text: string }>(spoken, `log-${when}`)?.text;
  const state = (when: string) => resultOf(spoken, `state-${when}`);
  const [own, lent, again] = (['own', 'lent', 'own-again'] as const).map(name =>
    resultOf<VerificationReport>(spoken, name),
  );
  const kept =
    unlessSame('the log has changed', text('before'), text('after')) ??
    unlessSame('State has changed', state('before'), state('after'));
  if (kept !== undefined || own === undefined || lent === undefined || again === undefined) return kept;
  const learnt = differs(own, again, 'after it was verified with a registry');
  if (learnt !== undefined) return learnt;
  const verdicts = { own: 'FAIL', lent: 'PASS' };
  return unlessSame('what a registry beside the document is good for', verdicts, {
    own: own.verdict,
    lent: lent.verdict,
  });
}

function another(spoken: Spoken) {
  const report = (name: string) => resultOf<VerificationReport>(spoken, name);
  for (const [name, later] of [
    ['own', 'elsewhere'],
    ['document', 'document-elsewhere'],
  ] as const) {
    const [one, other] = [report(name), report(later)];
    if (one === undefined || other === undefined)
      return { message: 'verification was not served after a restart', expected: 'a report', observed: null };
    const failure = differs(one, other, 'after a restart');
    if (failure !== undefined) return failure;
  }
  return undefined;
}
