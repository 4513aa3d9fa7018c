import type { AuditRecord } from '../../schemas/types.js';
import type { Act, Scene } from '../scene.js';
import { ANYTHING, decide } from './scene.js';
import { documentsName, passageOf, startName } from './scene-gates.js';
import { isFaulty, type TrustChange, type World, withEntry, withInstance, withTrust, worldOf } from './scene-world.js';

/** Between the ends of validity that scenes use. */
export const SCENE_TIME = '2026-01-01T00:00:00.000Z';

/** The world after an act of which came what had to. */
export function after(world: World, act: Act): World {
  const word = decide(world, act);
  const was_faulty = world.was_faulty || isFaulty(world);
  return { ...changed({ ...world, was_faulty }, act, word) };
}

function changed(world: World, act: Act, word: string): World {
  if (act.do === 'clock') return { ...world, now: act.time };
  if (act.do === 'damage') return damaged(world, act);
  if (act.do === 'reopen') return reopened(world);
  if (act.do === 'start' || act.do === 'resume') return begun(world, act, word);
  if (act.do === 'dry_run' && word === 'started')
    return { ...world, simulated: withEntry(world.simulated, documentsName(act), true) };
  if (act.do === 'finish') return finished(world, act.label, word);
  if (act.do === 'verify_log') return { ...world, foreign: foreignIn(act.text) };
  if (word !== 'done') return world;
  switch (act.do) {
    case 'register': {
      const { agent_id, trust } = act.agent;
      const before = world.agents.get(agent_id)?.trust;
      const known = before === undefined ? world : withTrust(world, agent_id, trust);
      return { ...mended(known), agents: withEntry(known.agents, agent_id, act.agent) };
    }
    case 'grant': {
      const { permission } = act;
      const name = permission.permission_id ?? `unnamed ${world.granted.size}`;
      return { ...world, granted: withEntry(world.granted, name, { permission, revoked: false }) };
    }
    case 'revoke': {
      const granted = world.granted.get(act.permission_id);
      if (granted === undefined) return world;
      return { ...mended(world), granted: withEntry(world.granted, act.permission_id, { ...granted, revoked: true }) };
    }
    case 'policy': {
      const { policy } = act;
      return { ...world, policies: withEntry(world.policies, `${policy.policy_id}@${policy.version}`, policy) };
    }
    case 'approve': {
      const { of, approver, confirmation_id } = act;
      const confirmed = { of: startName(of), agent_id: of.agent_id, approver, used: false };
      return { ...world, confirmations: withEntry(world.confirmations, confirmation_id, confirmed) };
    }
    case 'cancel':
    case 'resolve':
      return withStatus(world, act.label, act.do === 'cancel' ? 'cancelled' : 'failed');
    case 'undo':
      return withStatus(world, act.label, 'failed');
    default:
      return world;
  }
}

function begun(world: World, act: Extract<Act, { do: 'start' | 'resume' }>, word: string): World {
  const asked = act.do === 'start' ? act : world.instances.get(act.label)?.asked;
  if (asked === undefined || word.startsWith('same ') || word === ANYTHING) return world;
  if (word.endsWith('MISSING_PERMISSION')) {
    const trust = world.agents.get(act.agent_id)?.trust === 'TRUSTED' ? 'CONDITIONAL' : 'UNTRUSTED';
    return withTrust(world, act.agent_id, trust);
  }
  if (word !== 'started') return world;
  const named = act.do === 'start' ? act.label : act.as;
  const { confirmed } = passageOf(world, asked, 'start');
  const more = {
    request_key: act.do === 'start' ? act.request_key : undefined,
    uses: confirmed === true ? asked.confirmation_id : undefined,
  };
  return withInstance(world, named ?? `unnamed ${world.instances.size}`, { ...asked, agent_id: act.agent_id }, more);
}

/** What has the text is damaged; a start is then decided by what is left. */
function damaged(world: World, { text, by, makes }: Extract<Act, { do: 'damage' }>): World {
  const agents = [...world.agents].map(([name, agent]) => {
    return [name, agent.trust_until === text ? { ...agent, trust_until: by } : agent] as const;
  });
  const granted = [...world.granted].map(([name, one]) => {
    const { permission } = one;
    return [
      name,
      permission.valid_until === text ? { ...one, permission: { ...permission, valid_until: by } } : one,
    ] as const;
  });
  const policies = [...world.policies].map(([name, one]) => {
    return [name, one.version === text ? { ...one, version: by } : one] as const;
  });
  return {
    ...world,
    agents: new Map(agents),
    granted: new Map(granted),
    policies: new Map(policies),
    was_faulty: true,
    damage: { intact: world, about: makes === 'unfit' ? 'GF2' : 'GF1' },
  };
}

/** The world in which what was damaged is there anew, or no longer there. */
function mended({ damage: _damage, ...world }: World): World {
  return world;
}

/** A kill, and what becomes of the instances that were running (GFR2). */
function reopened(world: World): World {
  let next = world;
  for (const [label, instance] of world.instances) {
    if (instance.status !== 'held' && instance.status !== 'cancelled') continue;
    const { gate, reasons } = passageOf(next, instance.asked, 'check');
    if (gate === undefined) continue;
    next = { ...next, instances: withEntry(next.instances, label, { ...instance, stopped: true, status: 'failed' }) };
    // How often the trust falls is not told by how often governance was asked.
    if (reasons.includes('MISSING_PERMISSION')) next = { ...next, certain: false };
  }
  return next;
}

function finished(world: World, label: string, word: string): World {
  const known = word === 'completed' || word === 'failed' || word === 'in_doubt';
  return known ? withStatus(world, label, word) : world;
}

function withStatus(world: World, label: string, status: 'cancelled' | 'completed' | 'failed' | 'in_doubt'): World {
  const instance = world.instances.get(label);
  return instance === undefined
    ? world
    : { ...world, instances: withEntry(world.instances, label, { ...instance, status }) };
}

/** The approvers of the confirmations that a log tells of. */
function foreignIn(text: string): World['foreign'] {
  const lines = text.split('\n').filter(line => line !== '');
  const records = lines.map(line => JSON.parse(line) as AuditRecord);
  const granted = records.filter(({ record_type, status }) => record_type === 'approval' && status === 'granted');
  return new Map(granted.map(({ execution_id, agent_id }) => [execution_id, agent_id]));
}

/** What has to come of each act of a scene in turn, with the world before it. */
export function courseOf(
  scene: Scene,
  now: string,
): readonly { readonly world: World; readonly words: readonly string[] }[] {
  let world = worldOf(scene, now);
  return scene.acts.map(act => {
    const before = world;
    const words: string[] = [];
    const times = act.do === 'start' ? (act.times ?? 1) : 1;
    for (let at = 0; at < times; at += 1) {
      words.push(decide(world, act));
      world = after(world, act);
    }
    return { world: before, words };
  });
}

/** What the trust of agents becomes in a scene, in turn. */
export function trustChangesOf(
  scene: Scene,
  now: string,
): { readonly changes: readonly TrustChange[]; readonly certain: boolean } {
  let world = worldOf(scene, now);
  for (const act of scene.acts)
    for (let at = act.do === 'start' ? (act.times ?? 1) : 1; at > 0; at -= 1) world = after(world, act);
  return { changes: world.trust_changes, certain: world.certain };
}
