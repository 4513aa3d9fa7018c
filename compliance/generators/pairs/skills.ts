import type { Workflow } from '../../../schemas/types.js';
import { act, line, type Pair, skill, step, workflow } from './pair.js';

const NUMBER = { type: 'number' };
const TEXT = { type: 'string' };
const OPEN = act('try');

/** A workflow to be used as a skill: two inputs, of which one has to be given, and one output. */
const COUNT: Workflow = workflow(
  'count',
  line([step('do', 'try@1')], {
    inputs: { file_name: { schema: TEXT }, size: { schema: NUMBER, default: 1 } },
    outputs: { total: '${inputs.size}' },
    actions: [OPEN],
  }),
);

/** A workflow that runs no other one. */
const LEAF: Workflow = workflow('leaf', line([step('do', 'try@1')], { actions: [OPEN] }));

/** A workflow in the registry that does nothing but run another one. */
function running(name: string, ref: string): Workflow {
  return workflow(name, line([skill('sub', ref)]));
}

/** A skill node that maps wrongly or rightly. */
function used(name: string, wrong: object, right: object, nodes = 1): Pair {
  return {
    rule: 'S13',
    name,
    parts: broken =>
      line([skill('do', 'count@1', broken ? wrong : right)], {
        inputs: { s: { schema: TEXT }, n: { schema: NUMBER } },
        registry: { workflows: [COUNT] },
      }),
    found: Array.from({ length: nodes }, () => ({ node_id: 'do' })),
  };
}

/** What S12, S13 and S14 find of skills. */
export const SKILL_PAIRS: readonly Pair[] = [
  {
    rule: 'S12',
    name: 'a workflow that no registry has',
    parts: broken =>
      line([skill('do', broken ? 'nothing@1' : 'count@1', { input_mapping: { file_name: 'a' } })], {
        registry: { workflows: [COUNT] },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S12',
    name: 'one text twice, told of the first node that names it',
    parts: broken => {
      const ref = broken ? 'nothing@1' : 'count@1';
      const given = { input_mapping: { file_name: 'a' } };
      return line([skill('later', ref, given), skill('earlier', ref, given)], { registry: { workflows: [COUNT] } });
    },
    found: [{ node_id: 'earlier' }],
  },
  {
    rule: 'S12',
    name: 'two texts with a name that no registry has',
    parts: broken => {
      const given = { input_mapping: { file_name: 'a' } };
      const [one, other] = broken ? ['nothing@1', 'nothing@2'] : ['count@1', 'count@*'];
      return line([skill('do', one, given), skill('more', other, given)], { registry: { workflows: [COUNT] } });
    },
    found: [{ node_id: 'do' }, { node_id: 'more' }],
  },
  {
    rule: 'S13',
    name: 'a version that the registry does not have',
    parts: broken =>
      line([skill('do', broken ? 'count@^2.0.0' : 'count@^1.0.0', { input_mapping: { file_name: 'a' } })], {
        registry: { workflows: [COUNT] },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S13',
    name: 'the highest version has another interface',
    parts: broken =>
      line([skill('do', 'count@1', { input_mapping: { file_name: 'a' } })], {
        registry: {
          workflows: [
            COUNT,
            {
              ...COUNT,
              workflow: { ...COUNT.workflow, version: broken ? '1.1.0' : '2.0.0' },
              inputs: { ...COUNT.inputs, encoding: { schema: TEXT } },
            },
          ],
        },
      }),
    found: [{ node_id: 'do' }],
  },
  used('a required input that is not mapped', {}, { input_mapping: { file_name: 'a' } }),
  used(
    'an input that the workflow does not have',
    { input_mapping: { file_name: 'a', colour: 'red' } },
    { input_mapping: { file_name: 'a' } },
  ),
  used('an input whose name is misspelt', { input_mapping: { filename: 'a' } }, { input_mapping: { file_name: 'a' } }),
  used(
    'an input of another type',
    { input_mapping: { file_name: '${inputs.n}' } },
    { input_mapping: { file_name: '${inputs.s}' } },
  ),
  used(
    'an output that the workflow does not give',
    { input_mapping: { file_name: 'a' }, output_mapping: { t: '${result.sum}' } },
    { input_mapping: { file_name: 'a' }, output_mapping: { t: '${result.total}' } },
  ),
  {
    rule: 'S14',
    name: 'a workflow that runs itself',
    alone: true,
    parts: broken =>
      line([skill('do', broken ? 'host@1' : 'one@1')], { registry: { workflows: [running('one', 'leaf@1'), LEAF] } }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S14',
    name: 'a workflow that runs itself through another one',
    alone: true,
    parts: broken =>
      line([skill('do', 'one@1')], { registry: { workflows: [running('one', broken ? 'host@1' : 'leaf@1'), LEAF] } }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S14',
    name: 'a circle in the registry',
    parts: broken =>
      line([skill('later', 'leaf@1'), skill('do', 'one@1')], {
        registry: {
          workflows: [
            running('one', 'two@1'),
            running('two', 'three@1'),
            running('three', broken ? 'two@1' : 'leaf@1'),
            LEAF,
          ],
        },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S14',
    name: 'two circles in the registry',
    parts: broken =>
      line([skill('do', 'one@1'), skill('more', 'two@1')], {
        registry: {
          workflows: [running('one', broken ? 'one@1' : 'leaf@1'), running('two', broken ? 'two@1' : 'leaf@1'), LEAF],
        },
      }),
    found: [{ node_id: 'do' }, { node_id: 'more' }],
  },
];
