import type { Action, Workflow } from '../../../schemas/types.js';
import { type Ask, type Dialogue, refusalOf, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { oneAction } from '../../generators/approaches.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withAnswer } from '../dialogue-property.js';

/** Documents that are offered, each by its name in {@link OFFERS}, and whether their fault is mended before. */
interface Offers {
  readonly offers: readonly string[];
  readonly mended?: true;
}

interface Offer {
  readonly method: Ask['method'];
  readonly faulty: Ask['params'];
  readonly mended: Ask['params'];
}

const ACTION: Action = {
  action_id: 'offered',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
const WORKFLOW: Workflow = { ...oneAction({}), workflow: { name: 'offered', version: '1.0.0' } };

function registry(action: object | undefined, workflow?: object): Ask['params'] {
  return { actions: action === undefined ? [] : [action], workflows: workflow === undefined ? [] : [workflow] };
}

function start(workflow: object, inputs: object = {}): Ask['params'] {
  return { workflow, inputs, agent_id: DEFAULT_AGENT };
}

const { determinism: _determinism, ...UNDETERMINED } = ACTION;
const { schema_version: _version, ...UNVERSIONED } = WORKFLOW;
/** As the wire carries it; whoever reads numbers exactly has to refuse it all the same. */
const TOO_LARGE = 2 ** 53;
const LONE = 'a lone \ud800 surrogate';

const OFFERS: Readonly<Record<string, Offer>> = {
  'an action without a required field': {
    method: 'registry/put',
    faulty: registry(UNDETERMINED),
    mended: registry(ACTION),
  },
  'an action with a field that no schema names': {
    method: 'registry/put',
    faulty: registry({ ...ACTION, color: 'red' }),
    mended: registry(ACTION),
  },
  'a good action beside a bad one': {
    method: 'registry/put',
    faulty: { actions: [ACTION, UNDETERMINED], workflows: [] },
    mended: registry(ACTION),
  },
  'a workflow of another version': {
    method: 'registry/put',
    faulty: registry(undefined, { ...WORKFLOW, schema_version: '2.0' }),
    mended: registry(undefined, WORKFLOW),
  },
  'a workflow of no version': {
    method: 'registry/put',
    faulty: registry(undefined, UNVERSIONED),
    mended: registry(undefined, WORKFLOW),
  },
  'a definition with a lone surrogate': {
    method: 'registry/put',
    faulty: registry({ ...ACTION, description: LONE }),
    mended: registry({ ...ACTION, description: 'none' }),
  },
  'a definition with a number beyond 2^53': {
    method: 'registry/put',
    faulty: registry({ ...ACTION, input_schema: { type: 'object', properties: { n: { const: TOO_LARGE } } } }),
    mended: registry({ ...ACTION, input_schema: { type: 'object', properties: { n: { const: 1 } } } }),
  },
  'a start of a workflow of another version': {
    method: 'workflow/start',
    faulty: start({ ...WORKFLOW, schema_version: '0.9' }),
    mended: start(WORKFLOW),
  },
  'a start with a number beyond 2^53': {
    method: 'workflow/start',
    faulty: start(WORKFLOW, { to: TOO_LARGE }),
    mended: start(WORKFLOW, { to: 'ada' }),
  },
  'a start with a lone surrogate': {
    method: 'workflow/start',
    faulty: start(WORKFLOW, { to: LONE }),
    mended: start(WORKFLOW, { to: 'none' }),
  },
  'an agent of unheard-of trust': {
    method: 'governance/register_agent',
    faulty: { agent: { agent_id: 'offered', trust: 'MOSTLY' }, by: OWNER },
    mended: { agent: { agent_id: 'offered', trust: 'TRUSTED' }, by: OWNER },
  },
  'a policy of unheard-of effect': {
    method: 'governance/put_policy',
    faulty: { policy: { ...policy(), effect: 'perhaps' }, by: OWNER },
    mended: { policy: policy(), by: OWNER },
  },
};

function policy() {
  return { policy_id: 'offered', version: '1.0.0', active: false, level: 1, effect: 'allow' };
}

const ALL = Object.keys(OFFERS);

/** What does not fit is refused, and nothing of it is kept. */
export const documents = dialogueProperty<Offers>({
  id: 'state/documents',
  title: 'a document that does not fit is refused as invalid, and nothing of it is kept',
  requirements: ['SO1'],
  capabilities: ['audit', 'governance'],
  control: { title: 'documents and values with one fault each', case: { offers: ALL } },
  twins: [
    {
      requirement: 'SO1',
      title: 'without its fault each of them is taken',
      case: { offers: ALL, mended: true },
      contrast: (control, twin) => {
        const taken = (spoken: Spoken) => ALL.filter(name => refusalOf(spoken, name) === undefined);
        const observed = { control: taken(control), twin: taken(twin) };
        return unlessSame('the fault made no difference', { control: [], twin: ALL }, observed);
      },
    },
    {
      requirement: 'SO1',
      title: 'an answer that takes one of them',
      tamper: spoken => withAnswer(spoken, ALL[0] ?? '', { result: {} }),
    },
  ],
  dialogue: ({ offers, mended }): Dialogue => ({
    script: { nodes: { send: [{ reply: { outputs: {} } }] } },
    turns: [
      { do: 'read', as: 'before' },
      ...offers.flatMap((name): Turn[] => {
        const offer = OFFERS[name] as Offer;
        const params = mended === true ? offer.mended : offer.faulty;
        const ask: Turn = { do: 'ask', method: offer.method, params, as: name, unchecked: true };
        // What is put under one name is taken away again, so that the next offer of that name meets nothing.
        return mended === true && offer.method === 'registry/put' ? [ask, removal(offer)] : [ask];
      }),
      { do: 'read', as: 'after' },
      // Of what was refused nothing is there: the same names can be given to something else.
      ...(mended === true
        ? []
        : [
            { do: 'ask', method: 'registry/put', params: registry(ACTION, WORKFLOW), as: 'put' } as const,
            {
              do: 'ask',
              method: 'governance/put_policy',
              params: { policy: policy(), by: OWNER },
              as: 'policy',
            } as const,
          ]),
    ],
  }),
  judge: ({ offers, mended }, spoken) => judgeOffers(offers, mended === true, spoken),
});

function removal({ mended }: Offer): Turn {
  const { actions, workflows } = mended as { actions: readonly Action[]; workflows: readonly Workflow[] };
  return {
    do: 'ask',
    method: 'registry/remove',
    params: {
      actions: actions.map(({ action_id, version }) => `${action_id}@${version}`),
      workflows: workflows.map(({ workflow }) => `${workflow.name}@${workflow.version}`),
    },
  };
}

function judgeOffers(offers: readonly string[], mended: boolean, spoken: Spoken): readonly Check[] {
  if (mended) return [check('SO1', undefined)];
  const text = (name: string) => resultOf<{ text: string }>(spoken, name)?.text;
  const refusals = offers.map(name =>
    check('SO1', unlessSame(`${name} was not refused as invalid`, 'invalid', refusalOf(spoken, name) ?? 'taken')),
  );
  const traces = unlessSame('what was refused has left a record', text('before'), text('after'));
  const kept = ['put', 'policy'].map(name =>
    unlessSame('something refused was kept', undefined, refusalOf(spoken, name)),
  );
  return [...refusals, check('SO1', traces), ...kept.map(failure => check('SO1', failure))];
}
