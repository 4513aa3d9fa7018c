import * as fc from 'fast-check';
import type { Edge, ErrorNode, Node, Workflow } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { type Block, series } from './blocks.js';
import { Builder, type Frontier, type Port, type Surroundings } from './build.js';
import { surroundings } from './workflows.js';

/** A defect of form that one rule, and only that rule, has to find once. */
export interface Defect {
  readonly rule: 'S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'S6';
  /** What is wrong, in two or three words; unique. */
  readonly name: string;
  readonly severity: 'blocking' | 'warning';
  /** The node that the finding has to name, where it is about one. */
  readonly node_id?: string;
  /** The edge that the finding has to name, where it is about one. */
  readonly edge?: Edge;
}

/** A program that is valid but for one planted defect. */
export interface Planted {
  readonly program: Program;
  readonly defect: Defect;
}

/** What a planting says of the defect that it has made. */
interface Place {
  readonly node_id?: string;
  readonly edge?: Edge;
  /** Overrides the start of the workflow; null leaves it out. */
  readonly start?: string | null;
  /** Leaves nothing of the workflow. */
  readonly empty?: true;
}

/** Builds one defect behind an open edge of a sound workflow, and ends every path that it opens. */
type Plant = (site: Site, from: Port) => Place;

/** Making nodes and edges by hand. */
class Site {
  readonly builder: Builder;

  constructor(builder: Builder) {
    this.builder = builder;
  }

  action(...ins: Port[]): Port {
    return this.builder.plain(frontier(ins));
  }

  terminal(ins: readonly Port[], join: 'AND' | 'OR' = 'OR'): string {
    return this.builder.terminal('completed', { ports: ins, join });
  }

  condition(from: Port, expression = this.builder.use('flag')): string {
    const node_id = this.builder.name();
    this.builder.place({ node_id, type: 'condition', expression }, frontier([from]));
    return node_id;
  }

  error(handling: ErrorNode['handling'], ins: readonly Port[]): string {
    const node_id = this.builder.name();
    this.builder.place({ node_id, type: 'error', handling }, frontier(ins));
    return node_id;
  }

  edge(from_node: string, label: string, to_node: string): Edge {
    const edge = { from_node, to_node, label };
    this.builder.edges.push(edge);
    return edge;
  }

  /** Changes fields of a node that exists. */
  alter(node_id: string, change: (node: Node) => Node): void {
    const at = this.builder.nodes.findIndex(node => node.node_id === node_id);
    const node = this.builder.nodes[at];
    if (node !== undefined) this.builder.nodes[at] = change(node);
  }

  fanOut(node_id: string): void {
    this.alter(node_id, node => ({ ...node, fan_out: 'parallel' }) as Node);
  }

  join(node_id: string, join_type: 'AND' | 'OR' | undefined): void {
    this.alter(node_id, node => {
      const { join_type: _, ...rest } = node;
      return (join_type === undefined ? rest : { ...rest, join_type }) as Node;
    });
  }
}

function frontier(ports: readonly Port[]): Frontier {
  return { ports, join: 'OR' };
}

function port(from: string, label: string, like: Port): Port {
  return { ...like, from, label };
}

function smaller(a: string, b: string): string {
  return a < b ? a : b;
}

/** Two arms of a choice on the input flag, an action in each. */
function twoArms(site: Site, from: Port): { condition: string; arms: [Port, Port] } {
  const condition = site.condition(from);
  const arms = ['true', 'false'].map(label => site.action(port(condition, label, from)));
  return { condition, arms: arms as [Port, Port] };
}

