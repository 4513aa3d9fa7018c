import type { Node } from '../../../schemas/types.js';
import { act, choose, end, error, follow, graph, line, type Pair, type Parts, step } from './pair.js';

const NUMBER = { type: 'number' };
const TEXT = { type: 'string' };
const OPEN = act('try');
/** An action of whose result everything is known. */
const KNOWN = act('try', {
  output_schema: {
    type: 'object',
    properties: { n: NUMBER, deep: { type: 'object', properties: { s: TEXT }, additionalProperties: false } },
    additionalProperties: false,
  },
});
const INPUTS = {
  n: { schema: NUMBER },
  s: { schema: TEXT },
  flag: { schema: { type: 'boolean' } },
  list: { schema: { type: 'array', items: NUMBER } },
  maybe: { schema: NUMBER, required: false },
} as const;

interface Told {
  readonly node_id?: string;
}

/** One node whose input mapping holds a string, wrong or right. */
function mapped(name: string, wrong: string, right: string): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken =>
      line([step('do', 'try@1', { input_mapping: { x: broken ? wrong : right } })], {
        actions: [OPEN],
        inputs: INPUTS,
      }),
    found: [{ node_id: 'do' }],
  };
}

/** A condition with an expression, wrong or right. */
function asked(name: string, wrong: string, right: string): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken => line([choose('ask', broken ? wrong : right)], { inputs: INPUTS }),
    found: [{ node_id: 'ask' }],
  };
}

/** Two nodes, of which the second maps what the first gave. */
function read(name: string, wrong: string, right: string, before: object = {}): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken =>
      line([step('first', 'try@1', before), step('do', 'try@1', { input_mapping: { x: broken ? wrong : right } })], {
        actions: [KNOWN],
      }),
    found: [{ node_id: 'do' }],
  };
}

/** An action whose contract has a condition, wrong or right. */
function promised(name: string, contract: (broken: boolean) => Parameters<typeof act>[1], place: Told = {}): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken =>
      line([step('do', 'try@1', { input_mapping: { n: '${inputs.n}' } })], {
        inputs: INPUTS,
        actions: [act('try', contract(broken))],
      }),
    found: [place],
  };
}

/** An action that takes certain inputs, and a node that maps them, wrongly or rightly. */
function taken(name: string, wrong: object, right: object, found: readonly Told[] = [{ node_id: 'do' }]): Pair {
  return {
    rule: 'S8',
    name,
    parts: broken =>
      line([step('do', 'try@1', { input_mapping: broken ? wrong : right })], {
        inputs: INPUTS,
        actions: [
          act('try', {
            input_schema: {
              type: 'object',
              properties: { file_name: TEXT, size: NUMBER },
              required: ['file_name', 'size'],
              additionalProperties: false,
            },
          }),
        ],
      }),
    found,
  };
}

/** Two branches behind a choice or a fan-out, and a node behind both that maps from them. */
function met(fan: boolean, join_type: 'AND' | 'OR', mapping: string, label = 'success'): Parts {
  const head = fan ? step('head', 'try@1', { fan_out: 'parallel' }) : choose('head', 'inputs.flag');
  const heads = fan
    ? ['head success left', 'head success right', 'head failure refused']
    : ['head true left', 'head false right'];
  const left = label === 'success' ? ['left success do', 'left failure refused'] : ['left always do'];
  return graph(
    [
      head,
      step('left', 'try@1'),
      step('right', 'try@1'),
      step('do', 'try@1', { join_type, input_mapping: { x: mapping } }),
    ],
    [...heads, ...left, 'right success do', 'right failure refused', 'do success done', 'do failure refused'],
    { inputs: INPUTS, actions: [OPEN] },
  );
}

/** An action whose failure another one takes up, with certain inputs. */
function amended(input_mapping: object, first: readonly Node[] = []): Parts {
  return graph(
    [...first, step('do', 'try@1'), error('amend', 'compensate', { compensate_ref: 'try@1', input_mapping })],
    [
      ...first.flatMap(node => follow(node, 'do')),
      'do success done',
      'do failure amend',
      'amend success done',
      'amend failure refused',
    ],
    { actions: [OPEN] },
  );
}

