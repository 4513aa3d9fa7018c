import type { Workflow } from '../../../schemas/types.js';
import { act, choose, end, error, follow, graph, line, type Parts, skill, step } from './pair.js';

/** A document in which something keeps rules from being evaluated, and the same without it. */
export interface LeftOut {
  readonly name: string;
  readonly parts: (hidden: boolean) => Parts;
  /** What cannot be put in parts; applied to the whole document. */
  readonly whole?: (workflow: Workflow) => object;
  /** The rules that have no finding and are not evaluated, in whole or in part. */
  readonly rules: readonly string[];
}

const OPEN = act('try');
const GAP = act('made', { rollback: 'compensatable', side_effects: ['repository'] });
const FINAL = act('final', { rollback: 'irreversible', side_effects: ['repository'] });
const FLAG = { inputs: { flag: { schema: { type: 'boolean' } } } };
const REST = ['S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8', 'S9', 'S10', 'S11', 'S12', 'S13', 'S14', 'S15', 'S16', 'S17'];
const EVERY = ['S1', ...REST];

/** A document with something for every rule to judge; its cycle, or what is in the place of one, is at the end. */
function circling(hidden: boolean): Parts {
  return graph(
    [
      step('do', 'made@1'),
      step('next', 'try@1', { input_mapping: { x: '${nodes.do.outputs}' } }),
      error('back', 'rollback'),
      choose('ask', 'inputs.flag'),
      step('one', 'try@1', { join_type: 'OR' }),
      choose('more', 'inputs.flag'),
      step('last', 'final@1', { irreversible: 'acknowledged' }),
    ],
    [
      ...follow(step('do', ''), 'next'),
      'next success ask',
      'next failure back',
      'back success stop',
      'back failure refused',
      'ask true one',
      'ask false last',
      'one success more',
      'one failure refused',
      'more true last',
      `more false ${hidden ? 'one' : 'stop'}`,
      ...follow(step('last', ''), 'done'),
    ],
    { ...FLAG, actions: [OPEN, { ...GAP, compensation: 'try@1' }, FINAL] },
  );
}

