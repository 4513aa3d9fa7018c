import type { Agent, GateReason, Permission, Policy, SafetyLevel, Trust } from '../../../schemas/types.js';
import { excerpt } from '../state/excerpt.js';
import { isPermitted } from './permission.js';
import { type ContradictoryPolicy, contradictoryPolicy, judgePolicies, type PolicyCase } from './policy.js';
import { REASONS, type ReasonOf } from './reasons.js';

/** The facts that the governance gate decides on. */
export interface GovernanceFacts {
  readonly agent_id: string;
  /** Absent: the agent is not registered. */
  readonly agent?: Agent;
  /** What was granted to the agent and not revoked. */
  readonly permissions: readonly Permission[];
  /** The names of the workflow and of every action that it can come to execute. */
  readonly closure: readonly string[];
  readonly level: SafetyLevel;
  /** RFC 3339. */
  readonly now: string;
  /** The policies that are stored, with what their conditions can name besides; absent: there are none. */
  readonly policies?: Pick<PolicyCase, 'workflow' | 'inputs' | 'context'> & { readonly stored: readonly Policy[] };
  /** Whether the start names a confirmation that serves for it, or its instance has used one up. */
  readonly confirmed?: boolean;
  /** Why the confirmation that the start names does not serve for it. */
  readonly unfit?: string;
  /** Whether it is only simulated: nobody can confirm what has not been simulated. */
  readonly dry_run?: boolean;
}

/** What a gate says. */
export interface GateDecision {
  readonly decision: 'allowed' | 'denied';
  readonly reasons: readonly GateReason[];
}

/** What the governance gate says, with the trust of the agent from here on. */
export interface GovernanceDecision extends GateDecision {
  readonly trust_after: Trust;
  /** Whether the policies need a confirmation, given or not; absent: they do not. */
  readonly confirmation_needed?: true;
}

/**
 * Whether the agent may have this executed.
 *
 * @requirement G2
 * @requirement EG1
 * @requirement PR1
 * @requirement AI1
 * @requirement MG4
 */
export function decideGovernance(facts: GovernanceFacts): GovernanceDecision {
  const { agent_id, agent, level, now } = facts;
  if (agent === undefined || agent.trust === 'UNKNOWN')
    return deny('SECURITY_BREACH', `The agent '${agent_id}' is not registered.`, 'UNKNOWN');
  const contradictory = contradictoryPolicy(facts.policies?.stored ?? []);
  if (contradictory !== undefined) return governanceFault(contradictionOf(contradictory), agent.trust);
  const missing = facts.closure.find(
    name => !isPermitted(facts.permissions, { domain: 'execution', action: 'execute', name }, now),
  );
  if (missing !== undefined)
    return deny(
      'MISSING_PERMISSION',
      `The agent '${agent_id}' may not execute '${missing}'.`,
      facts.dry_run === true ? agent.trust : lower(agent.trust),
    );
  if (agent.trust === 'UNTRUSTED' || isLapsed(agent, now))
    return deny('UNTRUSTED', `The agent '${agent_id}' is not trusted to execute anything.`, agent.trust);
  if (agent.trust === 'CONDITIONAL' && level !== 'SAFE')
    return deny('TRUST_TOO_LOW', `The agent '${agent_id}' may execute what is SAFE; this is ${level}.`, agent.trust);
  return decideByPolicies(facts, agent);
}

function decideByPolicies(facts: GovernanceFacts, agent: Agent): GovernanceDecision {
  const { policies, closure, level } = facts;
  const allowed: GovernanceDecision = { decision: 'allowed', reasons: [], trust_after: agent.trust };
  if (policies === undefined) return allowed;
  const { effect, policy_id, fault } = judgePolicies(policies.stored, { ...policies, agent, closure, level });
  const since =
    fault === undefined
      ? ''
      : `, since its condition cannot be decided: ${excerpt(fault.replace(/\.$/, ''), FAULT_LENGTH)}`;
  if (effect === 'deny')
    return deny('POLICY_DENIES', `The policy '${policy_id}' denies the start${since}.`, agent.trust);
  if (effect !== 'conditional') return allowed;
  if (facts.confirmed === true) return { ...allowed, confirmation_needed: true };
  const why = facts.unfit === undefined ? '' : ` ${facts.unfit}`;
  const needed = deny('CONFIRMATION_NEEDED', `The policy '${policy_id}' asks for a confirmation.${why}`, agent.trust);
  return { ...needed, confirmation_needed: true, ...(facts.dry_run === true ? { decision: 'allowed' } : {}) };
}

/** What is wrong where several versions of a policy are active, and what to do. */
export function contradictionOf({ policy_id, versions }: ContradictoryPolicy): string {
  return `More than one version of the policy '${policy_id}' is active, ${versions.join(' and ')}; make all but one inactive.`;
}

/** How much of a fault is told, in characters. */
const FAULT_LENGTH = 300;

/** What the gate says where the stored documents of governance cannot be used. */
export function governanceFault(message: string, trust_after: Trust): GovernanceDecision {
  return deny('GOVERNANCE_FAULT', message, trust_after);
}

function deny(
  code: ReasonOf<'governance'> | 'CONFIRMATION_NEEDED',
  message: string,
  trust_after: Trust,
): GovernanceDecision {
  return { decision: 'denied', reasons: [{ code, message, requirement: REASONS[code].requirement }], trust_after };
}

function isLapsed(agent: Agent, now: string): boolean {
  return agent.trust === 'CONDITIONAL' && agent.trust_until !== undefined && now >= agent.trust_until;
}

function lower(trust: Trust): Trust {
  return trust === 'TRUSTED' ? 'CONDITIONAL' : 'UNTRUSTED';
}