/** What S8 finds in texts, types and roots. */
const TEXTS: readonly Pair[] = [
  mapped('a reference that is not closed', '${inputs.n', '${inputs.n}'),
  mapped('a default that is no JSON value', '${inputs.n ?? trueish}', '${inputs.n ?? true}'),
  mapped('a reference without a path', 'a ${} b', 'a $${} b'),
  asked('an expression that cannot be read', 'inputs.flag &&', 'inputs.flag && true'),
  asked('a function that is refused', "inputs.s.matches('a')", "inputs.s.contains('a')"),
  asked(
    'three macros in one another',
    'inputs.list.all(a, inputs.list.all(b, inputs.list.all(c, c > 0.0)))',
    'inputs.list.all(a, inputs.list.all(b, b > 0.0))',
  ),
  asked('a comparison of a boolean with a number', 'inputs.flag > 3.0', 'inputs.n > 3.0'),
  asked('a sum of a string and a number', "inputs.s + 1.0 == 'x'", "inputs.s + '1' == 'x'"),
  asked('the length of a number', 'size(inputs.n) > 1', 'size(inputs.s) > 1'),
  asked('the negation of a number', '!inputs.n', '!inputs.flag'),
  asked('an equation that can never hold', "inputs.n == 'x'", "inputs.s == 'x'"),
  asked('a condition that can only be a number', 'inputs.n + 1.0', 'inputs.s'),
  asked('an element of another type', "inputs.list.exists(x, x == 'a')", 'inputs.list.exists(x, x == 1.0)'),
  mapped('a root that is none', '${env.HOME}', '${context.HOME}'),
  mapped('the result in an input mapping', '${result.x}', '${inputs.s}'),
  asked('the result in a condition', 'result.ok', 'inputs.flag'),
  mapped('an error where there is none', '${error.node_id}', '${inputs.s}'),
  mapped('an input that the workflow does not have', '${inputs.none}', '${inputs.s}'),
  mapped('an optional input without a default', '${inputs.maybe}', '${inputs.maybe ?? 0}'),
  asked('an optional input that is not asked for', 'inputs.maybe > 1.0', 'has(inputs.maybe) && inputs.maybe > 1.0'),
];

