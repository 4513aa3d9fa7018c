import type { Action, Edge, Node } from '../../../schemas/types.js';
import type { Behaviour, Program } from '../../program.js';
import { own } from '../json.js';

/** A program written down briefly, for worked cases. */
export interface Sketch {
  /** One edge each, as `from label to`. A name in no other list is an action node, `done` a completed terminal. */
  readonly edges: readonly string[];
  /** Fields of nodes that differ from the default ones. */
  readonly nodes?: Readonly<Record<string, Partial<Node> & { readonly [field: string]: unknown }>>;
  /** Fields of the one action that all action nodes use. */
  readonly action?: Partial<Action>;
  readonly more?: readonly Action[];
  readonly script?: Readonly<Record<string, readonly Behaviour[]>>;
  readonly rest?: Partial<Program>;
  readonly outputs?: Readonly<Record<string, never>>;
}

/** A behaviour that answers with these outputs. */
export function gives(outputs: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Behaviour {
  return { reply: { outputs, ...more } };
}

/** A behaviour that fails. */
export function fails(
  error_class: 'E0' | 'E1' | 'E2' | 'E3' | 'E4' | 'E5',
  effect: 'none' | 'unknown' = 'none',
): Behaviour {
  return { reply: { error: { error_class, detail: 'scripted', effect } } };
}

/** The program of a sketch. */
export function sketch(drawn: Sketch): Program {
  const edges: Edge[] = drawn.edges.map(text => {
    const [from_node = '', label = '', to_node = ''] = text.split(' ');
    return { from_node, label, to_node };
  });
  const ids = [...new Set(edges.flatMap(edge => [edge.from_node, edge.to_node]))];
  const action = {
    action_id: 'act',
    version: '1.0.0',
    determinism: 'deterministic',
    rollback: 'rollbackable',
  } as const;
  return {
    workflow: {
      schema_version: '1.0',
      workflow: { name: 'sketch', version: '1.0.0' },
      actions: [{ ...action, ...drawn.action }, ...(drawn.more ?? [])],
      nodes: ids.map(id => ({ ...defaultNode(id), ...own(drawn.nodes, id) }) as Node),
      edges,
      ...(drawn.outputs === undefined ? {} : { outputs: drawn.outputs }),
    },
    inputs: {},
    script: {
      nodes: Object.fromEntries(ids.map(id => [id, own(drawn.script, id) ?? [gives()]])),
      actions: Object.fromEntries((drawn.more ?? []).map(({ action_id }) => [action_id, [gives()]])),
    },
    kills: [],
    ...drawn.rest,
  };
}

function defaultNode(id: string): Node {
  if (id === 'done') return { node_id: id, type: 'terminal', status: 'completed' };
  return { node_id: id, type: 'action', action_def: 'act@*' };
}
