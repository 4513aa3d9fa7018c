import type { Action, ActionInvokeResult, ProbeAnswer, StateChange } from '../../schemas/types.js';
import type { Behaviour } from '../program.js';
import type { ContractPlan, CoursePlan, StatePlan, StepPlan } from './steps.js';

/** An action made of a plan, with what the host does when it is invoked. */
export interface ScriptedAction {
  readonly action: Action;
  readonly behaviours: readonly Behaviour[];
  readonly probe?: ProbeAnswer | 'ledger';
}

/** The actions that undo, with their one behaviour each. */
export const UNDO_ACTIONS: Readonly<Record<ContractPlan['undo'], ScriptedAction>> = {
  good: undoing('undo.good', { reply: { outputs: {} } }),
  bad: undoing('undo.bad', { reply: { error: { error_class: 'E4', detail: 'cannot be undone', effect: 'none' } } }),
  'wants outputs': undoing('undo.wanting', { reply: { outputs: {} } }, { type: 'object', required: ['outputs'] }),
};

function undoing(action_id: string, behaviour: Behaviour, input_schema?: Action['input_schema']): ScriptedAction {
  const contract = {
    version: '1.0.0',
    determinism: 'deterministic',
    rollback: 'rollbackable',
    idempotent: true,
  } as const;
  const schema = input_schema === undefined ? {} : { input_schema };
  return { action: { action_id, ...contract, side_effects: [], ...schema }, behaviours: [behaviour] };
}

/** The types of the fields that every result has, beside `v`, which is any value. */
const RESULT_TYPES = { n: 'number', s: 'string', b: 'boolean' } as const;

const HUGE = 'huge '.repeat(6000);

/** The limit of a node whose action never answers. It is the node's own, since that of an action would bound its probe too. */
export const HANG_LIMIT_MS = 40;

/** The action of a step. `previousKey` is the key that the step directly before it writes, where it writes one. */
export function scriptedAction(
  plan: StepPlan,
  action_id: string,
  key: string,
  previousKey: string | undefined,
): ScriptedAction {
  const result = resultOf(plan, stateChanges(plan.state, key, previousKey));
  const probe = probeOf(plan, result);
  const behaviours = behavioursOf(plan.course, result);
  const action: Action = {
    action_id,
    version: '1.2.0',
    ...contractFields(plan.contract),
    ...courseFields(plan.course),
    ...(probe === undefined ? {} : { probe: true }),
  };
  return { action, behaviours, ...(probe === undefined ? {} : { probe }) };
}

function resultOf(
  plan: StepPlan,
  state_changes: readonly StateChange[],
): Extract<ActionInvokeResult, { outputs: unknown }> {
  const course = plan.course;
  const fields = { n: plan.inputs.length, s: `s${plan.inputs.length}`, b: plan.contract.idempotent, v: plan.value };
  const missed = course.kind === 'refused' && course.by === 'schema';
  const outputs = missed ? { ...fields, n: 'not a number' } : course.kind === 'huge' ? { ...fields, v: HUGE } : fields;
  return {
    outputs,
    ...(state_changes.length === 0 ? {} : { state_changes: [...state_changes] }),
    ...(plan.state === 'own' ? { evidence: { key: 'own' } } : {}),
    ...(course.kind === 'refused' && course.by === 'exit code' ? { exit_code: 3 } : {}),
  };
}

function behavioursOf(course: CoursePlan, result: ActionInvokeResult): readonly Behaviour[] {
  if (course.kind === 'hang') return [{ effect: 'receipt' }];
  if (course.kind === 'succeed' && course.delay_ms > 0) {
    return [{ reply: result, delay_ms: course.delay_ms, effect: course.delay_ms > 10 ? 'reply' : 'receipt' }];
  }
  if (course.kind !== 'fail') return [{ reply: result }];
  const { error_class, effect, applied, times } = course;
  const error = { error_class, detail: 'scripted', ...(effect === 'none' ? { effect } : {}) };
  const failed: Behaviour = { reply: { error }, effect: effect === 'unknown' && applied ? 'receipt' : 'never' };
  return times > 4 ? [failed] : [...Array.from({ length: times }, () => failed), { reply: result }];
}

