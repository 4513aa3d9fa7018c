import type { Action, AuditRecord, Edge, Node, Workflow } from '../../schemas/types.js';
import { type Failure, type Instance, newInstance, PHASE, traceOf } from './workflow/instance.js';
import type { InstanceEffect, InstanceEvent } from './workflow/instance-event.js';
import { planWorkflow } from './workflow/plan.js';
import { replay } from './workflow/replay.js';
import { sourceOf, workflowsOf } from './workflow/resolve.js';
import { transition } from './workflow/transition.js';

/** What is to come of a node: of a condition the value of its expression or an error, else its outcome. */
export type VectorOutcome =
  | { readonly outcome: 'success' }
  | { readonly outcome: 'in_doubt' }
  | { readonly outcome: 'failure'; readonly error_class: 'E0' | 'E1' | 'E2' | 'E3' | 'E4' | 'E5' }
  | { readonly value: unknown }
  | { readonly error: true };

/** A graph with the fields that the firing rule depends on. */
export interface FiringGiven {
  readonly graph: { readonly nodes: readonly Node[]; readonly edges: readonly Edge[]; readonly start?: string };
  readonly outcomes: Readonly<Record<string, VectorOutcome>>;
}

/** What became of an instance. */
export interface FiringSeen {
  readonly trace: Readonly<Record<string, string>>;
  /** The edges that were taken, each as its ends with its label between them. */
  readonly taken: readonly (readonly string[])[];
  readonly order: readonly string[];
  readonly status: string;
  readonly error?: { readonly node_id?: string; readonly error_class: string };
}

const ACTIONS: Action[] = ['step', 'amend'].map(action_id => ({
  action_id,
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
}));

/** What every skill of a vector runs; how its instance ends is what the vector says of the node. */
const BELOW: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'below', version: '1.0.0' },
  nodes: [{ node_id: 'end', type: 'terminal', status: 'completed' }],
  edges: [],
};

/** Fires the graph by the runtime's own transitions. */
export function firingOf(given: FiringGiven): FiringSeen {
  const workflow = workflowOf(given);
  const plan = planWorkflow(workflow, sourceOf([]), workflowsOf([BELOW]));
  const inputs = conditionValues(given);
  const instance = newInstance(plan, { ...HEAD, inputs }, 8);
  run(instance, effect => eventsOf(given, instance, effect));
  const { end } = instance;
  const { error } = end ?? {};
  return {
    trace: Object.fromEntries(traceOf(instance).map(({ node_id, outcome }) => [node_id, outcome])),
    taken: plan.graph.edges
      .filter((_, edge) => instance.edgeTaken[edge] === 1)
      .map(({ from_node, label, to_node }) => [from_node, label, to_node]),
    order: instance.resolved.map(node => plan.steps[node]?.node_id ?? ''),
    status: end?.status ?? (instance.doubts.size > 0 ? 'in_doubt' : 'running'),
    ...(error === undefined
      ? {}
      : {
          error: { error_class: error.error_class, ...(error.node_id === undefined ? {} : { node_id: error.node_id }) },
        }),
  };
}

/** How a node and the error node that executes it again end, where the action answers like this, one word an invocation. */
export function retryOf(given: {
  readonly determinism: Action['determinism'];
  readonly max_retries?: number;
  readonly max_attempts?: number;
  readonly answers: readonly string[];
}): { readonly node: unknown; readonly retry: unknown } {
  const { determinism, max_retries, max_attempts, answers } = given;
  const action: Action = {
    action_id: 'step',
    version: '1.0.0',
    determinism,
    rollback: 'rollbackable',
    side_effects: [],
  };
  const policy = max_retries === undefined ? {} : { retry_policy: { max_retries } };
  const attempts = max_attempts === undefined ? {} : { max_attempts };
  const plan = planWorkflow(
    {
      schema_version: '1.0',
      workflow: { name: 'vector', version: '1.0.0' },
      actions: [action],
      nodes: [
        { node_id: 'n', type: 'action', action_def: 'step@^1.0.0', ...policy },
        { node_id: 'r', type: 'error', handling: 'retry', ...attempts },
        { node_id: 'x', type: 'error', handling: 'fail' },
        { node_id: 't', type: 'terminal', status: 'completed', join_type: 'OR' },
      ],
      edges: [
        { from_node: 'n', to_node: 't', label: 'success' },
        { from_node: 'n', to_node: 'r', label: 'failure' },
        { from_node: 'r', to_node: 't', label: 'success' },
        { from_node: 'r', to_node: 'x', label: 'failure' },
      ],
    },
    sourceOf([]),
  );
  const instance = newInstance(plan, { ...HEAD, inputs: {} }, 8);
  let invocations = 0;
  run(instance, effect => {
    if (effect.type !== 'execute') return passed(effect);
    const { node, attempt } = effect;
    const answer = answers[invocations++] ?? 'E5';
    const invoked: InstanceEvent = { type: 'invoked', node, attempt };
    if (answer === 'success') return [invoked, { type: 'committed', node, result: {} }];
    const failure = { error_class: answer as Failure['error_class'], detail: 'scripted' };
    return [invoked, { type: 'failed', node, failure, closed: false }];
  });
  const ends = new Map(traceOf(instance).map(({ node_id, ...end }) => [node_id, end]));
  return { node: ends.get('n'), retry: ends.get('r') };
}

