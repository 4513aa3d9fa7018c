import type { Action, Edge, Node, Workflow } from '../../../schemas/types.js';

/** The rules whose defects come as pairs; those of the graph only beside others. */
export type PairRule = GraphRule | ValueRule;

/** The rules over the graph. */
export type GraphRule = 'S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6';

/** The rules over values, skills, contracts and failures. */
export type ValueRule = 'S7' | 'S8' | 'S9' | 'S10' | 'S11' | 'S12' | 'S13' | 'S14' | 'S15' | 'S16' | 'S17';

/** Where a finding has to stand: its rule, where it is another than the pair's, and what it is about. */
export interface Place {
  readonly rule?: string;
  readonly node_id?: string;
  readonly edge?: Edge;
}

/** What a document is made of; its first node is where it starts. */
export interface Parts {
  readonly inputs?: Workflow['inputs'];
  readonly outputs?: Workflow['outputs'];
  readonly actions?: readonly Action[];
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly registry?: { readonly actions?: readonly Action[]; readonly workflows?: readonly Workflow[] };
}

/** One kind of defect: the same small document with it and without it, and what has to be found of the first. */
export interface Pair {
  readonly rule: PairRule;
  /** What is wrong, in some words; unique. */
  readonly name: string;
  readonly parts: (broken: boolean) => Parts;
  readonly found: readonly Place[];
  /** Whether the document cannot be put behind another one: what it says of the whole would change. */
  readonly alone?: true;
  /** Whether the defect keeps other rules from being evaluated. */
  readonly hides?: true;
}

/** Gives a contract that nothing is to be said against, but for what is given. */
export function act(action_id: string, more: Partial<Action> = {}): Action {
  const pure = { version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' } as const;
  return { action_id, ...pure, side_effects: [], ...more };
}

/** Gives an action node. */
export function step(node_id: string, action_def: string, more: object = {}): Node {
  return { node_id, type: 'action', action_def, ...more } as Node;
}

/** Gives a condition. */
export function choose(node_id: string, expression: string): Node {
  return { node_id, type: 'condition', expression };
}

/** Gives a skill node. */
export function skill(node_id: string, workflow_ref: string, more: object = {}): Node {
  return { node_id, type: 'skill', workflow_ref, ...more } as Node;
}

/** Gives an error node. */
export function error(
  node_id: string,
  handling: 'retry' | 'compensate' | 'rollback' | 'fail',
  more: object = {},
): Node {
  return { node_id, type: 'error', handling, ...more } as Node;
}

/** Gives a terminal. */
export function end(node_id: string, status: 'completed' | 'failed' | 'compensated' = 'completed'): Node {
  return { node_id, type: 'terminal', status };
}

/** Gives edges, each written as `from label to`. */
export function edges(...texts: readonly string[]): Edge[] {
  return texts.map(text => {
    const [from_node = '', label = '', to_node = ''] = text.split(' ');
    return { from_node, label, to_node };
  });
}

/**
 * Gives a graph of nodes, the first of which is the start, and edges, each written as `from label to`. The ends `done`
 * (completed), `stop` (compensated) and `refused` (an error node) are made where an edge leads to them, and joins are OR
 * where nothing else is said.
 */
export function graph(nodes: readonly Node[], texts: readonly string[], more: Partial<Parts> = {}): Parts {
  const all = edges(...texts);
  const ends = [end('done'), end('stop', 'compensated'), error('refused', 'fail')];
  const led = ends.filter(({ node_id }) => all.some(({ to_node }) => to_node === node_id));
  return { ...more, nodes: [...nodes, ...led].map(node => joined(node, all)), edges: all };
}

/** Gives nodes one behind the other. Failures lead to `refused`, all other values of conditions than true to `stop`. */
export function line(nodes: readonly Node[], more: Partial<Parts> = {}): Parts {
  return graph(
    nodes,
    nodes.flatMap((node, at) => follow(node, nodes[at + 1]?.node_id ?? 'done')),
    more,
  );
}

/** Gives the edges of a node that goes on at another one. */
export function follow({ node_id, type }: Node, next: string): string[] {
  if (type === 'condition') return [`${node_id} true ${next}`, `${node_id} default stop`];
  return [`${node_id} success ${next}`, `${node_id} failure refused`];
}

/** A node with several in-edges says how they are joined: OR, where nothing else is said. */
function joined(node: Node, all: readonly Edge[]): Node {
  const several = all.filter(({ to_node }) => to_node === node.node_id).length > 1;
  return several && node.join_type === undefined ? { ...node, join_type: 'OR' } : node;
}

/** Gives a workflow for the registry. */
export function workflow(
  name: string,
  { registry: _none, actions = [], ...parts }: Parts,
  version = '1.0.0',
): Workflow {
  const { inputs, outputs } = parts;
  return {
    schema_version: '1.0',
    workflow: { name, version, start: parts.nodes[0]?.node_id ?? '' },
    ...(inputs === undefined ? {} : { inputs }),
    ...(outputs === undefined ? {} : { outputs }),
    actions: [...actions],
    nodes: [...parts.nodes],
    edges: [...parts.edges],
  };
}
