import type { Permission } from '../../schemas/types.js';
import { OWNER } from '../program.js';
import type { Act } from '../scene.js';
import { isInScope } from './governance-gate.js';
import { heldBy, holds, isKnown, passageOf, type Rule } from './scene-gates.js';
import { keyName, type World, writtenKeys } from './scene-world.js';

/** Said of what the specification leaves open, or of what cannot be asked. */
export const ANYTHING = '?';

/**
 * What has to come of an act, in a word, by chapter 9 without one of its rules; of a start of which several are made at one
 * time, of one of them.
 */
export function decide(world: World, act: Act, without?: Rule): string {
  switch (act.do) {
    case 'check':
    case 'dry_run':
      return passageWord(world, act, without);
    case 'start':
      return startWord(world, act, without);
    case 'register':
      if (without !== 'DI3' && (act.agent.agent_id === OWNER || act.agent.agent_id === act.by))
        return refusal(world, act.by, without);
      return door(world, act.by, { domain: 'governance', action: 'grant' }, without);
    case 'grant':
      return grantWord(world, act.permission, without);
    case 'revoke': {
      const granted = world.granted.get(act.permission_id);
      if (granted === undefined || granted.revoked) return ANYTHING;
      if (granted.permission.granted_by === act.by) return entry(world, act.by, without) ?? 'done';
      return door(world, act.by, { domain: 'governance', action: 'grant' }, without);
    }
    case 'policy':
      return door(world, act.by, { domain: 'governance', action: 'write' }, without);
    case 'approve':
      if (act.approver === act.of.agent_id) return refusal(world, act.approver, without);
      return door(world, act.approver, { domain: 'approval', action: 'grant' }, without);
    case 'resolve': {
      if (world.instances.get(act.label)?.status !== 'in_doubt') return ANYTHING;
      return door(world, act.approver, { domain: 'recovery', action: 'resolve' }, without);
    }
    case 'state':
      return entry(world, act.agent_id, without) ?? stateWord(world, act, without);
    case 'records':
      return entry(world, act.agent_id, without) ?? `sees ${partitionsOf(world, act.agent_id, without).join(' ')}`;
    default:
      return ofInstance(world, act, without);
  }
}

function ofInstance(world: World, act: Act, without?: Rule): string {
  if (!('label' in act) || act.label === undefined) return ANYTHING;
  const instance = world.instances.get(act.label);
  if (instance === undefined) return ANYTHING;
  const { asked, status, stopped } = instance;
  if (act.do === 'finish') {
    if (stopped && without !== 'GFR2') return 'failed';
    return stopped || status === 'held' ? 'completed' : status === 'cancelled' ? 'failed' : status;
  }
  if (!('agent_id' in act)) return ANYTHING;
  const word = entry(world, act.agent_id, without);
  if (word !== undefined) return word;
  const isOwn = asked.agent_id === act.agent_id;
  const name = asked.workflow;
  switch (act.do) {
    case 'evidence':
      if (without === 'NS3') return 'done';
      return partitionsOf(world, act.agent_id, without).includes(asked.agent_id) ? 'done' : 'denied';
    case 'cancel': {
      if (status !== 'held') return ANYTHING;
      if (isOwn || without === 'CA1') return 'done';
      return holds(world, act.agent_id, { domain: 'execution', action: 'cancel', name }, without) ? 'done' : 'denied';
    }
    case 'undo':
      if (!isOwn && without !== 'CA3') return 'denied';
      if (status !== 'completed') return ANYTHING;
      return holds(world, act.agent_id, { domain: 'execution', action: 'undo', name }, without) ? 'done' : 'denied';
    case 'resume': {
      if (!isOwn && without !== 'DI3') return 'denied';
      if (status !== 'failed') return isOwn ? ANYTHING : 'done';
      if (without === 'EG4') return 'started';
      return passageWord(world, { ...asked, agent_id: act.agent_id, do: 'start' }, without);
    }
    default:
      return ANYTHING;
  }
}

function startWord(world: World, act: Extract<Act, { do: 'start' }>, without?: Rule): string {
  const { request_key, agent_id } = act;
  if (request_key !== undefined) {
    const known = world.keys.get(keyName(agent_id, request_key));
    if (known !== undefined) return `same ${known}`;
    const others = [...world.agents.keys()].map(other => world.keys.get(keyName(other, request_key)));
    const other = others.find(label => label !== undefined);
    if (without === 'NS5' && other !== undefined) return `same ${other}`;
  }
  return without === 'EG4' && act.context?.force !== undefined ? 'started' : passageWord(world, act, without);
}

