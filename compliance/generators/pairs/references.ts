import type { Action } from '../../../schemas/types.js';
import { act, error, graph, line, type Pair, step } from './pair.js';

const effects: Pick<Action, 'side_effects'> = { side_effects: ['filesystem'] };

/** What S7 finds: references to actions that lead to nothing. */
export const REFERENCE_PAIRS: readonly Pair[] = [
  {
    rule: 'S7',
    name: 'an action that is defined nowhere',
    parts: broken => line([step('do', broken ? 'nowhere@^1.0.0' : 'try@^1.0.0')], { actions: [act('try')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'a version that the document does not have',
    parts: broken => line([step('do', broken ? 'try@^2.0.0' : 'try@^1.0.0')], { actions: [act('try')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'a version that the registry does not have',
    parts: broken =>
      line([step('do', 'try@^2.0.0')], {
        registry: { actions: [act('try'), act('try', { version: broken ? '3.0.0' : '2.1.0' })] },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'a range that is none',
    parts: broken => line([step('do', broken ? 'try@latest' : 'try@*')], { actions: [act('try')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'a pre-release under a range that names none',
    parts: broken =>
      line([step('do', broken ? 'try@^1.0.0' : 'try@^1.0.0-rc.1')], {
        actions: [act('try', { version: '1.0.0-rc.2' })],
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'one text twice, told of the first node that names it',
    parts: broken => {
      const def = broken ? 'nowhere@1' : 'try@1';
      return line([step('later', def), step('earlier', def)], { actions: [act('try')] });
    },
    found: [{ node_id: 'earlier' }],
  },
  {
    rule: 'S7',
    name: 'two texts that lead to nothing',
    parts: broken =>
      line([step('do', broken ? 'nowhere@1' : 'try@1'), step('more', broken ? 'nowhere@2' : 'try@1')], {
        actions: [act('try')],
      }),
    found: [{ node_id: 'do' }, { node_id: 'more' }],
  },
  {
    rule: 'S7',
    name: 'a compensate_ref',
    parts: broken =>
      graph(
        [step('do', 'try@1'), error('amend', 'compensate', { compensate_ref: broken ? 'nowhere@1' : 'try@1' })],
        ['do success done', 'do failure amend', 'amend success done', 'amend failure refused'],
        { actions: [act('try')] },
      ),
    found: [{ node_id: 'amend' }],
  },
  {
    rule: 'S7',
    name: 'a revert',
    parts: broken =>
      line([step('do', 'try@1')], {
        actions: [act('try', { ...effects, revert: broken ? 'nowhere@1' : 'back@1' }), act('back')],
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'a compensation in the registry',
    parts: broken =>
      line([step('do', 'try@1')], {
        registry: {
          actions: [
            act('try', { ...effects, rollback: 'compensatable', compensation: broken ? 'nowhere@1' : 'back@1' }),
            act('back'),
          ],
        },
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S7',
    name: 'the revert of a revert',
    parts: broken =>
      line([step('do', 'try@1')], {
        actions: [
          act('try', { ...effects, revert: 'back@1' }),
          act('back', { ...effects, revert: broken ? 'nowhere@1' : 'try@1' }),
        ],
      }),
    found: [{ node_id: 'do' }],
  },
];
