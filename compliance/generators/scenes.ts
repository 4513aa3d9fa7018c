import canonicalize from 'canonicalize';
import type { Action, Agent, Node, Permission, Policy, Workflow } from '../../schemas/types.js';
import { digest, hashOf } from '../history/chain.js';
import { digestsOf } from '../model/consent.js';
import { type Behaviour, OWNER, type Script } from '../program.js';
import type { Act, Asked, Scene } from '../scene.js';

/** Before every scene, and after every one. */
export const PAST = '2001-01-01T00:00:00.000Z';
export const FAR = '2999-12-31T23:59:59.999Z';

/** Who starts things in most scenes. */
export const AGENT = 'agent';

const BASE: Action = {
  action_id: 'note.put',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};

/** A contract without effects, but for what is said. */
export function contract(action_id: string, more: Partial<Action> = {}): Action {
  return { ...BASE, action_id, ...more };
}

/** A chain of actions and skills, told by name; `skill:` stands before the name of a workflow. */
export function errand(name: string, steps: readonly string[], actions: readonly Action[] = []): Workflow {
  const nodes = steps.map((step, at): Node => {
    const node_id = `${name}-${at + 1}`;
    const skill = step.startsWith('skill:') ? step.slice('skill:'.length) : undefined;
    if (skill !== undefined) return { node_id, type: 'skill', workflow_ref: `${skill}@^1.0.0` };
    const irreversible = actions.some(({ action_id, rollback }) => action_id === step && rollback === 'irreversible');
    return {
      node_id,
      type: 'action',
      action_def: `${step}@^1.0.0`,
      ...(irreversible ? { irreversible: 'acknowledged' as const } : {}),
    };
  });
  const ids = [...nodes.map(({ node_id }) => node_id), 'done'];
  return {
    schema_version: '1.0',
    workflow: { name, version: '1.0.0' },
    inputs: { amount: { schema: { type: 'number' }, default: 0 } },
    actions: [...actions],
    nodes: [...nodes, { node_id: 'done', type: 'terminal', status: 'completed' }],
    edges: nodes.map(({ node_id }, at) => ({ from_node: node_id, to_node: ids[at + 1] as string, label: 'success' })),
  };
}

/** A workflow whose second action fails, so that the first is compensated. */
function undoing(name: string): Workflow {
  const effect = {
    rollback: 'compensatable',
    side_effects: ['repository'],
    compensation: `${name}.undo@^1.0.0`,
  } as const;
  const actions = [
    contract(`${name}.do`, { ...effect, side_effects: [...effect.side_effects] }),
    contract(`${name}.fail`),
    contract(`${name}.undo`),
  ];
  const drawn = errand(name, [`${name}.do`, `${name}.fail`], actions);
  return {
    ...drawn,
    nodes: [
      ...drawn.nodes,
      { node_id: 'undo', type: 'error', handling: 'rollback' },
      { node_id: 'undone', type: 'terminal', status: 'compensated' },
    ],
    edges: [
      ...drawn.edges,
      { from_node: `${name}-2`, to_node: 'undo', label: 'failure' },
      { from_node: 'undo', to_node: 'undone', label: 'success' },
    ],
  };
}

const gives = (more: Partial<Extract<Behaviour['reply'], { outputs: unknown }>> = {}): readonly Behaviour[] => [
  { reply: { outputs: {}, ...more } },
];

const writes = (key: string) => gives({ state_changes: [{ key, op: 'put', value: 1 }] });

/** Larger than what a record holds itself, so that the evidence is kept apart. */
const EVIDENCE = { text: 'seen '.repeat(3000) };

/** What a runtime that believed it would take for documents of governance. */
const CARRIED = {
  agent: { agent_id: AGENT, trust: 'TRUSTED' },
  permission: { domain: 'execution', actions: ['execute'], granted_to: AGENT, granted_by: OWNER },
  policy: { policy_id: 'carried', version: '1.0.0', level: 3, effect: 'deny' },
} as const;

const note = contract('note.put');
const gap = contract('pay.send', { rollback: 'compensatable', side_effects: ['repository'] });

/** The workflows of scenes by their names. */
export const ERRANDS = {
  keep: errand('keep', ['note.put'], [note]),
  file: errand('file', ['note.put', 'note.sort'], [note, contract('note.sort')]),
  round: errand('round', ['note.put', 'skill:part'], [note]),
  part: errand('part', ['part.do'], [contract('part.do')]),
  wait: errand('wait', ['wait.do'], [contract('wait.do')]),
  roll: errand('roll', ['roll.dice'], [contract('roll.dice', { determinism: 'non_deterministic' })]),
  fail: errand('fail', ['fail.do'], [contract('fail.do')]),
  pay: errand('pay', ['pay.send'], [gap]),
  show: errand('show', ['show.do'], [contract('show.do')]),
  bribe: errand('bribe', ['bribe.do'], [contract('bribe.do')]),
  doubt: errand(
    'doubt',
    ['doubt.do'],
    [contract('doubt.do', { rollback: 'irreversible', side_effects: ['repository'] })],
  ),
  back: undoing('back'),
  odd: { ...errand('odd', ['note.put'], [note]), edges: [] } as Workflow,
} as const;

/** The name of one of {@link ERRANDS}. */
export type Errand = keyof typeof ERRANDS;

