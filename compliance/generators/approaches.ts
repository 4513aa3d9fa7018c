import * as fc from 'fast-check';
import type { Action, SafetyLevel, Workflow } from '../../schemas/types.js';
import type { Approach, Step } from '../approach.js';
import { BYSTANDER, SECOND_AGENT, STRANGER } from '../model/consent.js';
import { APPROVER, DEFAULT_AGENT } from '../program.js';

/** Before every approach, and after every one. */
export const PAST = '2001-01-01T00:00:00.000Z';
export const FAR = '2999-12-31T23:59:59.999Z';

const ACTIONS: Readonly<Record<SafetyLevel, Partial<Action>>> = {
  SAFE: {},
  CONDITIONALLY_SAFE: { determinism: 'non_deterministic' },
  RISKY: { rollback: 'compensatable', side_effects: ['repository'] },
  IRREVERSIBLE: { rollback: 'irreversible', side_effects: ['external_service'] },
};

/** A workflow of one action that declares what is asked, with one input that has a default. */
export function oneAction(action: Partial<Action>, more: readonly Action[] = []): Workflow {
  const sent: Action = {
    action_id: 'send',
    version: '1.0.0',
    determinism: 'deterministic',
    rollback: 'rollbackable',
    side_effects: [],
    ...action,
  };
  const irreversible = sent.rollback === 'irreversible' ? { irreversible: 'acknowledged' as const } : {};
  return {
    schema_version: '1.0',
    workflow: { name: 'errand', version: '1.0.0' },
    inputs: { to: { schema: { type: 'string' }, default: 'ada' } },
    actions: [sent, ...more],
    nodes: [
      { node_id: 'send', type: 'action', action_def: 'send@^1.0.0', ...irreversible },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'send', to_node: 'done', label: 'success' }],
  };
}

/** An approach to a workflow of a level. */
export function approach(level: SafetyLevel, steps: readonly Step[]): Approach {
  return { level, workflow: oneAction(ACTIONS[level]), steps };
}

/** A confirmation by the approver that nothing is wrong with. */
export function approval(more: Partial<Extract<Step, { do: 'approve' }>> = {}): Step {
  return { do: 'approve', confirmation_id: 'c1', approver: APPROVER, expires_at: FAR, ...more };
}

/** A start with that confirmation. */
export function confirmedStart(more: Partial<Extract<Step, { do: 'start' }>> = {}): Step {
  return { do: 'start', confirmation_id: 'c1', ...more };
}

const inputs = fc.option(fc.constantFrom<Readonly<Record<string, unknown>>>({}, { to: 'ada' }, { to: 'eve' }), {
  nil: undefined,
});
const agent_id = fc.option(fc.constantFrom(DEFAULT_AGENT, SECOND_AGENT), { nil: undefined, freq: 2 });
const confirmation_id = fc.constantFrom('c1', 'c2', 'c3');

/** Steps of which each has about an even chance to do what the ones before make possible. */
const STEP: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant('dry_run' as const), inputs }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('approve' as const),
        confirmation_id,
        approver: weighted([APPROVER, APPROVER, APPROVER, SECOND_AGENT, DEFAULT_AGENT, BYSTANDER, STRANGER]),
        agent_id,
        inputs,
        other_documents: weighted([undefined, undefined, undefined, undefined, true as const]),
        expires_at: weighted([FAR, FAR, FAR, FAR, PAST]),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('start' as const),
        confirmation_id: fc.option(confirmation_id, { nil: undefined, freq: 6 }),
        agent_id,
        inputs,
        times: weighted([undefined, undefined, undefined, 3]),
      }),
    },
  )
  .map(step => JSON.parse(JSON.stringify(step)) as Step);

function weighted<T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

/** Approaches of any steps to a workflow of one of the levels. */
export function approaches(levels: readonly SafetyLevel[]): fc.Arbitrary<Approach> {
  return fc
    .tuple(fc.constantFrom(...levels), fc.array(STEP, { minLength: 1, maxLength: 8 }))
    .map(([level, steps]) => approach(level, steps));
}
