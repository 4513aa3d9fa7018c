import type { Agent, AuditRecord, Permission, Policy } from '../../../schemas/types.js';
import type { Log } from '../audit/log.js';
import { actionsOf, type Plan, withDefaults } from '../workflow/plan.js';
import { findAgent, permissionsOf } from './agents.js';
import { decideGovernance, type GovernanceDecision, governanceFault } from './gate.js';
import { storedPolicies } from './policies.js';
import { levelOf } from './safety.js';

/** A start, or the going on of an instance, that governance is asked about. */
export interface GovernedStart {
  readonly agent_id: string;
  readonly plan: Plan;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Whether a confirmation that serves for it is named, or was used up by the instance. */
  readonly confirmed: boolean;
  /** Why the one that is named does not serve. */
  readonly unfit?: string;
  readonly dry_run?: true;
  /** RFC 3339. */
  readonly now: string;
}

/** What governance is asked before an instance goes on, by the record of its start: what that start used up counts. */
export function continuationOf(
  { agent_id, inputs = {}, context = {}, confirmation_id }: AuditRecord,
  plan: Plan,
  now: string,
): GovernedStart {
  return { agent_id, plan, inputs, context, confirmed: confirmation_id !== undefined, now };
}

/**
 * What governance says now, by what is stored; nothing is recorded. Where agents, permissions or policies cannot be used
 * it denies, and says which.
 *
 * @requirement GF1
 * @requirement GF2
 * @requirement GFR3
 */
export function askGovernance(log: Log, start: GovernedStart): GovernanceDecision {
  const { agent_id, plan, confirmed, unfit, dry_run, now } = start;
  const stored = readGovernance(log, agent_id);
  if ('fault' in stored) return governanceFault(stored.fault, stored.agent?.trust ?? 'UNKNOWN');
  const { name, version } = plan.workflow.workflow;
  const inputs = withDefaults(plan, start.inputs);
  return decideGovernance({
    agent_id,
    ...(stored.agent === undefined ? {} : { agent: stored.agent }),
    permissions: stored.permissions,
    closure: closureOf(plan),
    level: levelOf(plan),
    now,
    policies: { stored: stored.policies, workflow: { name, version }, inputs, context: start.context },
    confirmed,
    ...(unfit === undefined ? {} : { unfit }),
    ...(dry_run === undefined ? {} : { dry_run }),
  });
}

interface StoredGovernance {
  readonly agent?: Agent;
  readonly permissions: readonly Permission[];
  readonly policies: readonly Policy[];
}

/** What is stored, or why it cannot be used: that can be damage to a document as well as an error of the storage. */
export function readGovernance(
  log: Log,
  agent_id: string,
): StoredGovernance | { readonly fault: string; readonly agent?: Agent } {
  let agent: Agent | undefined;
  try {
    agent = findAgent(log, agent_id);
    if (agent === undefined || agent.trust === 'UNKNOWN') return { permissions: [], policies: [] };
    return { agent, permissions: permissionsOf(log, agent_id), policies: storedPolicies(log) };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return agent === undefined ? { fault } : { fault, agent };
  }
}

function closureOf(plan: Plan): string[] {
  const names = new Set([plan, ...plan.skills].map(({ workflow }) => workflow.workflow.name));
  for (const { action } of actionsOf(plan)) names.add(action.action_id);
  return [...names];
}
