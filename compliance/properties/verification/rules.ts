import type { Property } from '../../runner/property.js';
import { chain, choice, diamond, draw } from '../drawn.js';
import { type RuleProperty, ruleProperty } from './rule-property.js';

const NONE = {};
const back = { from_node: 'c', to_node: 'b', label: 'success' };

/** A chain of three whose last node leads back to the second, or not. */
function looped(closed: boolean) {
  return draw({
    edges: ['a success b', 'b success c', 'c success done', ...(closed ? ['c success b'] : [])],
    nodes: { b: { join_type: 'OR' }, c: { fan_out: 'parallel' } },
    script: NONE,
  }).workflow;
}

/** A choice whose two branches meet in a join of that type. */
function met(join_type: 'AND' | 'OR' | undefined) {
  const { workflow } = choice(true);
  const nodes = workflow.nodes.map(node => {
    if (node.node_id !== 'done') return node;
    const { join_type: _old, ...rest } = node;
    return join_type === undefined ? rest : { ...rest, join_type };
  });
  return { ...workflow, nodes };
}

/** A chain of two that ends in a terminal, or in nothing. */
function ended(terminal: boolean) {
  const { workflow } = chain(2);
  if (terminal) return workflow;
  return {
    ...workflow,
    nodes: workflow.nodes.filter(({ node_id }) => node_id !== 'done'),
    edges: workflow.edges.filter(({ to_node }) => to_node !== 'done'),
  };
}

/** A second node without in-edges that leads to the same end, or the chain alone. */
function sources(second: boolean) {
  return draw({
    edges: ['a success done', ...(second ? ['b success done'] : [])],
    nodes: { done: { join_type: 'OR' } },
    script: NONE,
  }).workflow;
}

/** A split that says so, or does not. */
function split(declared: boolean) {
  const { workflow } = diamond('AND');
  if (declared) return workflow;
  const nodes = workflow.nodes.map(node => {
    if (node.node_id !== 'a' || node.type !== 'action') return node;
    const { fan_out: _none, ...rest } = node;
    return rest;
  });
  return { ...workflow, nodes };
}

const DEFINITIONS: readonly RuleProperty[] = [
  {
    rule: 'S1',
    title: 'a cycle is found, with the edge that closes it',
    control: { title: 'an edge leads back', case: { rule: 'S1', workflow: looped(true), nodes: ['b'], edges: [back] } },
    twin: { title: 'without that edge nothing is found', workflow: looped(false) },
  },
  {
    rule: 'S2',
    title: 'a node that can never be executed is found',
    control: {
      title: 'an AND join of two branches of one choice',
      case: { rule: 'S2', workflow: met('AND'), nodes: ['done'] },
    },
    twin: { title: 'as an OR join it can be reached', workflow: met('OR') },
  },
  {
    rule: 'S3',
    title: 'a path that leads to no end is found at its frontier',
    control: { title: 'the last action has no out-edge', case: { rule: 'S3', workflow: ended(false), nodes: ['n2'] } },
    twin: { title: 'with a terminal behind it nothing is found', workflow: ended(true) },
  },
  {
    rule: 'S4',
    title: 'a workflow without exactly one start is found',
    control: { title: 'two nodes have no in-edge', case: { rule: 'S4', workflow: sources(true) } },
    twin: { title: 'with one of them nothing is found', workflow: sources(false) },
  },
  {
    rule: 'S5',
    title: 'edges whose labels do not fit their source are found',
    control: { title: 'a split that is not declared', case: { rule: 'S5', workflow: split(false), nodes: ['a'] } },
    twin: { title: 'declared with fan_out nothing is found', workflow: split(true) },
  },
  {
    rule: 'S6',
    title: 'a join that is not declared is warned of',
    control: {
      title: 'two in-edges without join_type',
      case: { rule: 'S6', workflow: met(undefined), nodes: ['done'] },
    },
    twin: { title: 'declared as OR nothing is found', workflow: met('OR') },
  },
];

/** For each rule: the planted defect is found, blamed on the right rule and place, and nothing else is. */
export const RULE_PROPERTIES: readonly Property[] = DEFINITIONS.map(definition => ruleProperty(definition));
