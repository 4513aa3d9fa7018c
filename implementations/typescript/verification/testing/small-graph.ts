import type { Action, Edge, Node, Registry, Workflow } from '../../../../schemas/types.js';

/** What a node of a small graph is. `amend` is an error node with a compensate_ref, `choice` a condition over texts. */
export type Kind =
  | 'action'
  | 'skill'
  | 'condition'
  | 'choice'
  | 'completed'
  | 'failed'
  | 'fail'
  | 'compensate'
  | 'rollback'
  | 'amend'
  | 'retry';

export interface SmallNode {
  readonly name: string;
  readonly kind: Kind;
  readonly join?: 'AND' | 'OR';
  readonly parallel?: boolean;
  /** The max_retries of an action. */
  readonly retries?: number;
  readonly determinism?: Action['determinism'];
}

export interface SmallEdge {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** A graph that is small enough to try every execution of it. */
export interface SmallGraph {
  readonly nodes: readonly SmallNode[];
  readonly edges: readonly SmallEdge[];
  /** Which node `workflow.start` names. */
  readonly start?: number;
  /** What the actions do: something without a compensation, or something that nothing can undo. */
  readonly effect: 'uncompensated' | 'irreversible';
}

/** Kinds that handle a failure. */
export const ERROR_KINDS: ReadonlySet<Kind> = new Set(['fail', 'compensate', 'rollback', 'amend', 'retry']);
/** Kinds that execute an action or a skill, and so have outputs. */
export const EXECUTING: ReadonlySet<Kind> = new Set(['action', 'skill', 'amend', 'retry']);

const OUTPUT = { type: 'object', properties: { v: { type: 'string' } }, additionalProperties: false } as const;

function actionOf(action_id: string, effect: SmallGraph['effect'], determinism: Action['determinism']): Action {
  const base = { action_id, version: '1.0.0', determinism, output_schema: { ...OUTPUT } };
  return effect === 'irreversible'
    ? { ...base, rollback: 'irreversible', side_effects: ['external_service'] }
    : { ...base, rollback: 'compensatable', side_effects: ['remote_server'] };
}

/** Returns the graph as a document in which every node that can reads everything, and the registry that it needs. */
export function documentOf(graph: SmallGraph): { workflow: Workflow; registry: Registry } {
  const actions: Action[] = [];
  const workflows: Workflow[] = [];
  const sources = graph.nodes.filter(({ kind }) => EXECUTING.has(kind)).map(({ name }) => name);
  const reads = Object.fromEntries(sources.map(name => [`n_${name}`, `\${nodes.${name}.outputs.v}`]));
  const input_mapping = { ...reads, error: '${error.node_id}' };
  const nodes = graph.nodes.map((small): Node => {
    const { name, kind, join, parallel = false, retries = 0, determinism = 'deterministic' } = small;
    const base = { node_id: name, ...(join === undefined ? {} : { join_type: join }) };
    const wide = parallel ? ({ fan_out: 'parallel' } as const) : {};
    if (kind === 'condition') return { ...base, type: 'condition', expression: 'inputs.x > 1' };
    if (kind === 'choice') return { ...base, type: 'condition', expression: 'inputs.t' };
    if (kind === 'completed' || kind === 'failed') return { ...base, type: 'terminal', status: kind };
    if (kind === 'action') {
      actions.push(actionOf(`do-${name}`, graph.effect, determinism));
      const policy = retries === 0 ? {} : { retry_policy: { max_retries: retries } };
      const mark = graph.effect === 'irreversible' ? ({ irreversible: 'acknowledged' } as const) : {};
      return { ...base, ...wide, ...mark, ...policy, type: 'action', action_def: `do-${name}@^1`, input_mapping };
    }
    if (kind === 'skill') {
      workflows.push(skillOf(name, graph.effect, determinism, Object.keys(input_mapping)));
      const mark = graph.effect === 'irreversible' ? ({ irreversible: 'acknowledged' } as const) : {};
      return { ...base, ...wide, ...mark, type: 'skill', workflow_ref: `skill-${name}@^1`, input_mapping };
    }
    if (kind !== 'amend') return { ...base, ...wide, type: 'error', handling: kind };
    actions.push(actionOf(`do-${name}`, graph.effect, determinism));
    return {
      ...base,
      ...wide,
      type: 'error',
      handling: 'compensate',
      compensate_ref: `do-${name}@^1`,
      input_mapping,
    };
  });
  const nameOf = (at: number): string => graph.nodes[at]?.name ?? 'nowhere';
  const edges = graph.edges.map(
    ({ from, to, label }): Edge => ({ from_node: nameOf(from), to_node: nameOf(to), label }),
  );
  const outputs = Object.fromEntries(sources.map(name => [`o_${name}`, `\${nodes.${name}.outputs.v}`]));
  const start = graph.start === undefined ? {} : { start: nameOf(graph.start) };
  const workflow: Workflow = {
    schema_version: '1.0',
    workflow: { name: 'small', version: '1.0.0', ...start },
    inputs: { x: { schema: { type: 'number' } }, t: { schema: { type: 'string' } } },
    outputs,
    actions,
    nodes,
    edges,
  };
  return { workflow, registry: { schema_version: '1.0', actions: [], workflows } };
}

/** A workflow with one action of its own. */
function skillOf(
  name: string,
  effect: SmallGraph['effect'],
  determinism: Action['determinism'],
  inputs: readonly string[],
): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name: `skill-${name}`, version: '1.0.0' },
    inputs: Object.fromEntries(inputs.map(input => [input, {}])),
    outputs: { v: '${nodes.inner.outputs.v}' },
    actions: [actionOf(`inner-${name}`, effect, determinism)],
    nodes: [
      { node_id: 'inner', type: 'action', action_def: `inner-${name}@^1` },
      { node_id: 'end', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'inner', to_node: 'end', label: 'success' }],
  };
}