function passageWord(world: World, act: Extract<Act, { do: 'start' | 'check' | 'dry_run' }>, without?: Rule): string {
  const { gate, reasons, trust_after } = passageOf(world, act, act.do, without);
  if (act.do !== 'check') {
    if (gate === 'verification') return 'denied verification';
    return gate === undefined ? 'started' : `denied ${gate} ${reasons.join(' ')}`;
  }
  if (gate === 'verification') return 'denied verification';
  return [gate === undefined ? 'allowed' : 'denied', ...reasons, trust_after].join(' ');
}

function grantWord(world: World, permission: Permission, without?: Rule): string {
  const { granted_by, granted_to } = permission;
  const word = door(world, granted_by, { domain: 'governance', action: 'grant' }, without);
  if (word !== 'done') return word;
  if (granted_by === granted_to && without !== 'PR3') return 'refused';
  if (granted_by === OWNER || without === 'PR4' || without === 'DI1') return 'done';
  return isWithin(permission, heldBy(world, granted_by, without), without) ? 'done' : 'refused';
}

/** Whether everything that a permission permits is within what its grantor holds. */
function isWithin(wanted: Permission, held: readonly Permission[], without?: Rule): boolean {
  const { scope = '*', valid_until } = wanted;
  return wanted.actions.every(action =>
    held.some(
      own =>
        (without === 'DI2' || own.domain === wanted.domain) &&
        own.actions.includes(action) &&
        isInScope(scope, own.scope) &&
        (own.valid_until === undefined || (valid_until !== undefined && valid_until <= own.valid_until)),
    ),
  );
}

/**
 * What is given of State: at most what is in the scopes, and certainly something where the model knows that there is an
 * entry in them. Whether an agent that may see nothing of what it asks for is refused or given nothing is left open.
 */
function stateWord(world: World, { agent_id, keys }: Extract<Act, { do: 'state' }>, without?: Rule): string {
  const scopes = heldFor(world, agent_id, { domain: 'state', action: 'read' }, without);
  if (without === 'NS4' || scopes === 'everything') return 'given everything';
  if (scopes.length === 0) return 'denied';
  const sees = (key: string) => scopes.some(scope => isInScope(key, scope));
  const written = writtenKeys(world).filter(key => sees(key) && keys?.includes(key) !== false);
  const isGiven = written.length > 0 && keys?.every(sees) !== false;
  return `${isGiven ? 'given' : 'at most'} ${scopes.join(' ')}`;
}

function door(world: World, agent_id: string, demand: Parameters<typeof holds>[2], without?: Rule): string {
  return entry(world, agent_id, without) ?? (holds(world, agent_id, demand, without) ? 'done' : 'denied');
}

function refusal(world: World, agent_id: string, without?: Rule): string {
  return entry(world, agent_id, without) ?? 'refused';
}

/** The word to an agent that is denied everything. */
function entry(world: World, agent_id: string, without?: Rule): string | undefined {
  return isKnown(world, agent_id) || without === 'AI1' ? undefined : 'denied SECURITY_BREACH';
}

function heldFor(world: World, agent_id: string, demand: Parameters<typeof holds>[2], without?: Rule) {
  if (agent_id === OWNER || without === 'DI1') return 'everything';
  const fitting = heldBy(world, agent_id, without).filter(
    ({ domain, actions }) => (without === 'DI2' || domain === demand.domain) && actions.includes(demand.action),
  );
  const scopes = fitting.map(({ scope = '*' }) => scope);
  return scopes.includes('*') ? 'everything' : scopes.sort();
}

/** The agents whose partitions an agent may read. */
function partitionsOf(world: World, agent_id: string, without?: Rule): readonly string[] {
  const isBare = heldBy(world, agent_id).length === 0;
  return [...world.agents.keys()].sort().filter(name => {
    if (name === agent_id) return without !== 'NS1' && (without !== 'PR5' || !isBare);
    return without === 'NS2' || holds(world, agent_id, { domain: 'audit', action: 'read', name }, without);
  });
}
