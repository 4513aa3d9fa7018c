import * as fc from 'fast-check';
import type { Action, Edge, Node } from '../../../schemas/types.js';
import { PAIRS } from './index.js';
import { choose, edges, type Parts, type Place } from './pair.js';
import { BARE, type Given, given, type Planting, pairOf } from './setting.js';

/** Several defects in one document, each on a branch of its own; those that are mended are there without the defect. */
export interface Together {
  readonly plantings: readonly (Omit<Planting, 'setting'> & { readonly mended?: true })[];
}

/** Several defects at one time, of which none keeps a rule from being evaluated unless `hiding` ones are asked for. */
export function together(hiding = false): fc.Arbitrary<Together> {
  const pairs = PAIRS.filter(({ alone, hides }) => alone === undefined && (hiding || hides === undefined));
  const planting = fc.constantFrom(...pairs).map(({ rule, name }) => ({ rule, pair: name }));
  return fc.array(planting, { minLength: 2, maxLength: 5 }).map(plantings => ({ plantings }));
}

/** Gives the document of several defects. */
export function togetherDocument({ plantings }: Together): Given {
  const parts = plantings.map(({ mended, ...planting }, at) =>
    renamed(pairOf({ ...planting, setting: BARE }).parts(mended === undefined), `p${at}-`),
  );
  const firsts = parts.map(({ nodes }) => nodes[0]?.node_id ?? '');
  const labels = firsts.map((first, at) => `which ${at === 0 ? 'default' : `p${at}`} ${first}`);
  const all = <T>(of: (part: Parts) => readonly T[] | undefined): T[] => parts.flatMap(part => of(part) ?? []);
  return given(
    {
      inputs: Object.assign({}, ...parts.map(({ inputs }) => inputs)),
      actions: all(part => part.actions),
      nodes: [choose('which', 'context.which'), ...all(({ nodes }) => nodes)],
      edges: [...edges(...labels), ...all(part => part.edges)],
      registry: { actions: all(part => part.registry?.actions), workflows: all(part => part.registry?.workflows) },
    },
    { namesStart: true },
  );
}

/** Gives what has to be found of several defects. */
export function togetherPlaces({ plantings }: Together): (Place & { readonly rule: string })[] {
  return plantings.flatMap(({ mended, ...planting }, at) => {
    if (mended === true) return [];
    const { rule, found } = pairOf({ ...planting, setting: BARE });
    return found.map(({ node_id, edge, ...place }) => ({
      rule,
      ...place,
      ...(node_id === undefined ? {} : { node_id: `p${at}-${node_id}` }),
      ...(edge === undefined ? {} : { edge: renamedEdge(edge, `p${at}-`) }),
    }));
  });
}

/** The same parts with other names of nodes, inputs, actions and workflows. */
function renamed(parts: Parts, prefix: string): Parts {
  const { actions = [], inputs = {}, nodes, registry = {}, edges: all } = parts;
  const ids = new Set(nodes.map(({ node_id }) => node_id));
  const action = (one: Action): Action => renamedRefs({ ...one, action_id: prefix + one.action_id }, prefix);
  return {
    ...parts,
    actions: actions.map(action),
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, input]) => [inputName(prefix, name), input])),
    nodes: nodes.map(node => renamedNode(node, ids, prefix)),
    edges: all.map(edge => renamedEdge(edge, prefix)),
    registry: {
      actions: (registry.actions ?? []).map(action),
      workflows: (registry.workflows ?? []).map(one => ({
        ...one,
        workflow: { ...one.workflow, name: prefix + one.workflow.name },
        nodes: one.nodes.map(node => (node.type === 'skill' ? renamedRefs(node, prefix) : node)),
      })),
    },
  };
}

const REFERENCES = ['action_def', 'compensate_ref', 'workflow_ref', 'revert', 'compensation'];

function renamedRefs<T extends object>(of: T, prefix: string): T {
  const entries = Object.entries(of).map(([name, value]) => [name, REFERENCES.includes(name) ? prefix + value : value]);
  return Object.fromEntries(entries) as T;
}

/** What a node says of other nodes and of inputs is said of them under their new names. */
function renamedNode(node: Node, ids: ReadonlySet<string>, prefix: string): Node {
  const text = JSON.stringify(renamedRefs(node, prefix))
    .replaceAll(/nodes\.([\w-]+)/g, (whole, id: string) => (ids.has(id) ? `nodes.${prefix}${id}` : whole))
    .replaceAll(/\binputs\.(\w+)/g, (_whole, name: string) => `inputs.${inputName(prefix, name)}`);
  return { ...(JSON.parse(text) as Node), node_id: prefix + node.node_id };
}

function inputName(prefix: string, name: string): string {
  return `${prefix.replace('-', '_')}${name}`;
}

function renamedEdge({ from_node, to_node, label }: Edge, prefix: string): Edge {
  return { from_node: prefix + from_node, to_node: prefix + to_node, label };
}
