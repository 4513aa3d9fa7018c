import type { Action } from '../../../schemas/types.js';
import { act, choose, end, error, follow, graph, line, type Pair, type Parts, skill, step, workflow } from './pair.js';

const UNDO = act('undo');
const MADE = act('try', { rollback: 'compensatable', side_effects: ['repository'], compensation: 'undo@1' });
const GAP = act('try', { rollback: 'compensatable', side_effects: ['repository'] });
const FINAL = act('final', { rollback: 'irreversible', side_effects: ['repository'] });
const IRREVERSIBLE = { irreversible: 'acknowledged' };

/** One action that may commit, another one behind it whose failure undoes the first. */
function undoing(first: Action, more: readonly Action[] = [], handling: 'rollback' | 'compensate' = 'rollback'): Parts {
  return graph(
    [step('do', 'try@1'), step('also', 'other@1'), step('next', 'plain@1'), error('back', handling)],
    [
      ...follow(step('do', ''), 'also'),
      ...follow(step('also', ''), 'next'),
      'next success done',
      'next failure back',
      'back success stop',
      'back failure refused',
    ],
    { actions: [first, act('other'), act('plain'), ...more].filter(isLast) },
  );
}

/** Of definitions of one name the last one counts. */
function isLast({ action_id }: Action, at: number, all: readonly Action[]): boolean {
  return all.slice(at + 1).every(other => other.action_id !== action_id);
}

function compensatedBy(compensation: Action): Parts {
  return undoing(MADE, [compensation]);
}

function schemaOf(required: readonly string[], listed?: readonly string[]): Action {
  const lists = listed && {
    properties: Object.fromEntries(listed.map(name => [name, {}])),
    additionalProperties: false,
  };
  return act('undo', { input_schema: { type: 'object', required: [...required], ...lists } });
}

