import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Action, Edge, Node, Registry, Workflow } from '../../../schemas/types.js';
import { readDocuments } from '../workspace/document.js';
import { verify } from './index.js';
import { kindsOf } from './rules/index.js';

/** Two defects in one document are two findings: neither hides the other, and nothing follows from both. */

const FOLDER = new URL('../../../examples/invalid/', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');
const documents = new Map<string, unknown>();
const read = (path: string): unknown => {
  if (!documents.has(path)) documents.set(path, readDocuments(textOf(path), { file: path })[0]?.value);
  return documents.get(path);
};

interface Example {
  readonly file: string;
  readonly workflow: Workflow;
  readonly registry: string | undefined;
}

/** What concerns a whole document, or what completes it, is left out: two of these do not fit into one. */
const WHOLE = /^s4-|^schema-|^s5-repeated-workflow|^s14-(?!leads)|^cycle-and/;
const examples: readonly Example[] = readdirSync(FOLDER)
  .filter(file => file.endsWith('.yaml') && !WHOLE.test(file))
  .map(file => ({
    file,
    workflow: read(file) as Workflow,
    registry: /^# registry: (\S+)$/m.exec(textOf(file))?.[1],
  }))
  .filter(({ workflow }) => workflow.outputs === undefined);

/** A workflow whose names all begin with a prefix, but for those of the registry. */
function prefixed({ workflow, registry }: Example, prefix: string): Workflow {
  const nodes = new Set(workflow.nodes.map(({ node_id }) => node_id));
  const own = new Set((workflow.actions ?? []).map(({ action_id }) => action_id));
  const renamed = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map(item => renamed(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renamed(item, name)]));
    if (typeof value !== 'string') return value;
    if (['node_id', 'from_node', 'to_node'].includes(key)) return prefix + value;
    if (key === 'action_id') return prefix + value;
    if (['action_def', 'compensate_ref', 'revert', 'compensation'].includes(key))
      return registry === undefined || own.has(value.replace(/@.*/, '')) ? prefix + value : value;
    const paths = value.replaceAll(/\bnodes\.(\w+)/g, `nodes.${prefix}$1`);
    return key === 'expression' && nodes.size === 0 ? value : paths;
  };
  const body = renamed({ nodes: workflow.nodes, edges: workflow.edges, actions: workflow.actions ?? [] });
  const text = JSON.stringify(body).replaceAll(/\binputs\.(\w+)/g, `inputs.${prefix}$1`);
  const { nodes: list, edges, actions } = JSON.parse(text) as { nodes: Node[]; edges: Edge[]; actions: Action[] };
  const inputs = Object.fromEntries(Object.entries(workflow.inputs ?? {}).map(([name, it]) => [prefix + name, it]));
  // The conditions of actions read their own inputs, which keep their names.
  const kept = actions.map((action, at) => ({ ...action, ...conditionsOf(workflow.actions?.[at]) }));
  return { ...workflow, nodes: list, edges, actions: kept, inputs };
}

function conditionsOf(action: Action | undefined): Partial<Action> {
  const { preconditions, postconditions, success_condition } = action ?? {};
  return {
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(postconditions === undefined ? {} : { postconditions }),
    ...(success_condition === undefined ? {} : { success_condition }),
  };
}

/** Both side by side, below a node that starts them. */
function together(parts: readonly Workflow[]): Workflow {
  const starts = parts.map(({ workflow, nodes, edges }) => {
    if (workflow.start !== undefined) return nodes.find(node => node.node_id.endsWith(`_${workflow.start}`))?.node_id;
    return nodes.find(({ node_id }) => !edges.some(({ to_node }) => to_node === node_id))?.node_id;
  });
  const fork: Node = { node_id: 'fork', type: 'condition', expression: 'inputs.first' };
  const all = parts.flatMap(({ nodes }) => nodes);
  const arcs = starts.map(
    (start, at): Edge => ({
      from_node: 'fork',
      to_node: start ?? '',
      label: at === starts.length - 1 ? 'default' : 'one',
    }),
  );
  return {
    schema_version: '1.0',
    workflow: { name: 'pair', version: '1.0.0', start: 'fork' },
    inputs: Object.assign({ first: { schema: { type: 'string' } } }, ...parts.map(({ inputs }) => inputs)),
    actions: parts.flatMap(({ actions }) => actions ?? []),
    nodes: [fork, ...all],
    edges: [...arcs, ...parts.flatMap(({ edges }) => edges)],
  };
}