const PLANTS: readonly { rule: Defect['rule']; name: string; plant: Plant }[] = [
  {
    rule: 'S1',
    name: 'cycle',
    plant: (site, from) => {
      const a = site.action(from);
      const b = site.action(a);
      const condition = site.condition(b);
      site.terminal([port(condition, 'true', from)]);
      site.edge(condition, 'false', a.from);
      site.join(a.from, 'OR');
      const first = [a.from, b.from, condition].reduce(smaller);
      return { edge: site.builder.edges.find(edge => edge.to_node === first && edge.from_node !== from.from) as Edge };
    },
  },
  {
    rule: 'S1',
    name: 'self-loop',
    plant: (site, from) => {
      const condition = site.condition(from);
      site.terminal([port(condition, 'true', from)]);
      site.join(condition, 'OR');
      return { edge: site.edge(condition, 'false', condition) };
    },
  },
  {
    rule: 'S2',
    name: 'unreachable node',
    plant: (site, from) => {
      site.terminal([from]);
      const island = site.action();
      site.terminal([site.action(island)]);
      return { node_id: island.from, start: site.builder.nodes[0]?.node_id ?? '' };
    },
  },
  {
    rule: 'S2',
    name: 'impossible AND join behind arms',
    plant: (site, from) => {
      const { arms } = twoArms(site, from);
      const join = site.action(...arms);
      site.join(join.from, 'AND');
      site.terminal([join]);
      return { node_id: join.from };
    },
  },
  {
    rule: 'S2',
    name: 'impossible AND join at once',
    plant: (site, from) => {
      const condition = site.condition(from);
      const join = site.action(port(condition, 'true', from), port(condition, 'false', from));
      site.join(join.from, 'AND');
      site.terminal([join]);
      return { node_id: join.from };
    },
  },
  {
    rule: 'S3',
    name: 'dead end',
    plant: (site, from) => {
      const { arms } = twoArms(site, from);
      site.terminal([arms[0]]);
      return { node_id: arms[1].from };
    },
  },
  {
    rule: 'S3',
    name: 'failure edge only',
    plant: (site, from) => {
      const a = site.action(from);
      site.error('fail', [port(a.from, 'failure', from)]);
      return { node_id: a.from };
    },
  },
  {
    rule: 'S4',
    name: 'two starts',
    plant: (site, from) => {
      site.terminal([from]);
      site.terminal([site.action()]);
      return { start: null };
    },
  },
  {
    rule: 'S4',
    name: 'start that does not exist',
    plant: (site, from) => {
      site.terminal([from]);
      return { start: 'nowhere' };
    },
  },
  {
    rule: 'S4',
    name: 'start with an in-edge',
    plant: (site, from) => {
      site.terminal([from]);
      const start = site.builder.nodes[0]?.node_id ?? '';
      site.edge(site.action().from, 'success', start);
      return { start };
    },
  },
  { rule: 'S4', name: 'empty graph', plant: () => ({ start: null, empty: true }) },
  {
    rule: 'S5',
    name: 'unknown label of an action',
    plant: (site, from) => {
      const a = site.action(from);
      site.terminal([a]);
      const to = site.terminal([]);
      return { edge: site.edge(a.from, 'okay', to) };
    },
  },
  {
    rule: 'S5',
    name: 'unknown label of a boolean condition',
    plant: (site, from) => {
      const { condition, arms } = twoArms(site, from);
      for (const arm of arms) site.terminal([arm]);
      return { edge: site.edge(condition, 'maybe', site.terminal([])) };
    },
  },
  {
    rule: 'S5',
    name: 'duplicate edge',
    plant: (site, from) => {
      const a = site.action(from);
      const to = site.terminal([a]);
      site.join(to, 'AND');
      return { edge: site.edge(a.from, 'success', to) };
    },
  },
  {
    rule: 'S5',
    name: 'edge to nowhere',
    plant: (site, from) => {
      const condition = site.condition(from);
      site.terminal([port(condition, 'true', from)]);
      return { edge: site.edge(condition, 'false', 'nowhere') };
    },
  },
  {
    rule: 'S5',
    name: 'edge from nowhere',
    plant: (site, from) => {
      const to = site.terminal([from]);
      site.join(to, 'OR');
      return { edge: site.edge('nowhere', 'success', to) };
    },
  },
  {
    rule: 'S5',
    name: 'undeclared fan-out',
    plant: (site, from) => {
      const a = site.action(from);
      for (const arm of [site.action(a), site.action(a)]) site.terminal([arm]);
      return { node_id: a.from };
    },
  },
  {
    rule: 'S5',
    name: 'undeclared fan-out of success and always',
    plant: (site, from) => {
      const a = site.action(from);
      for (const arm of [site.action(a), site.action(port(a.from, 'always', a))]) site.terminal([arm]);
      return { node_id: a.from };
    },
  },
  {
    rule: 'S5',
    name: 'string condition without default',
    plant: (site, from) => {
      const condition = site.condition(from, site.builder.use('word'));
      for (const label of ['x', 'y']) site.terminal([port(condition, label, from)]);
      return { node_id: condition };
    },
  },
  {
    rule: 'S5',
    name: 'boolean condition with one label',
    plant: (site, from) => {
      const condition = site.condition(from);
      site.terminal([port(condition, 'true', from)]);
      return { node_id: condition };
    },
  },
  {
    rule: 'S5',
    name: 'duplicate node_id',
    plant: (site, from) => {
      const a = site.action(from);
      site.terminal([a]);
      const node = site.builder.nodes.find(({ node_id }) => node_id === a.from);
      if (node !== undefined) site.builder.nodes.push({ ...node });
      return { node_id: a.from };
    },
  },
  {
    rule: 'S5',
    name: 'duplicate action',
    plant: (site, from) => {
      site.terminal([site.action(from)]);
      const last = site.builder.actions.at(-1);
      if (last !== undefined) site.builder.actions.push({ ...last });
      return {};
    },
  },
  {
    rule: 'S5',
    name: 'two failure edges',
    plant: (site, from) => {
      const a = site.action(from);
      site.fanOut(a.from);
      site.terminal([a]);
      for (let made = 0; made < 2; made += 1) site.error('fail', [port(a.from, 'failure', from)]);
      return { node_id: a.from };
    },
  },
  {
    rule: 'S5',
    name: 'failure edge to an action',
    plant: (site, from) => {
      const a = site.action(from);
      site.terminal([a]);
      const other = site.action(port(a.from, 'failure', from));
      site.terminal([other]);
      return { edge: { from_node: a.from, to_node: other.from, label: 'failure' } };
    },
  },
  {
    rule: 'S5',
    name: 'success edge to an error node',
    plant: (site, from) => {
      const a = site.action(from);
      const to = site.error('fail', [a]);
      return { edge: { from_node: a.from, to_node: to, label: 'success' } };
    },
  },
  {
    rule: 'S5',
    name: 'terminal with an out-edge',
    plant: (site, from) => {
      const first = site.terminal([from]);
      return { edge: site.edge(first, 'success', site.terminal([])) };
    },
  },
  {
    rule: 'S5',
    name: 'failing error node with an out-edge',
    plant: (site, from) => {
      const a = site.action(from);
      site.terminal([a]);
      const error = site.error('fail', [port(a.from, 'failure', from)]);
      return { edge: site.edge(error, 'success', site.terminal([])) };
    },
  },
  {
    rule: 'S5',
    name: 'retry with two in-edges',
    plant: (site, from) => {
      const a = site.action(from);
      const b = site.action(a);
      const error = site.error('retry', [port(a.from, 'failure', from), port(b.from, 'failure', from)]);
      site.terminal([b]);
      site.terminal([port(error, 'success', from)]);
      return { node_id: error };
    },
  },
  {
    rule: 'S6',
    name: 'join without join_type',
    plant: (site, from) => {
      const join = site.action(...twoArms(site, from).arms);
      site.join(join.from, undefined);
      site.terminal([join]);
      return { node_id: join.from };
    },
  },
  {
    rule: 'S6',
    name: 'OR join of parallel branches',
    plant: (site, from) => {
      const head = site.action(from);
      site.fanOut(head.from);
      const join = site.action(site.action(head), site.action(head));
      site.terminal([join]);
      return { node_id: join.from };
    },
  },
];