/** A probe that would confirm a result which the contract refuses is none: what a runtime does then is not said. */
function probeOf(plan: StepPlan, result: Extract<ActionInvokeResult, { outputs: unknown }>): ScriptedAction['probe'] {
  const verdict = plan.contract.probe;
  if (verdict === 'none') return undefined;
  const refused = plan.course.kind === 'refused';
  if (verdict === 'ledger') return refused ? { verdict: 'partial' } : 'ledger';
  if (verdict !== 'applied') return { verdict };
  if (refused) return { verdict: 'unknown' };
  const { outputs, state_changes } = result;
  return { verdict: 'applied', outputs, ...(state_changes === undefined ? {} : { state_changes }) };
}

function contractFields(plan: ContractPlan): Pick<Action, 'determinism' | 'rollback'> & Partial<Action> {
  const undo = `${UNDO_ACTIONS[plan.undo].action.action_id}@^1.0.0`;
  const rollback = plan.kind === 'pure' ? 'rollbackable' : plan.kind === 'gap' ? 'compensatable' : plan.kind;
  return {
    determinism: plan.determinism,
    rollback,
    side_effects: [...plan.domains],
    ...(plan.modifies_existing ? { modifies_existing: true } : {}),
    ...(plan.idempotent ? { idempotent: true } : {}),
    ...(plan.kind === 'rollbackable' ? { revert: undo } : {}),
    ...(plan.kind === 'compensatable' ? { compensation: undo } : {}),
  };
}

function courseFields(course: CoursePlan): Partial<Action> {
  const output_schema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(RESULT_TYPES).map(([name, type]) => [name, { type }])),
    required: Object.keys(RESULT_TYPES),
  };
  const base = { output_schema };
  if (course.kind === 'refused') {
    if (course.by === 'postcondition') return { ...base, postconditions: [condition('hard', 'result.n < 0.0')] };
    if (course.by === 'success condition') return { ...base, success_condition: 'result.n < 0.0' };
  }
  if (course.kind === 'blocked') {
    if (course.by === 'precondition') return { ...base, preconditions: [condition('hard', 'size(inputs) > 99')] };
    if (course.by === 'input schema') return { ...base, input_schema: { type: 'object', properties: { p0: false } } };
    return { ...base, preconditions: [condition('hard', 'inputs.p99 == 1.0')] };
  }
  if (course.kind === 'degraded') {
    if (course.by === 'precondition') return { ...base, preconditions: [condition('soft', 'size(inputs) > 99')] };
    return { ...base, postconditions: [condition('soft', 'result.n < 0.0')] };
  }
  return base;
}

function condition(kind: 'hard' | 'soft', expression: string): NonNullable<Action['preconditions']>[number] {
  return { id: `${kind}.1`, kind, expression };
}

function stateChanges(plan: StatePlan, key: string, previousKey: string | undefined): readonly StateChange[] {
  const put = (to: string, value: unknown, expected_version?: number) =>
    ({ key: to, op: 'put', value, ...(expected_version === undefined ? {} : { expected_version }) }) as StateChange;
  switch (plan) {
    case 'nothing':
      return [];
    case 'own':
      return [put(key, { by: key })];
    case 'created':
      return [put(key, 1, 0)];
    case 'twice':
      return [put(key, 1, 0), put(key, [2], 1)];
    case 'deleted':
      return [{ key, op: 'delete' }];
    case 'conflict':
      return [put(key, 1, 7)];
    case 'shared':
      return [put('shared', key)];
    case 'next':
      return previousKey === undefined ? [put(key, null)] : [put(previousKey, key, 1)];
  }
}

/** Whether a step leaves its own key at version 1, so that the step after it can expect that. */
export function leavesVersionOne(plan: StatePlan): boolean {
  return plan === 'own' || plan === 'created' || plan === 'deleted';
}