/** Where an instance stands by its records: what is resolved and how, outputs, and what is ready or running. */
export function standingOf({ workflow, records }: { readonly workflow: Workflow; readonly records: AuditRecord[] }) {
  const plan = planWorkflow(workflow, sourceOf([]));
  const inputs = records[0]?.inputs ?? {};
  const { instance } = replay(plan, { ...HEAD, inputs }, records, 8);
  const ids = plan.steps.map(({ node_id }) => node_id);
  const open: number[] = [PHASE.ready, PHASE.running, PHASE.backoff];
  return {
    trace: Object.fromEntries(traceOf(instance).map(({ node_id, ...end }) => [node_id, end])),
    outputs: Object.fromEntries(
      ids.flatMap((id, node) => (instance.outputs[node] ? [[id, instance.outputs[node]]] : [])),
    ),
    open: ids.filter((_, node) => open.includes(instance.phase[node] as number)).sort(),
  };
}

const HEAD = { execution_id: 'i1', context_id: 'i1', agent_id: 'agent-1', context: {} };

/** Tells the instance what happens until nothing is left to be done. */
function run(instance: Instance, next: (effect: InstanceEffect) => InstanceEvent[]): void {
  const events: InstanceEvent[] = [{ type: 'started' }, { type: 'continued' }];
  for (let event = events.shift(); event !== undefined; event = events.shift())
    for (const effect of transition(instance, event).effects) events.push(...next(effect));
}

/** What follows from something that needs no answer. */
function passed(effect: InstanceEffect): InstanceEvent[] {
  switch (effect.type) {
    case 'record_terminal':
    case 'record_outcome':
      return [{ type: 'recorded', node: effect.node }];
    case 'wait':
      return [{ type: 'retry_due', node: effect.node }];
    case 'end':
      return [{ type: 'ended', end: effect.end }];
    default:
      return [];
  }
}

/** What follows from something that has to be done. */
function eventsOf(given: FiringGiven, instance: Instance, effect: InstanceEffect): InstanceEvent[] {
  switch (effect.type) {
    case 'execute':
      return executed(given, instance, effect.node, effect.attempt);
    case 'start_child':
      return ranChild(given, instance, effect.node);
    case 'undo_instance': {
      const outcome = outcomeOf(given, instance, effect.node);
      const failure = 'error_class' in outcome ? failureOf(outcome) : undefined;
      return [{ type: 'instance_undone', node: effect.node, failure }];
    }
    default:
      return passed(effect);
  }
}

function executed(given: FiringGiven, instance: Instance, node: number, attempt: number): InstanceEvent[] {
  const outcome = outcomeOf(given, instance, node);
  const invoked: InstanceEvent = { type: 'invoked', node, attempt };
  if (outcome.outcome === 'success') return [invoked, { type: 'committed', node, result: {} }];
  if (outcome.outcome === 'in_doubt') return [invoked, { type: 'doubted', node }];
  return [invoked, { type: 'failed', node, failure: failureOf(outcome), closed: true }];
}

function ranChild(given: FiringGiven, instance: Instance, node: number): InstanceEvent[] {
  const outcome = outcomeOf(given, instance, node);
  const started: InstanceEvent = { type: 'child_started', node, execution_id: `i1-${node}` };
  if (outcome.outcome === 'in_doubt') return [started, { type: 'doubted', node }];
  if (outcome.outcome === 'success') return [started, { type: 'child_ended', node, end: { status: 'completed' } }];
  return [started, { type: 'child_ended', node, end: { status: 'failed', error: failureOf(outcome) } }];
}

function outcomeOf({ outcomes }: FiringGiven, instance: Instance, node: number) {
  const outcome = outcomes[instance.plan.steps[node]?.node_id ?? ''];
  if (outcome === undefined || !('outcome' in outcome)) throw new Error('The vector says nothing of a node that runs.');
  return outcome;
}

function failureOf({ error_class }: Extract<VectorOutcome, { outcome: 'failure' }>): Failure {
  return { error_class, detail: 'scripted' };
}

function conditionValues({ outcomes }: FiringGiven): Record<string, unknown> {
  const values: [string, unknown][] = [];
  for (const [node_id, outcome] of Object.entries(outcomes))
    if ('value' in outcome) values.push([node_id, outcome.value]);
  return Object.fromEntries(values);
}

function workflowOf({ graph }: FiringGiven): Workflow {
  const { start, nodes, edges } = graph;
  return {
    schema_version: '1.0',
    workflow: { name: 'vector', version: '1.0.0', ...(start === undefined ? {} : { start }) },
    actions: ACTIONS,
    nodes: nodes.map(node => {
      if (node.type === 'action') return { ...node, action_def: 'step@^1.0.0' };
      if (node.type === 'condition') return { ...node, expression: `inputs[${JSON.stringify(node.node_id)}]` };
      return node.type === 'skill' ? { ...node, workflow_ref: 'below@^1.0.0' } : node;
    }),
    edges: [...edges],
  };
}