/** The registry with a plain definition of every action that an example without one leaves to it. */
function registryOf(examples: readonly Example[], parts: readonly Workflow[]): Registry | undefined {
  const path = examples.find(({ registry }) => registry !== undefined)?.registry;
  if (path === undefined) return undefined;
  const registry = read(path) as Registry;
  const plain = parts
    .filter((_, at) => examples[at]?.registry === undefined)
    .flatMap(({ nodes, actions = [] }) => {
      const own = new Set(actions.map(({ action_id }) => action_id));
      const named = nodes.flatMap(node => (node.type === 'action' ? [node.action_def.replace(/@.*/, '')] : []));
      return named.filter(name => !own.has(name));
    });
  const actions = [...new Set(plain)].map(
    (action_id): Action => ({
      action_id,
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'rollbackable',
      side_effects: [],
    }),
  );
  return { ...registry, actions: [...(registry.actions ?? []), ...actions] };
}

/** The findings as rule, node and kind; without an order of the nodes the kind depends on what could be evaluated. */
function found(document: Workflow, registry: Registry | undefined, ordered: boolean): string[] {
  const { findings } = verify(document, registry);
  return findings
    .map(finding => `${finding.rule} ${finding.node_id} ${ordered ? kindsOf(finding).map(({ id }) => id) : ''}`)
    .sort();
}

/** Where these are, what comes before what is not known, and some rules are not evaluated in part. */
const WITHOUT_ORDER =
  /^s1-|^unreachable-(?:pair|self-loop)|^s5-(?:missing-|repeated-node|unknown-label|condition-always|boolean-condition-label)/;

/** Beside an edge to no node, a branch that nothing leads to may be where that edge was meant to lead, and is judged. */
const hides = (one: Example, other: Example): boolean =>
  one.file === 's5-missing-target.yaml' && other.file.startsWith('s2-unreachable');

describe('two defects in one document', () => {
  it('are two findings', () => {
    let pairs = 0;
    let exact = 0;
    const alone = new Map<string, string[]>();
    const first = examples.map(example => prefixed(example, 'a_'));
    const second = examples.map(example => prefixed(example, 'b_'));
    for (const [at, one] of examples.entries()) {
      for (const [distance, other] of examples.slice(at + 1).entries()) {
        if (hides(one, other) || hides(other, one)) continue;
        if (one.registry !== undefined && other.registry !== undefined && one.registry !== other.registry) continue;
        const parts = [first[at], second[at + 1 + distance]] as Workflow[];
        const registry = registryOf([one, other], parts);
        const ordered = ![one, other].some(({ file }) => WITHOUT_ORDER.test(file));
        const expected = parts
          .flatMap((part, index) => {
            const key = JSON.stringify([index, [one, other][index]?.file, ordered, one.registry ?? other.registry]);
            const known = alone.get(key) ?? found(together([part]), registry, ordered);
            alone.set(key, known);
            return known;
          })
          .sort();
        const both = found(together(parts), registry, ordered);
        pairs++;
        const title = `${one.file} and ${other.file}`;
        if (!ordered) {
          const left = [...expected];
          for (const finding of both) {
            const index = left.indexOf(finding);
            expect(index, `${title}: ${finding}`).toBeGreaterThanOrEqual(0);
            left.splice(index, 1);
          }
          continue;
        }
        exact++;
        expect(both, title).toEqual(expected);
      }
    }
    expect(exact).toBeGreaterThan(1000);
    expect(pairs).toBeGreaterThan(exact);
  });
});