/** The names of all defects that can be planted, by rule. */
export const DEFECTS: readonly Pick<Defect, 'rule' | 'name'>[] = PLANTS.map(({ rule, name }) => ({ rule, name }));

/** Programs with exactly one planted defect, of one rule or of any. They shrink to the bare defect. */
export function planted(rule?: Defect['rule']): fc.Arbitrary<Planted> {
  const plants = PLANTS.filter(candidate => rule === undefined || candidate.rule === rule);
  const base = series({ calm: true, withoutOrFans: true, length: 2 });
  return fc
    .tuple(fc.constantFrom(...plants), base, surroundings)
    .map(([{ rule: broken, name, plant }, blocks, world]) => plantedIn(broken, name, plant, blocks, world));
}

function plantedIn(
  rule: Defect['rule'],
  name: string,
  plant: Plant,
  blocks: readonly Block[],
  world: Surroundings,
): Planted {
  const builder = new Builder({ ...world, outputs: [], inRegistry: false });
  const end = builder.series(blocks, { ports: [], join: 'OR' });
  const { start, empty, ...place } = plant(new Site(builder), builder.plain(end));
  const first = world.explicitStart ? builder.nodes[0]?.node_id : undefined;
  const program = builder.program(start === undefined ? first : (start ?? undefined));
  const defect: Defect = { rule, name, severity: rule === 'S6' ? 'warning' : 'blocking', ...place };
  return { program: empty === true ? { ...program, workflow: emptied(program.workflow) } : program, defect };
}

function emptied(workflow: Workflow): Workflow {
  return { ...workflow, nodes: [], edges: [] };
}
