import type { Action, SideEffect } from '../../../schemas/types.js';
import { act, error, graph, line, type Pair, skill, step, workflow } from './pair.js';

const KINDS = [
  ['deterministic', 3],
  ['conditionally_deterministic', 2],
  ['non_deterministic', 0],
] as const;

/** An action whose failure an error node retries, so often by policy and so often by the error node. */
function retried(contract: Partial<Action>, policy: number | undefined, attempts: number | undefined) {
  const retry_policy = policy === undefined ? {} : { retry_policy: { max_retries: policy } };
  const max_attempts = attempts === undefined ? {} : { max_attempts: attempts };
  return graph(
    [step('do', 'try@1', { ...retry_policy, ...marked(contract) }), error('again', 'retry', max_attempts)],
    ['do success done', 'do failure again', 'again success done', 'again failure refused'],
    { actions: [act('try', contract)] },
  );
}

function marked({ rollback }: Partial<Action>): object {
  return rollback === 'irreversible' ? { irreversible: 'acknowledged' } : {};
}

const IRREVERSIBLE: Partial<Action> = { rollback: 'irreversible', side_effects: ['repository'] };

/** What S9 finds: more retries than the contract bears. */
const RETRIES: readonly Pair[] = [
  ...KINDS.map(
    ([determinism, bound]): Pair => ({
      rule: 'S9',
      name: `a policy of one retry more than a ${determinism} action bears`,
      parts: broken =>
        line([step('do', 'try@1', { retry_policy: { max_retries: broken ? bound + 1 : bound } })], {
          actions: [act('try', { determinism })],
        }),
      found: [{ node_id: 'do' }],
    }),
  ),
  {
    rule: 'S9',
    name: 'policy and error node together',
    parts: broken => retried({}, 2, broken ? 2 : 1),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S9',
    name: 'an error node alone, that says nothing of how often',
    parts: broken =>
      retried({ determinism: broken ? 'non_deterministic' : 'conditionally_deterministic' }, undefined, undefined),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S9',
    name: 'two error nodes one behind the other',
    parts: broken =>
      graph(
        [
          step('do', 'try@1'),
          error('again', 'retry', { max_attempts: 2 }),
          error('once-more', 'retry', { max_attempts: broken ? 2 : 1 }),
        ],
        [
          'do success done',
          'do failure again',
          'again success done',
          'again failure once-more',
          'once-more success done',
          'once-more failure refused',
        ],
        { actions: [act('try')] },
      ),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S9',
    name: 'the retry of what an error node executes',
    parts: broken =>
      graph(
        [
          step('do', 'try@1'),
          error('amend', 'compensate', { compensate_ref: 'guess@1' }),
          error('again', 'retry', { max_attempts: 1 }),
        ],
        [
          'do success done',
          'do failure amend',
          'amend success done',
          'amend failure again',
          'again success done',
          'again failure refused',
        ],
        { actions: [act('try'), act('guess', { determinism: broken ? 'non_deterministic' : 'deterministic' })] },
      ),
    found: [{ node_id: 'amend' }],
  },
  {
    rule: 'S9',
    name: 'the retry of a skill that holds what does not bear it',
    parts: broken =>
      graph(
        [skill('do', 'sub@1'), error('again', 'retry')],
        ['do success done', 'do failure again', 'again success done', 'again failure refused'],
        {
          registry: {
            workflows: [
              workflow(
                'sub',
                line([step('one', 'try@1'), step('two', 'guess@1')], {
                  actions: [act('try'), act('guess', { determinism: broken ? 'non_deterministic' : 'deterministic' })],
                }),
              ),
            ],
          },
        },
      ),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S9',
    name: 'a policy that retries what is irreversible',
    parts: broken =>
      line([step('do', 'try@1', { retry_policy: { max_retries: broken ? 1 : 0 }, irreversible: 'acknowledged' })], {
        actions: [act('try', IRREVERSIBLE)],
      }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S9',
    name: 'an error node that retries what is irreversible',
    parts: broken =>
      broken
        ? retried(IRREVERSIBLE, undefined, 1)
        : retried({ rollback: 'compensatable', side_effects: ['repository'] }, undefined, 1),
    found: [{ node_id: 'do' }],
  },
];

/** A definition that breaks the table of contracts, and one that differs in one field and keeps it. */
function contract(name: string, wrong: Partial<Action>, right: Partial<Action>): Pair {
  const mark = [wrong, right].some(({ rollback }) => rollback === 'irreversible');
  return {
    rule: 'S10',
    name,
    parts: broken =>
      line([step('do', 'try@1', mark ? { irreversible: 'acknowledged' } : {})], {
        actions: [act('try', broken ? wrong : right), act('undo')],
      }),
    found: [{ node_id: 'do' }],
  };
}

const some: readonly SideEffect[] = ['repository'];

/** What S10 finds: contracts that contradict themselves. */
const CONTRACTS: readonly Pair[] = [
  contract('compensatable without side effects', { rollback: 'compensatable' }, { rollback: 'rollbackable' }),
  contract(
    'irreversible without side effects',
    { rollback: 'irreversible' },
    { rollback: 'irreversible', side_effects: [...some] },
  ),
  contract(
    'rollbackable though it changes what exists',
    { side_effects: [...some], modifies_existing: true, revert: 'undo@1' },
    { side_effects: [...some], modifies_existing: false, revert: 'undo@1' },
  ),
  contract('changes what exists without side effects', { modifies_existing: true }, { modifies_existing: false }),
  contract(
    'rollbackable on a remote server',
    { side_effects: ['remote_server'], revert: 'undo@1' },
    { side_effects: ['filesystem'], revert: 'undo@1' },
  ),
  contract(
    'compensatable on an external service',
    { rollback: 'compensatable', side_effects: ['external_service'], compensation: 'undo@1' },
    { rollback: 'compensatable', side_effects: ['remote_server'], compensation: 'undo@1' },
  ),
  contract('rollbackable without a revert', { side_effects: [...some] }, { side_effects: [...some], revert: 'undo@1' }),
  contract(
    'two things at once',
    { side_effects: ['remote_server', 'external_service'], modifies_existing: true },
    { side_effects: ['remote_server', 'external_service'], modifies_existing: true, rollback: 'irreversible' },
  ),
  {
    rule: 'S10',
    name: 'a definition of the registry, told of its first user',
    parts: broken =>
      line([step('later', 'try@1'), step('earlier', 'try@1')], {
        registry: { actions: [act('try', broken ? { side_effects: [...some] } : {})] },
      }),
    found: [{ node_id: 'earlier' }],
  },
  {
    rule: 'S10',
    name: 'a revert that is used by no node',
    parts: broken =>
      line([step('do', 'try@1')], {
        actions: [
          act('try', { side_effects: [...some], revert: 'undo@1' }),
          act('undo', broken ? { side_effects: ['remote_server'] } : {}),
        ],
      }),
    found: [{ node_id: 'do' }],
  },
];

function without(action: Action): Action {
  const { side_effects: _none, ...rest } = action;
  return rest;
}

/** What S11 finds: contracts that do not tell, or that what they tell does not agree with. */
const DECLARED: readonly Pair[] = [
  {
    rule: 'S11',
    name: 'side effects that are not declared',
    parts: broken => line([step('do', 'try@1')], { actions: [broken ? without(act('try')) : act('try')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S11',
    name: 'no side effects and a revert',
    parts: broken =>
      line([step('do', 'try@1')], { actions: [act('try', broken ? { revert: 'undo@1' } : {}), act('undo')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S11',
    name: 'no side effects and a compensation',
    parts: broken =>
      line([step('do', 'try@1')], { actions: [act('try', broken ? { compensation: 'undo@1' } : {}), act('undo')] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S11',
    name: 'no side effects and not idempotent',
    parts: broken => line([step('do', 'try@1')], { actions: [act('try', { idempotent: !broken })] }),
    found: [{ node_id: 'do' }],
  },
  {
    rule: 'S11',
    name: 'side effects that a definition of the registry does not declare',
    parts: broken =>
      line([step('do', 'try@1')], { registry: { actions: [broken ? without(act('try')) : act('try')] } }),
    found: [{ node_id: 'do' }],
  },
];

/** What S9, S10 and S11 find of contracts. */
export const CONTRACT_PAIRS: readonly Pair[] = [...RETRIES, ...CONTRACTS, ...DECLARED];
