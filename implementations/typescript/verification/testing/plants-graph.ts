import type { Site } from './site.js';

/** A defect: its rule and kind, and how it is planted; `plant` gives the pointer of the finding, undefined where it does not fit. */
export interface Plant {
  readonly rule: string;
  readonly kind: string;
  readonly plant: (site: Site) => string | undefined;
}

/** Defects of the graph: S1 to S6, and S15. */
export const GRAPH_PLANTS: readonly Plant[] = [
  {
    rule: 'S1',
    kind: 'cycle',
    plant(site) {
      const first = site.condition('inputs.urgent', { join_type: 'OR' });
      const second = site.pass();
      const forth = site.edge(first, second, 'false');
      const back = site.edge(second, first, 'default');
      site.between(first, first, 'true');
      // The edge that closes the cycle leads into its smallest node.
      return first < second ? back : forth;
    },
  },
  {
    rule: 'S1',
    kind: 'no-exit',
    plant(site) {
      const loop = site.pass({ join_type: 'OR' });
      const back = site.edge(loop, loop, 'default');
      site.aside(loop);
      return back;
    },
  },
  {
    rule: 'S2',
    kind: 'unreachable',
    plant(site) {
      site.workflow.workflow.start = site.start;
      const lost = site.pass();
      site.end(lost, 'default');
      return site.pointer(lost);
    },
  },
  {
    rule: 'S2',
    kind: 'impossible-join',
    plant(site) {
      const [choice, left, right, join] = [
        site.condition(),
        site.pass(),
        site.pass(),
        site.action({ join_type: 'AND' }),
      ];
      site.edge(choice, left, 'true');
      site.edge(choice, right, 'false');
      site.edge(left, join, 'default');
      site.edge(right, join, 'default');
      site.between(choice, join);
      return site.pointer(join);
    },
  },
  {
    rule: 'S3',
    kind: 'dead-end',
    plant(site) {
      const [step, error] = [site.action(), site.add({ type: 'error', handling: 'rollback' })];
      (site.edges.at(-1) as { to_node: string }).to_node = error;
      site.between(step);
      return site.pointer(error);
    },
  },
  {
    rule: 'S3',
    kind: 'failure-only',
    plant(site) {
      const step = site.action();
      site.aside(step);
      return site.pointer(step);
    },
  },
  {
    rule: 'S4',
    kind: 'empty',
    plant({ nodes, edges, workflow }) {
      nodes.length = 0;
      edges.length = 0;
      workflow.outputs = {};
      return '/nodes';
    },
  },
  {
    rule: 'S4',
    kind: 'unknown-start',
    plant(site) {
      site.workflow.workflow.start = `${site.start}-not`;
      return '/workflow/start';
    },
  },
  {
    rule: 'S4',
    kind: 'entered-start',
    plant(site) {
      const step = site.action();
      site.between(step);
      site.workflow.workflow.start = step;
      return '/workflow/start';
    },
  },
  {
    rule: 'S4',
    kind: 'several-starts',
    plant(site) {
      site.nodes.push({ node_id: '!second', type: 'terminal', status: 'compensated' });
      return site.pointer('!second');
    },
  },
  {
    rule: 'S5',
    kind: 'repeated-node-id',
    plant(site) {
      const step = site.action();
      site.between(step);
      site.nodes.push({ node_id: step, type: 'terminal', status: 'compensated' });
      return `/nodes/${site.nodes.length - 1}`;
    },
  },
  {
    rule: 'S5',
    kind: 'missing-source',
    plant(site) {
      const end = site.add({ type: 'terminal', status: 'compensated' });
      return `${site.edge('nowhere', end, 'success')}/from_node`;
    },
  },
  {
    rule: 'S5',
    kind: 'missing-target',
    plant(site) {
      site.aside('nowhere');
      return `/edges/${site.edges.findIndex(({ to_node }) => to_node === 'nowhere')}/to_node`;
    },
  },
  {
    rule: 'S5',
    kind: 'repeated-edge',
    plant(site) {
      const { from_node, to_node, label } = site.pick(site.edges);
      return site.edge(from_node, to_node, label);
    },
  },
  {
    rule: 'S5',
    kind: 'edge-after-terminal',
    plant(site) {
      const terminal = site.pick(site.nodes.filter(({ type }) => type === 'terminal'));
      const end = site.add({ type: 'terminal', status: 'compensated' });
      return site.edge(terminal.node_id, end, 'success');
    },
  },
  {
    rule: 'S5',
    kind: 'edge-after-fail',
    plant(site) {
      const error = site.nodes.find(node => node.type === 'error' && node.handling === 'fail')?.node_id ?? '';
      const end = site.add({ type: 'terminal', status: 'compensated' });
      return site.edge(error, end, 'success');
    },
  },
  {
    rule: 'S5',
    kind: 'unknown-label',
    plant(site) {
      const step = site.action();
      site.between(step, step, 'done');
      return `/edges/${site.edges.length - 1}/label`;
    },
  },
  {
    rule: 'S5',
    kind: 'two-failure-edges',
    plant(site) {
      const step = site.action();
      site.nodes.push({ node_id: '\uffee', type: 'error', handling: 'fail' });
      const second = site.edge(step, '\uffee', 'failure');
      site.between(step);
      return second;
    },
  },
  {
    rule: 'S5',
    kind: 'undeclared-fan-out',
    plant(site) {
      const step = site.action();
      site.end(step, site.pick(['success', 'always']));
      site.between(step);
      return site.pointer(step);
    },
  },
  {
    rule: 'S5',
    kind: 'retry-of-two-nodes',
    plant(site) {
      const [first, second] = [site.action(), site.action()];
      const retry = site.add({ type: 'error', handling: 'retry', join_type: 'OR' });
      for (const edge of site.edges) if (edge.from_node === first || edge.from_node === second) edge.to_node = retry;
      site.fails(retry);
      site.end(retry);
      site.edge(first, second, 'success');
      site.between(first, second);
      return site.pointer(retry);
    },
  },
  {
    rule: 'S5',
    kind: 'failure-without-error-node',
    plant(site) {
      const step = site.action();
      const at = site.edges.length - 1;
      const end = site.add({ type: 'terminal', status: 'compensated' });
      (site.edges[at] as { to_node: string }).to_node = end;
      site.between(step);
      return `/edges/${at}`;
    },
  },
  {
    rule: 'S5',
    kind: 'success-to-error-node',
    plant(site) {
      const error = site.add({ type: 'error', handling: 'fail' });
      const condition = site.aside(error);
      return `/edges/${site.edges.findIndex(({ from_node, to_node }) => from_node === condition && to_node === error)}`;
    },
  },
  {
    rule: 'S5',
    kind: 'boolean-condition-label',
    plant(site) {
      const condition = site.condition();
      const end = site.add({ type: 'terminal', status: 'compensated' });
      site.edge(condition, end, 'default');
      const other = site.add({ type: 'terminal', status: 'compensated' });
      const wrong = site.edge(condition, other, 'yes');
      site.between(condition, condition, 'true');
      return `${wrong}/label`;
    },
  },
  {
    rule: 'S5',
    kind: 'condition-always',
    plant(site) {
      const condition = site.pass();
      const end = site.add({ type: 'terminal', status: 'compensated' });
      const wrong = site.edge(condition, end, 'always');
      site.between(condition, condition, 'default');
      return `${wrong}/label`;
    },
  },
  {
    rule: 'S5',
    kind: 'condition-fan-out',
    plant(site) {
      const condition = site.pass();
      site.nodes.push({ node_id: '\uffee', type: 'terminal', status: 'compensated' });
      const second = site.edge(condition, '\uffee', 'default');
      site.between(condition, condition, 'default');
      return second;
    },
  },
  {
    rule: 'S5',
    kind: 'condition-without-edges',
    plant(site) {
      const condition = site.pass();
      site.aside(condition);
      return site.pointer(condition);
    },
  },
  {
    rule: 'S5',
    kind: 'boolean-condition-half',
    plant(site) {
      const condition = site.condition();
      site.between(condition, condition, site.pick(['true', 'false', 'default']));
      return site.pointer(condition);
    },
  },
  {
    rule: 'S5',
    kind: 'boolean-condition-half',
    plant(site) {
      const condition = site.pass();
      site.between(condition, condition, 'one');
      return site.pointer(condition);
    },
  },
  {
    rule: 'S6',
    kind: 'undeclared-join',
    plant(site) {
      const [condition, join] = [site.condition(), site.action()];
      site.edge(condition, join, 'true');
      site.edge(condition, join, 'false');
      site.between(condition, join);
      return site.pointer(join);
    },
  },
  {
    rule: 'S6',
    kind: 'or-join-of-parallel-branches',
    plant(site) {
      const fork = site.action({ fan_out: 'parallel' });
      const join = site.action({ join_type: 'OR' });
      for (const branch of [site.pass(), site.pass()]) {
        site.edge(fork, branch, 'success');
        site.edge(branch, join, 'default');
      }
      site.between(fork, join);
      return site.pointer(join);
    },
  },
  {
    rule: 'S15',
    kind: 'unhandled',
    plant(site) {
      const step = site.action();
      site.edges.pop();
      site.between(step);
      return site.pointer(step);
    },
  },
  {
    rule: 'S15',
    kind: 'unhandled-skill',
    plant(site) {
      const step = site.skill();
      site.edges.pop();
      site.between(step);
      return site.pointer(step);
    },
  },
];
