import { act, choose, end, error, graph, line, type Pair, step } from './pair.js';

const ACTIONS = { actions: [act('try')] };
const FLAG = { inputs: { flag: { schema: { type: 'boolean' } } } };

/** Defects of the graph, to stand beside others in one document. */
export const GRAPH_PAIRS: readonly Pair[] = [
  {
    rule: 'S1',
    name: 'a cycle',
    hides: true,
    parts: broken =>
      graph(
        [step('do', 'try@1', { join_type: 'OR' }), choose('ask', 'inputs.flag')],
        ['do success ask', 'do failure refused', 'ask true done', `ask false ${broken ? 'do' : 'stop'}`],
        { ...ACTIONS, ...FLAG },
      ),
    found: [{ node_id: 'ask', edge: { from_node: 'do', to_node: 'ask', label: 'success' } }],
  },
  {
    rule: 'S2',
    name: 'an AND join of both outcomes of a choice',
    parts: broken =>
      graph(
        [
          choose('ask', 'inputs.flag'),
          step('left', 'try@1'),
          step('right', 'try@1'),
          step('do', 'try@1', { join_type: broken ? 'AND' : 'OR' }),
        ],
        [
          'ask true left',
          'ask false right',
          'left success do',
          'left failure refused',
          'right success do',
          'right failure refused',
          'do success done',
          'do failure refused',
        ],
        { ...ACTIONS, ...FLAG },
      ),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S3',
    name: 'a node that only failure leaves',
    parts: broken =>
      graph([step('do', 'try@1')], ['do failure refused', ...(broken ? [] : ['do success done'])], ACTIONS),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S5',
    name: 'a fan-out that is not declared',
    parts: broken =>
      graph(
        [step('do', 'try@1', broken ? {} : { fan_out: 'parallel' }), end('one'), end('two')],
        ['do success one', 'do success two', 'do failure refused'],
        ACTIONS,
      ),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S5',
    name: 'a boolean condition with one label',
    parts: broken => graph([choose('do', 'inputs.flag')], ['do true done', ...(broken ? [] : ['do false stop'])], FLAG),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S5',
    name: 'two failure edges',
    parts: broken =>
      graph(
        [step('do', 'try@1', { fan_out: 'parallel' }), ...(broken ? [error('other', 'fail')] : [])],
        ['do success done', 'do failure refused', broken ? 'do failure other' : 'do success stop'],
        { ...ACTIONS },
      ),
    found: [{ node_id: 'do', edge: { from_node: 'do', to_node: 'refused', label: 'failure' } }],
  },
  {
    rule: 'S5',
    name: 'a label that the source does not have',
    hides: true,
    parts: broken =>
      graph(
        [step('do', 'try@1', { fan_out: 'parallel' })],
        ['do success done', 'do failure refused', `do ${broken ? 'okay' : 'success'} stop`],
        ACTIONS,
      ),
    found: [{ node_id: 'do', edge: { from_node: 'do', to_node: 'stop', label: 'okay' } }],
  },
  {
    rule: 'S6',
    name: 'a join that is not declared',
    parts: broken => {
      const parts = line([choose('ask', 'inputs.flag')], FLAG);
      const { join_type: _none, ...bare } = end('both');
      const join = broken ? bare : { ...bare, join_type: 'OR' as const };
      return {
        ...parts,
        nodes: [...parts.nodes.filter(({ type }) => type === 'condition'), join],
        edges: parts.edges.map(edge => ({ ...edge, to_node: 'both' })),
      };
    },
    found: [{ node_id: 'both' }],
  },
];
