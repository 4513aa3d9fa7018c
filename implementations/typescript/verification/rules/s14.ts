import type { SkillNode, Workflow } from '../../../../schemas/types.js';
import { buildGraph, type Graph } from '../../workflow/graph.js';
import { workflowKey } from '../../workflow/resolve.js';
import { SKILL } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { compareNames, type FindingDraft, type Rule } from '../rule.js';
import { findComponents } from '../structure.js';
import { unknownSkills } from './s12.js';

/** S14: no workflow contains itself. @requirement S14 */
export const s14: Rule = {
  id: 'S14',
  severity: 'blocking',
  requirement: 'The graph of skills, through the registry, has no cycle.',
  why: 'A workflow that runs itself never ends.',
  help: 'Take one of these skills out of the workflow that uses it.',
  kinds: [
    {
      id: 'contains-itself',
      summary: 'a workflow that contains itself',
      message: /^The skill ".*" makes the workflow contain itself: /,
    },
    {
      id: 'leads-to-cycle',
      summary: 'a skill that contains itself',
      message: /^The skill ".*" leads to a workflow that contains itself: /,
    },
  ],
  failing: `nodes:
  - { node_id: again, type: skill, workflow_ref: example@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: again, to_node: done, label: success }
`,
  passing: `nodes:
  - { node_id: bill, type: skill, workflow_ref: invoice@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: bill, to_node: done, label: success }
`,
  check(context) {
    const self = context.input.workflow;
    if (self === undefined) return { findings: [], notEvaluated: 'the document does not fit its schema' };
    const uses = followSkills(context, self);
    const findings = cyclesOf(uses.edges).map(cycle => findingOf(context, self, uses.entry, cycle));
    return uses.unknown.length === 0 ? { findings } : { findings, notEvaluated: unknownSkills(context, uses.unknown) };
  },
};

interface SkillUses {
  /** From one workflow to another, both as name@version. */
  readonly edges: readonly { from_node: string; to_node: string; label: string }[];
  /** For each workflow the node of the document through which it is reached first. */
  readonly entry: ReadonlyMap<string, number>;
  readonly unknown: readonly string[];
}

function followSkills(context: VerificationContext, self: Workflow): SkillUses {
  const edges: { from_node: string; to_node: string; label: string }[] = [];
  const entry = new Map<string, number>();
  const unknown = new Set<string>();
  const own: [number, string][] = [];
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.columns.type[node] !== SKILL || context.judged[node] === 0) continue;
    own.push([node, (context.node(node) as SkillNode).workflow_ref]);
  }
  const name = (node: number): string => context.node(node).node_id;
  own.sort(([a], [b]) => compareNames(name(a), name(b)));
  for (const [node, reference] of own) {
    const open = [{ user: self, reference }];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const skill = context.skills.resolve(at.reference);
      if (skill === undefined) {
        unknown.add(at.reference);
        continue;
      }
      const key = workflowKey(skill);
      edges.push({ from_node: workflowKey(at.user), to_node: key, label: at.reference });
      if (entry.has(key)) continue;
      entry.set(key, node);
      if (skill === self) continue;
      for (const inner of skill.nodes) {
        if (inner.type === 'skill') open.push({ user: skill, reference: inner.workflow_ref });
      }
    }
  }
  return { edges, entry, unknown: [...unknown].sort() };
}

/** The shortest cycle through the smallest name of each component with a cycle. */
function cyclesOf(edges: SkillUses['edges']): string[][] {
  const names = [...new Set(edges.flatMap(({ from_node, to_node }) => [from_node, to_node]))].sort();
  const graph = buildGraph({ nodes: names.map(node_id => ({ node_id })), edges });
  const components = findComponents(graph);
  const cycles: string[][] = [];
  const told = new Set<number>();
  for (let node = 0; node < graph.nodeCount; node++) {
    const component = components.of[node] as number;
    if (components.cyclic[component] === 0 || told.has(component)) continue;
    told.add(component);
    cycles.push(shortestCycle(graph, node).map(at => names[at] as string));
  }
  return cycles;
}

function shortestCycle(graph: Graph, start: number): number[] {
  const parent = new Map<number, number>([[start, -1]]);
  const queue = [start];
  for (const node of queue) {
    const targets: number[] = [];
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++)
      targets.push(graph.target[graph.outEdges[at] as number] as number);
    if (targets.includes(start)) {
      const path: number[] = [];
      for (let at = node; at !== -1; at = parent.get(at) ?? -1) path.push(at);
      return path.reverse();
    }
    for (const target of targets.sort((a, b) => a - b)) {
      if (parent.has(target)) continue;
      parent.set(target, node);
      queue.push(target);
    }
  }
  return [start];
}

function findingOf(
  context: VerificationContext,
  self: Workflow,
  entry: SkillUses['entry'],
  cycle: readonly string[],
): FindingDraft {
  const own = cycle.indexOf(workflowKey(self));
  const turned = own < 0 ? cycle : [...cycle.slice(own), ...cycle.slice(0, own)];
  const next = turned[own < 0 ? 0 : 1 % turned.length] ?? '';
  const node = entry.get(next) ?? 0;
  const text = [...turned, turned[0]].map(name => `"${name}"`).join(' → ');
  const what = own < 0 ? 'leads to a workflow that contains itself' : 'makes the workflow contain itself';
  return {
    node_id: context.node(node).node_id,
    pointer: `${context.nodePointer(node)}/workflow_ref`,
    message: `The skill "${context.node(node).node_id}" ${what}: ${text}`,
    related: [],
    help: s14.help,
  };
}