/** What S15 finds: failures that nothing takes up. */
const UNHANDLED: readonly Pair[] = [
  {
    rule: 'S15',
    name: 'an action whose failure nothing handles',
    parts: broken =>
      graph([step('do', 'try@1')], ['do success done', ...(broken ? [] : ['do failure refused'])], {
        actions: [act('try')],
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S15',
    name: 'an action that is left by no always edge',
    parts: broken =>
      graph([step('do', 'try@1')], [`do ${broken ? 'success' : 'always'} done`], { actions: [act('try')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S15',
    name: 'a skill whose failure nothing handles',
    parts: broken =>
      graph([skill('do', 'sub@1')], ['do success done', ...(broken ? [] : ['do failure refused'])], {
        registry: { workflows: [workflow('sub', line([step('one', 'try@1')], { actions: [act('try')] }))] },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S15',
    name: 'two nodes whose failures nothing handles',
    parts: broken =>
      graph(
        [step('do', 'try@1'), step('next', 'try@1')],
        ['do success next', 'next success done', ...(broken ? [] : ['do failure refused', 'next failure refused'])],
        { actions: [act('try')] },
      ),
    found: [{ node_id: 'do' }, { node_id: 'next' }],
  },
];

/** What S16 finds: what an error node could not compensate. */
const UNDONE: readonly Pair[] = [
  {
    rule: 'S16',
    name: 'no compensation',
    parts: broken => undoing(broken ? GAP : MADE, [UNDO]),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'no compensation, and an error node that compensates',
    parts: broken => undoing(broken ? GAP : MADE, [UNDO], 'compensate'),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'a compensation that is irreversible',
    parts: broken =>
      compensatedBy(broken ? act('undo', { rollback: 'irreversible', side_effects: ['repository'] }) : UNDO),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'a compensation that requires what there is not',
    parts: broken => compensatedBy(schemaOf(broken ? ['reason'] : ['outputs'])),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'a compensation that excludes what it is given',
    parts: broken =>
      compensatedBy(schemaOf([], ['execution_id', 'idempotency_key', ...(broken ? [] : ['inputs']), 'outputs'])),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'an action in a skill',
    parts: broken =>
      graph(
        [skill('do', 'sub@1'), error('back', 'rollback')],
        ['do success done', 'do failure back', 'back success stop', 'back failure refused'],
        {
          registry: {
            workflows: [workflow('sub', line([step('one', 'try@1')], { actions: [broken ? GAP : MADE, UNDO] }))],
          },
        },
      ),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'an action on a parallel branch',
    parts: broken =>
      graph(
        [
          broken ? step('head', 'plain@1', { fan_out: 'parallel' }) : choose('head', 'inputs.flag'),
          step('do', 'try@1'),
          step('next', 'plain@1'),
          error('back', 'rollback'),
          end('one'),
          end('two'),
        ],
        [
          ...(broken
            ? ['head success do', 'head success next', 'head failure refused']
            : ['head true do', 'head false next']),
          ...follow(step('do', ''), 'one'),
          'next success two',
          'next failure back',
          'back success stop',
          'back failure refused',
        ],
        { inputs: { flag: { schema: { type: 'boolean' } } }, actions: [GAP, act('plain')] },
      ),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'what is executed before the error node and not behind it',
    parts: broken =>
      graph(
        [
          step('do', broken ? 'try@1' : 'plain@1'),
          step('next', 'plain@1'),
          error('back', 'rollback'),
          step('after', broken ? 'plain@1' : 'try@1'),
        ],
        [
          ...follow(step('do', ''), 'next'),
          'next success done',
          'next failure back',
          'back success after',
          'back failure refused',
          ...follow(step('after', ''), 'stop'),
        ],
        { actions: [GAP, act('plain')] },
      ),
    found: [{ node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'two definitions',
    parts: broken => {
      const first = broken ? GAP : MADE;
      return undoing(first, [UNDO, { ...first, action_id: 'other' }]);
    },
    found: [{ node_id: 'back' }, { node_id: 'back' }],
  },
  {
    rule: 'S16',
    name: 'a compensate_ref that is irreversible',
    parts: broken =>
      graph(
        [step('do', 'plain@1'), error('amend', 'compensate', { compensate_ref: broken ? 'final@1' : 'plain@1' })],
        ['do success done', 'do failure amend', 'amend success stop', 'amend failure refused'],
        { actions: [act('plain'), FINAL] },
      ),
    found: [{ node_id: 'amend' }],
  },
];

/** What S17 finds: what cannot be undone, and nobody says so, or something comes behind it. */
const FINAL_ONES: readonly Pair[] = [
  {
    rule: 'S17',
    name: 'an irreversible action without the mark',
    parts: broken => line([step('do', 'final@1', broken ? {} : IRREVERSIBLE)], { actions: [FINAL] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S17',
    name: 'a skill with an irreversible action in it, without the mark',
    parts: broken =>
      line([skill('do', 'sub@1', broken ? {} : IRREVERSIBLE)], {
        registry: {
          workflows: [workflow('sub', line([step('one', 'final@1', IRREVERSIBLE)], { actions: [FINAL] }))],
        },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S17',
    name: 'an action behind it',
    parts: broken => {
      const nodes = [step('do', 'final@1', IRREVERSIBLE), step('more', 'plain@1')];
      return line(broken ? nodes : nodes.reverse(), { actions: [FINAL, act('plain')] });
    },
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S17',
    name: 'a failed end behind it',
    parts: broken =>
      graph(
        [step('do', 'final@1', IRREVERSIBLE), end('last', broken ? 'failed' : 'completed')],
        ['do success last', 'do failure refused'],
        {
          actions: [FINAL],
        },
      ),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S17',
    name: 'neither marked nor the last',
    parts: broken =>
      broken
        ? line([step('do', 'final@1'), step('more', 'plain@1')], { actions: [FINAL, act('plain')] })
        : line([step('more', 'plain@1'), step('do', 'final@1', IRREVERSIBLE)], { actions: [FINAL, act('plain')] }),
    found: [{ node_id: 'do' }],
  },
];

/** What S15, S16 and S17 find of failures. */
export const FAILURE_PAIRS: readonly Pair[] = [...UNHANDLED, ...UNDONE, ...FINAL_ONES];