const NODES: Script['nodes'] = {
  'keep-1': writes('note/keep'),
  'file-1': writes('note/file'),
  'file-2': gives(),
  'round-1': gives(),
  'part-1': gives(),
  'wait-1': [{ reply: { outputs: {} }, held: true }],
  'roll-1': gives(),
  'fail-1': [{ reply: { error: { error_class: 'E4', detail: 'scripted', effect: 'none' } } }],
  'pay-1': gives(),
  'show-1': gives({ evidence: EVIDENCE }),
  'bribe-1': [
    {
      reply: {
        outputs: { ...CARRIED },
        state_changes: Object.entries(CARRIED).map(([name, value]) => ({ key: `${name}s/${AGENT}`, op: 'put', value })),
      },
    },
  ],
  'doubt-1': [{ reply: { error: { error_class: 'E4', detail: 'scripted', effect: 'unknown' } } }],
  'back-1': gives(),
  'back-2': [{ reply: { error: { error_class: 'E4', detail: 'scripted', effect: 'none' } } }],
  'odd-1': gives(),
};

/** A scene of acts, with the workflows that they name and what those run as skills. */
export function scene(acts: readonly Act[]): Scene {
  const named = new Set<string>();
  for (const act of acts) {
    const workflow = 'of' in act ? act.of.workflow : 'workflow' in act ? act.workflow : undefined;
    if (workflow !== undefined) named.add(workflow);
    if (workflow === 'round') named.add('part');
  }
  const names = (Object.keys(ERRANDS) as Errand[]).filter(name => named.has(name));
  const nodes = Object.entries(NODES).filter(([id]) => named.has(id.slice(0, id.lastIndexOf('-'))));
  return {
    acts,
    script: { nodes: Object.fromEntries(nodes), ...(named.has('back') ? { actions: { 'back.undo': gives() } } : {}) },
    ...(named.has('odd') ? { unsound: ['odd'] } : {}),
    workflows: names.map(name => ERRANDS[name]),
  };
}

/** An agent becomes known. */
export function registered(agent_id: string, trust: Agent['trust'] = 'TRUSTED', by = OWNER): Act {
  return { do: 'register', agent: { agent_id, trust }, by };
}

/** Something is permitted by the operator, told as `domain:action`. */
export function granted(to: string, what: string, more: Partial<Permission> = {}): Act {
  const [domain = '', ...actions] = what.split(':');
  return {
    do: 'grant',
    permission: {
      domain: domain as Permission['domain'],
      actions: actions as Permission['actions'],
      granted_to: to,
      granted_by: OWNER,
      ...more,
    },
  };
}

/** A permission is taken back. */
export function revoked(permission_id: string, by = OWNER): Act {
  return { do: 'revoke', permission_id, by };
}

/** A version of a policy is put. */
export function policy(more: Partial<Policy> = {}, by = OWNER): Act {
  return { do: 'policy', policy: { policy_id: 'p', version: '1.0.0', level: 0, effect: 'deny', ...more }, by };
}

/** The gate is asked about a start. */
export function checked(workflow: Errand, more: Partial<Asked> = {}): Act {
  return { do: 'check', workflow, agent_id: AGENT, ...more };
}

/** A workflow is started. */
export function started(workflow: Errand, more: Partial<Extract<Act, { do: 'start' }>> = {}): Act {
  return { do: 'start', workflow, agent_id: AGENT, ...more };
}

/** An agent that is trusted and may start everything. */
export const WORKER: readonly Act[] = [
  registered(AGENT),
  granted(AGENT, 'execution:execute', { permission_id: 'all' }),
];

/** A confirmation of a start, and the start that names it. */
export function confirmed(
  workflow: Errand,
  approver: string,
  more: Partial<Extract<Act, { do: 'start' }>> = {},
): readonly Act[] {
  const of = { workflow, agent_id: more.agent_id ?? AGENT };
  const confirmation_id = `for-${workflow}`;
  return [
    { do: 'dry_run', ...of },
    { do: 'approve', confirmation_id, approver, of },
    started(workflow, { ...more, confirmation_id }),
  ];
}

const RECORD = {
  schema_version: '1.0',
  incarnation: 1,
  timestamp: '2026-01-01T00:00:00.000Z',
  execution_id: 'foreign',
  context_id: 'foreign',
} as const;

/** A key of State that only the foreign log writes. */
export const FOREIGN_KEY = 'foreign/key';

const ACTION = {
  ...RECORD,
  record_type: 'action',
  agent_id: AGENT,
  parent_execution_id: 'foreign-root',
  context_id: 'foreign-root',
  node_id: 'keep-1',
  action_id: 'note.put',
  action_version: '1.0.0',
  side_effects: [],
  determinism: 'deterministic',
  rollback: 'rollbackable',
  attempt: 1,
  idempotency_key: 'foreign-key',
} as const;

/** The log of another workspace, in which a start of `pay` is confirmed, an agent trusted and a key of State written. */
export function foreignLog(): string {
  const told = [
    {
      ...RECORD,
      record_type: 'approval',
      status: 'granted',
      agent_id: OWNER,
      granted_to: AGENT,
      expires_at: FAR,
      ...digestsOf({ workflow: ERRANDS.pay }, {}),
    },
    {
      ...RECORD,
      execution_id: 'foreign-2',
      context_id: 'foreign-2',
      record_type: 'trust',
      status: 'changed',
      agent_id: AGENT,
      trust_after: 'TRUSTED',
    },
    { ...ACTION, status: 'pending', inputs: {} },
    { ...ACTION, status: 'committed', outputs: {}, state_changes: [{ key: FOREIGN_KEY, op: 'put', value: 1 }] },
  ];
  let prev_hash = digest('');
  const lines = told.map((record, at) => {
    const linked = { ...record, sequence: at + 1, prev_hash };
    prev_hash = hashOf(linked);
    return canonicalize({ ...linked, hash: prev_hash }) ?? '';
  });
  return lines.map(line => `${line}\n`).join('');
}
