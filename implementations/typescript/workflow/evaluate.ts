import { ArsError } from '../error.js';
import { isTooLarge, MAX_VALUE_SIZE } from '../state/size.js';
import { executedStep, type Failure, failureAt, type Instance } from './instance.js';
import type { Scope } from './mapping.js';
import type { ActionStep, ConditionStep, SkillStep } from './plan.js';

/** A value, or why there is none. */
export type Evaluated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

type JsonObject = Readonly<Record<string, unknown>>;

/** The inputs of the action that a node executes. */
export function inputsOf(instance: Instance, step: ActionStep | SkillStep): Evaluated<JsonObject> {
  return attempt('input_mapping', () => limited(step.inputs.evaluate(scopeOf(instance, step))));
}

/** The outputs of a node, from the result of what it executes: by its own mapping, else by that of the node it retries. */
export function outputsOf(instance: Instance, node: number, result: JsonObject): Evaluated<JsonObject> {
  const own = instance.plan.steps[node];
  const step = own?.kind === 'retry' && own.outputs !== undefined ? own : executedStep(instance, node);
  const mapping = step.outputs;
  if (mapping === undefined) return { ok: true, value: result };
  return attempt('output_mapping', () => limited(mapping.evaluate({ ...scopeOf(instance, step), result })));
}

/** The outputs of the workflow. */
export function workflowOutputsOf(instance: Instance): Evaluated<JsonObject> {
  return attempt('outputs', () => limited(instance.plan.outputs.evaluate(scopeOf(instance))));
}

/**
 * The label that a condition takes, of those that leave it: of a boolean true or false, of a string its own, else default.
 *
 * @requirement CN1
 */
export function labelOf(instance: Instance, step: ConditionStep, labels: ReadonlySet<string>): Evaluated<string> {
  const answer = attempt('expression', () => {
    const value = step.expression.evaluate(bindingsOf(instance, step));
    if (typeof value === 'boolean' || typeof value === 'string') return String(value);
    throw new ArsError('expression_failed', `it gives ${JSON.stringify(value)}, neither a boolean nor a string`);
  });
  if (!answer.ok || labels.has(answer.value)) return answer;
  if (labels.has('default')) return { ok: true, value: 'default' };
  return { ok: false, failure: { error_class: 'E4', detail: `no edge has the label '${answer.value}' or default` } };
}

function scopeOf(instance: Instance, step?: { readonly node_id: string }): Scope {
  const { plan, head, outputs } = instance;
  return {
    inputs: head.inputs,
    context: head.context,
    nodes: node_id => {
      const node = plan.graph.indexOf(node_id);
      return node < 0 ? undefined : outputs[node];
    },
    error: step === undefined ? undefined : errorOf(instance, step.node_id),
  };
}

/** What `error` names at a node: the failure that its nearest error node was reached by. */
function errorOf(instance: Instance, node_id: string): JsonObject | undefined {
  const { plan } = instance;
  const handler = plan.handlers[plan.graph.indexOf(node_id)] ?? -1;
  if (handler < 0) return undefined;
  const { failure, node_id: failed } = failureAt(instance, handler);
  return { error_class: failure.error_class, error_detail: failure.detail, node_id: failed };
}

function bindingsOf(instance: Instance, step: ConditionStep) {
  const { inputs, context } = instance.head;
  const nodes: [string, JsonObject][] = [];
  for (const node_id of step.reads) {
    const outputs = instance.outputs[instance.plan.graph.indexOf(node_id)];
    if (outputs !== undefined) nodes.push([node_id, { outputs }]);
  }
  const error = errorOf(instance, step.node_id);
  return { inputs, context, nodes: Object.fromEntries(nodes), ...(error === undefined ? {} : { error }) };
}

/** A mapping can name one large value many times over. */
function limited(value: unknown): JsonObject {
  if (!isTooLarge(value)) return value as JsonObject;
  throw new ArsError('mapping_failed', `it gives more than ${MAX_VALUE_SIZE} characters`);
}

function attempt<T>(place: string, evaluate: () => T): Evaluated<T> {
  try {
    return { ok: true, value: evaluate() };
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    return { ok: false, failure: { error_class: 'E4', detail: `${place}: ${error.message}` } };
  }
}
