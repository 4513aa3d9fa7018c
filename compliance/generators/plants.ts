import type { Edge } from '../../schemas/types.js';
import type { Port } from './build.js';
import type { Defect } from './defects.js';
import { port, type Site } from './site.js';

/** What a planting says of the defect that it has made. */
export interface Place {
  readonly node_id?: string;
  readonly edge?: Edge;
  /** Overrides the start of the workflow; null leaves it out. */
  readonly start?: string | null;
  /** Leaves nothing of the workflow. */
  readonly empty?: true;
}

/** Builds one defect behind an open edge of a sound workflow, and ends every path that it opens. */
export type Plant = (site: Site, from: Port) => Place;

function smaller(a: string, b: string): string {
  return a < b ? a : b;
}

/** Two arms of a choice on the input flag, an action in each. */
function twoArms(site: Site, from: Port): { condition: string; arms: [Port, Port] } {
  const condition = site.condition(from);
  const arms = ['true', 'false'].map(label => site.action(port(condition, label, from)));
  return { condition, arms: arms as [Port, Port] };
}

/** How each defect is planted. */
export const PLANTS: readonly { rule: Defect['rule']; name: string; plant: Plant }[] = [
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
