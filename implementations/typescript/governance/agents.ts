import type { Agent, AuditRecord, Permission } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { Log, RecordDraft } from '../audit/log.js';
import { ArsError } from '../error.js';
import { type Demand, isPermitted, isWithin } from './permission.js';
import { refusal } from './reasons.js';
import { intact, lookUp, ofAll } from './stored.js';

/** Whoever opens a workspace: trusted, permitted everything, there from the beginning, and never replaced. */
export const OWNER = 'owner';

const OWNER_AGENT: Agent = { agent_id: OWNER, trust: 'TRUSTED', description: 'The operator of the workspace.' };
const DOMAINS = [
  'execution',
  'audit',
  'verification',
  'recovery',
  'governance',
  'approval',
  'state',
  'registry',
] as const;
const OWNER_PERMISSIONS: readonly Permission[] = DOMAINS.map(domain => ({
  domain,
  actions: ['execute', 'read', 'write', 'grant', 'resolve', 'cancel', 'undo'],
  granted_to: OWNER,
  granted_by: OWNER,
}));

/** The agent; undefined where it is not registered. Throws `invalid_document` where its document is damaged. */
export function findAgent(log: Log, agent_id: string): Agent | undefined {
  if (agent_id === OWNER) return OWNER_AGENT;
  const stored = log.document('agent', agent_id);
  return stored === undefined ? undefined : intact('agent', agent_id, stored);
}

/** What was granted to the agent and not revoked, lapsed or not. Throws `invalid_document` where any permission is damaged. */
export function permissionsOf(log: Log, agent_id: string): readonly Permission[] {
  if (agent_id === OWNER) return OWNER_PERMISSIONS;
  return permissionsByAgent(log).get(agent_id) ?? [];
}

const permissionsByAgent = ofAll('permission', permissions => {
  const byAgent = new Map<string, Permission[]>();
  for (const permission of permissions) {
    const own = byAgent.get(permission.granted_to);
    if (own === undefined) byAgent.set(permission.granted_to, [permission]);
    else own.push(permission);
  }
  return byAgent;
});

/**
 * Throws `denied` unless the agent is registered and its trust is not UNKNOWN.
 *
 * @requirement AI1
 */
export function demandKnown(log: Log, agent_id: string): void {
  const agent = findAgent(log, agent_id);
  if (agent === undefined || agent.trust === 'UNKNOWN')
    throw refusal('SECURITY_BREACH', `The agent '${agent_id}' is not registered, or its trust is UNKNOWN.`);
}

/**
 * Throws `denied` unless the agent is registered, known and permitted to do this.
 *
 * @requirement DI1
 */
export function demand(log: Log, agent_id: string, wanted: Demand, now: string): void {
  demandKnown(log, agent_id);
  const { domain, action, name } = wanted;
  if (isPermitted(permissionsOf(log, agent_id), wanted, now)) return;
  const on = name === undefined ? '' : ` on '${name}'`;
  throw refusal('MISSING_PERMISSION', `The agent '${agent_id}' does not hold ${domain}:${action}${on}.`);
}

/** Does what changes the trust of an agent after all that changes it or relies on it already. */
export function inTurnOf<T>(journal: Journal, agent_id: string, work: () => Promise<T>): Promise<T> {
  return journal.turns.take(turnOf(agent_id), work);
}

/** Does what relies on the trust of an agent while nothing changes it. */
export function relyingOn<T>(journal: Journal, agent_id: string, work: () => Promise<T>): Promise<T> {
  return agent_id === OWNER ? work() : journal.turns.share(turnOf(agent_id), work);
}

function turnOf(agent_id: string): string {
  return `agent ${agent_id}`;
}

/**
 * Makes an agent known, or replaces it; a change of trust is recorded, and what was damaged counts as one.
 *
 * Throws `denied` unless `by` holds governance:grant and is another agent.
 *
 * @requirement AI3
 */
export async function registerAgent(
  journal: Journal,
  { agent, by }: { agent: Agent; by: string },
  own: { now: string; newId: () => string },
): Promise<void> {
  demand(journal.log, by, { domain: 'governance', action: 'grant' }, own.now);
  if (agent.agent_id === OWNER || agent.agent_id === by)
    throw refusal('SELF_GRANT', `The agent '${by}' cannot register '${agent.agent_id}'.`);
  await inTurnOf(journal, agent.agent_id, async () => {
    const before = lookUp(journal.log, 'agent', agent.agent_id);
    const changed = before === 'damaged' || (before !== undefined && before.trust !== agent.trust);
    await journal.append({
      records: changed ? [trustDraft(agent, own.newId())] : [],
      documents: [{ kind: 'agent', id: agent.agent_id, value: agent }],
    });
  });
}

/**
 * Grants a permission and gives its name.
 *
 * Throws `denied` where an agent grants to itself, without governance:grant, or more than it holds, and `conflict` where
 * the name is taken by another permission.
 *
 * @requirement PR3
 * @requirement PR4
 */
export async function grant(
  journal: Journal,
  permission: Permission,
  own: { now: string; newId: () => string },
): Promise<string> {
  const { granted_by, granted_to } = permission;
  demand(journal.log, granted_by, { domain: 'governance', action: 'grant' }, own.now);
  if (granted_by === granted_to) throw refusal('SELF_GRANT', `The agent '${granted_by}' cannot grant to itself.`);
  if (granted_by !== OWNER && !isWithin(permission, permissionsOf(journal.log, granted_by), own.now))
    throw refusal('BEYOND_OWN', `The agent '${granted_by}' does not hold all of what it wants to grant.`);
  const permission_id = permission.permission_id ?? own.newId();
  return journal.turns.take(permissionTurn(permission_id), async () => {
    if (lookUp(journal.log, 'permission', permission_id) !== undefined)
      throw new ArsError('conflict', `There is a permission '${permission_id}' already; choose another name.`, {
        details: { permission_id },
      });
    const value: Permission = { ...permission, permission_id };
    await journal.append({ records: [], documents: [{ kind: 'permission', id: permission_id, value }] });
    return permission_id;
  });
}

/**
 * Takes a permission back.
 *
 * Throws `not_found` where there is none, and `denied` unless `by` granted it or holds governance:grant.
 *
 * @requirement PR6
 */
export async function revoke(journal: Journal, permission_id: string, by: string, now: string): Promise<void> {
  const stored = lookUp(journal.log, 'permission', permission_id);
  if (stored === undefined)
    throw new ArsError('not_found', `There is no permission '${permission_id}'.`, { details: { permission_id } });
  demandKnown(journal.log, by);
  if (stored === 'damaged' || stored.granted_by !== by)
    demand(journal.log, by, { domain: 'governance', action: 'grant' }, now);
  await journal.turns.take(permissionTurn(permission_id), () =>
    journal.append({ records: [], removals: [{ kind: 'permission', id: permission_id }] }),
  );
}

function permissionTurn(permission_id: string): string {
  return `permission ${permission_id}`;
}

function trustDraft(agent: Agent, execution_id: string): RecordDraft {
  const status: AuditRecord['status'] = 'changed';
  const { agent_id, trust } = agent;
  return { record_type: 'trust', status, execution_id, context_id: execution_id, agent_id, trust_after: trust };
}