/** Every way in which the table of chapter 8 leaves something out, as far as one document shows it. */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    name: 'a field that no node has',
    parts: () => line([step('do', 'try@1')], { actions: [OPEN] }),
    whole: workflow => ({ ...workflow, nodes: workflow.nodes.map(node => ({ ...node, colour: 'red' })) }),
    rules: EVERY,
  },
  {
    name: 'a node whose name is a number',
    parts: () => line([step('do', 'try@1')], { actions: [OPEN] }),
    whole: workflow => ({
      ...workflow,
      nodes: [...workflow.nodes, { node_id: 5, type: 'terminal', status: 'completed' }],
    }),
    rules: EVERY,
  },
  {
    name: 'two nodes of one name',
    parts: hidden => {
      const parts = line([step('do', 'try@1')], { actions: [OPEN] });
      return hidden ? { ...parts, nodes: [...parts.nodes, end('done')] } : parts;
    },
    rules: EVERY.filter(rule => rule !== 'S5'),
  },
  {
    name: 'an action that nothing leads to',
    parts: hidden => {
      const parts = line([step('do', 'try@1'), step('lost', 'try@1')], { actions: [OPEN] });
      const cut = parts.edges.map(edge => (edge.to_node === 'lost' ? { ...edge, to_node: 'done' } : edge));
      const nodes = parts.nodes.map(node => (node.node_id === 'done' ? { ...node, join_type: 'OR' as const } : node));
      return hidden ? { ...parts, nodes, edges: cut } : parts;
    },
    whole: workflow => ({ ...workflow, workflow: { ...workflow.workflow, start: 'do' } }),
    rules: ['S3', 'S7', 'S8', 'S10', 'S15'],
  },
  { name: 'a cycle', parts: circling, rules: ['S2', 'S6'] },
  {
    name: 'a cycle, and a reference to a node',
    parts: hidden => {
      const parts = circling(hidden);
      const read = { input_mapping: { x: '${nodes.do.outputs}' } };
      return {
        ...parts,
        nodes: parts.nodes.map(node => (node.node_id === 'last' ? { ...node, ...read } : node)) as Parts['nodes'],
      };
    },
    rules: ['S8', 'S17'],
  },
  {
    name: 'a cycle, and an error node that could not compensate',
    parts: hidden => {
      const made = hidden ? GAP : { ...GAP, compensation: 'try@1' };
      return { ...circling(hidden), actions: [OPEN, made, FINAL] };
    },
    rules: ['S16'],
  },
  {
    name: 'a cycle that nothing enters',
    parts: hidden =>
      graph(
        [step('do', 'try@1'), choose('ask', 'inputs.flag')],
        ['do success ask', 'do failure refused', 'ask true done', `ask false ${hidden ? 'do' : 'stop'}`],
        { ...FLAG, actions: [OPEN] },
      ),
    rules: ['S4'],
  },
  {
    name: 'an edge to no node, and several sources',
    parts: hidden =>
      graph(
        [choose('ask', 'inputs.flag'), step('do', 'try@1')],
        ['ask true done', `ask false ${hidden ? 'nowhere' : 'do'}`, ...follow(step('do', ''), 'done')],
        { ...FLAG, actions: [OPEN] },
      ),
    rules: ['S4'],
  },
  {
    name: 'an edge to no node, and a named start among several sources',
    parts: hidden =>
      graph(
        [choose('ask', 'inputs.flag'), step('do', 'try@1')],
        ['ask true done', `ask false ${hidden ? 'nowhere' : 'do'}`, ...follow(step('do', ''), 'done')],
        { ...FLAG, actions: [OPEN] },
      ),
    whole: workflow => ({ ...workflow, workflow: { ...workflow.workflow, start: 'ask' } }),
    rules: ['S2'],
  },
  {
    name: 'a success edge from no node, and a node without one',
    parts: hidden =>
      graph(
        [step('do', 'try@1'), step('more', 'try@1')],
        [...follow(step('do', ''), 'more'), `${hidden ? 'ghost' : 'more'} success done`, 'more failure refused'],
        { actions: [OPEN] },
      ),
    rules: ['S3'],
  },
  {
    name: 'a failure edge from no node, and a node without one',
    parts: hidden =>
      graph([step('do', 'try@1')], ['do success done', `${hidden ? 'ghost' : 'do'} failure refused`], {
        actions: [OPEN],
      }),
    rules: ['S15'],
  },
  {
    name: 'two starts, and a reference to a node',
    parts: hidden =>
      graph(
        [
          step('do', 'try@1'),
          step('other', 'try@1'),
          step('more', 'try@1', { join_type: 'OR', input_mapping: { x: '${nodes.do.outputs ?? 0}' } }),
        ],
        [
          'do success more',
          'do failure refused',
          `other success ${hidden ? 'more' : 'stop'}`,
          'other failure refused',
          ...(hidden ? [] : ['more success other']),
          'more failure refused',
          ...(hidden ? ['more success done'] : []),
        ],
        { actions: [OPEN] },
      ),
    rules: ['S8', 'S6'],
  },
  {
    name: 'an edge to no node, and a reference to a node',
    parts: hidden =>
      graph(
        [
          step('do', 'try@1'),
          choose('ask', 'inputs.flag'),
          step('more', 'try@1', { input_mapping: { x: '${nodes.do.outputs}' } }),
        ],
        [
          ...follow(step('do', ''), 'ask'),
          'ask true more',
          `ask false ${hidden ? 'nowhere' : 'stop'}`,
          ...follow(step('more', ''), 'done'),
        ],
        { ...FLAG, actions: [OPEN] },
      ),
    rules: ['S8'],
  },
  {
    name: 'a label that no action has, and a reference to a node',
    parts: hidden =>
      graph(
        [
          step('do', 'try@1', { fan_out: 'parallel' }),
          step('more', 'try@1', { input_mapping: { x: '${nodes.do.outputs}' } }),
        ],
        [
          ...follow(step('do', ''), 'more'),
          `do ${hidden ? 'okay' : 'success'} stop`,
          ...follow(step('more', ''), 'done'),
        ],
        { actions: [OPEN] },
      ),
    rules: ['S8'],
  },
  {
    name: 'an action of which nothing is known',
    parts: hidden =>
      line(
        [step('do', hidden ? 'nowhere@1' : 'try@1', { retry_policy: { max_retries: 1 }, input_mapping: { x: 1 } })],
        {
          actions: [OPEN],
        },
      ),
    rules: ['S9', 'S10', 'S11', 'S17'],
  },
  {
    name: 'a skill of which nothing is known',
    parts: hidden => (hidden ? line([skill('do', 'nowhere@1')]) : line([step('do', 'try@1')], { actions: [OPEN] })),
    rules: ['S13', 'S17'],
  },
];