/** What S8 finds in paths into nodes. */
const PATHS: readonly Pair[] = [
  read('a member that a result cannot have', '${nodes.first.outputs.none}', '${nodes.first.outputs.n}'),
  read('a member of a number', '${nodes.first.outputs.n.more}', '${nodes.first.outputs.deep.s}'),
  read('something of a node that is not its outputs', '${nodes.first.result.n}', '${nodes.first.outputs.n}'),
  read('a name that the output mapping does not give', '${nodes.first.outputs.n}', '${nodes.first.outputs.m}', {
    output_mapping: { m: '${result.n}' },
  }),
  read('a member of a node that gives nothing', '${nodes.first.outputs.n}', '${nodes.first.outputs}', {
    output_mapping: {},
  }),
  {
    rule: 'S8',
    name: 'an output mapping of what the result cannot have',
    parts: broken =>
      line([step('do', 'try@1', { output_mapping: { m: broken ? '${result.none}' : '${result.n}' } })], {
        actions: [KNOWN],
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S8',
    name: 'outputs of a condition',
    parts: broken =>
      line(
        [
          step('first', 'try@1'),
          choose('ask', 'inputs.flag'),
          step('do', 'try@1', { input_mapping: { x: `\${nodes.${broken ? 'ask' : 'first'}.outputs}` } }),
        ],
        { actions: [OPEN], inputs: INPUTS },
      ),
    found: [{ node_id: 'do' }],
  },
  read(
    'a node that does not exist, even with a default',
    '${nodes.ghost.outputs.n ?? 1}',
    '${nodes.first.outputs.n ?? 1}',
  ),
  {
    rule: 'S8',
    name: 'a node that comes later, even with a default',
    parts: broken =>
      line(
        [
          step('first', 'try@1'),
          step('do', 'try@1', { input_mapping: { x: `\${nodes.${broken ? 'last' : 'first'}.outputs.x ?? 1}` } }),
          step('last', 'try@1'),
        ],
        { actions: [OPEN] },
      ),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S8',
    name: 'the outputs of one of two branches',
    parts: broken => met(false, 'OR', broken ? '${nodes.left.outputs.x}' : '${nodes.left.outputs.x ?? 0}'),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S8',
    name: 'the outputs of two nodes that can both be skipped',
    parts: broken =>
      met(false, 'OR', '${nodes.left.outputs.x ?? nodes.right.outputs.x}', broken ? 'always' : 'success'),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S8',
    name: 'a parallel branch that need not have succeeded',
    parts: broken => met(true, 'AND', '${nodes.left.outputs.x}', broken ? 'always' : 'success'),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S8',
    name: 'the failed node in what handles its failure',
    parts: broken =>
      amended({ x: broken ? '${nodes.do.outputs.x}' : '${nodes.first.outputs.x}' }, [step('first', 'try@1')]),
    found: [{ node_id: 'amend' }],
  },
  {
    rule: 'S8',
    name: 'a member that no error has',
    parts: broken => amended({ x: broken ? '${error.message}' : '${error.error_detail}' }),
    found: [{ node_id: 'amend' }],
  },
  {
    rule: 'S8',
    name: 'an error behind a join that success leads to as well',
    parts: broken =>
      graph(
        [
          step('do', 'try@1'),
          error('amend', 'compensate', { compensate_ref: 'try@1' }),
          step('after', 'try@1', { input_mapping: { x: '${error.error_class}' } }),
        ],
        [
          `do success ${broken ? 'after' : 'done'}`,
          'do failure amend',
          'amend success after',
          'amend failure refused',
          'after success done',
          'after failure refused',
        ],
        { actions: [OPEN] },
      ),
    found: [{ node_id: 'after' }],
  },
];

/** What S8 finds in outputs, defaults and contracts. */
const WHOLES: readonly Pair[] = [
  {
    rule: 'S8',
    name: 'a workflow output that one completed terminal does not have',
    alone: true,
    parts: broken =>
      graph(
        [step('first', 'try@1'), choose('ask', 'inputs.flag'), step('do', 'try@1'), end('early')],
        [
          'first success ask',
          'first failure refused',
          'ask true do',
          'ask false early',
          ...follow(step('do', ''), 'done'),
        ],
        {
          inputs: INPUTS,
          actions: [OPEN],
          outputs: { out: broken ? '${nodes.do.outputs.x}' : '${nodes.first.outputs.x}' },
        },
      ),
    found: [{}],
  },
  {
    rule: 'S8',
    name: 'an error in the outputs of the workflow',
    alone: true,
    parts: broken =>
      line([step('do', 'try@1')], {
        inputs: INPUTS,
        actions: [OPEN],
        outputs: { out: broken ? '${error.node_id}' : '${inputs.s}' },
      }),
    found: [{}],
  },
  {
    rule: 'S8',
    name: 'a default of another type than the input',
    parts: broken =>
      line([step('do', 'try@1')], {
        inputs: { count: { schema: NUMBER, default: broken ? 'three' : 3 } },
        actions: [OPEN],
      }),
    found: [{}],
  },
  promised('a precondition that reads the result', broken => ({
    preconditions: [{ id: 'p', kind: 'hard', expression: broken ? 'result.n > 1.0' : 'inputs.n > 1.0' }],
  })),
  promised('a precondition that is no boolean', broken => ({
    input_schema: { type: 'object', properties: { n: NUMBER } },
    preconditions: [{ id: 'p', kind: 'soft', expression: broken ? 'inputs.n' : 'inputs.n > 0.0' }],
  })),
  promised('a postcondition that reads nodes', broken => ({
    postconditions: [{ id: 'p', kind: 'hard', expression: broken ? 'nodes.do.outputs.n > 1.0' : 'result.n > 1.0' }],
  })),
  promised('a success condition that cannot be read', broken => ({
    success_condition: broken ? 'exit_code = 0' : 'exit_code == 0',
  })),
  {
    rule: 'S8',
    name: 'a condition of a contract in the registry, told of its first user',
    parts: broken =>
      line([step('do', 'try@1')], {
        registry: { actions: [act('try', { success_condition: broken ? 'nowhere' : 'result.ok == true' })] },
      }),
    found: [{ node_id: 'do' }],
  },
  taken('a required input that is not mapped', { file_name: 'a' }, { file_name: 'a', size: 1 }),
  taken('an input that the action excludes', { file_name: 'a', size: 1, colour: 'red' }, { file_name: 'a', size: 1 }),
  taken('an input of another type', { file_name: 'a', size: '${inputs.s}' }, { file_name: 'a', size: '${inputs.n}' }),
  taken('an input whose name is misspelt', { filename: 'a', size: 1 }, { file_name: 'a', size: 1 }),
  taken('two inputs of other types', { file_name: 3, size: '1' }, { file_name: '3', size: 1 }, [
    { node_id: 'do' },
    { node_id: 'do' },
  ]),
];

/** What S8 finds: mappings and expressions that lead to nothing, do not fit, or are not certain. */
export const VALUE_PAIRS: readonly Pair[] = [...TEXTS, ...PATHS, ...WHOLES];
