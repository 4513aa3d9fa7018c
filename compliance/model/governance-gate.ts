import { isValid } from '../../schemas/index.js';
import type { Agent, Permission, Policy, SafetyLevel, Trust } from '../../schemas/types.js';
import { evaluateExpression } from './expression.js';
import { refusalOf } from './expression-form.js';
import type { JsonObject } from './json.js';

/** Everything that the governance gate may look at (Ch9). Times are RFC 3339. */
export interface GovernanceFacts {
  readonly agent_id: string;
  readonly agent?: Agent;
  /** All that were granted to anybody and not revoked. */
  readonly permissions: readonly Permission[];
  readonly policies: readonly Policy[];
  readonly workflow: { readonly name: string; readonly version: string };
  /** The names that permissions have to cover. */
  readonly names: readonly string[];
  readonly inputs: JsonObject;
  readonly context: JsonObject;
  readonly safety_level: SafetyLevel;
  readonly confirmed: boolean;
  readonly dry_run: boolean;
  readonly now: string;
}

/** What a gate decides, and why. */
export interface GateAnswer {
  readonly decision: 'allowed' | 'denied';
  readonly reasons: readonly string[];
}

/** The agent of the operator, who holds everything; no document of it is stored. */
const OWNER = 'owner';
const CONDITION_NAMES = ['agent', 'workflow', 'inputs', 'context', 'safety_level'];

/** The first row of the governance decision table that fits, with the agent's trust afterwards. */
export function governanceRow(facts: GovernanceFacts): GateAnswer & { readonly trust_after: Trust } {
  const trust = facts.agent?.trust ?? 'UNKNOWN';
  const deny = (reason: string, trust_after: Trust = trust) =>
    ({ decision: 'denied', reasons: [reason], trust_after }) as const;
  if (facts.agent === undefined || trust === 'UNKNOWN') return deny('SECURITY_BREACH', 'UNKNOWN');
  const isOwner = facts.agent_id === OWNER;
  if (!isOwner && !isValid('agent', facts.agent)) return deny('GOVERNANCE_FAULT', 'UNKNOWN');
  const misfit = !isOwner && facts.permissions.some(permission => !isValid('permission', permission));
  if (misfit || facts.policies.some(policy => !isValid('policy', policy))) return deny('GOVERNANCE_FAULT');
  const active = facts.policies.filter(policy => policy.active !== false);
  if (new Set(active.map(policy => policy.policy_id)).size < active.length) return deny('GOVERNANCE_FAULT');
  if (!isOwner && !facts.names.every(name => isCovered(name, facts)))
    return deny('MISSING_PERMISSION', facts.dry_run ? trust : lower(trust));
  const { trust_until } = facts.agent;
  const lapsed = trust === 'CONDITIONAL' && trust_until !== undefined && trust_until <= facts.now;
  if (trust === 'UNTRUSTED' || lapsed) return deny('UNTRUSTED');
  if (trust === 'CONDITIONAL' && facts.safety_level !== 'SAFE') return deny('TRUST_TOO_LOW');
  const effects = effectsByLevel(facts);
  const top = effects.findLast(level => level.size > 0) ?? new Set();
  if (effects[0]?.has('deny') === true || top.has('deny')) return deny('POLICY_DENIES');
  if (!top.has('conditional') || facts.confirmed) return { decision: 'allowed', reasons: [], trust_after: trust };
  return facts.dry_run ? { ...deny('CONFIRMATION_NEEDED'), decision: 'allowed' } : deny('CONFIRMATION_NEEDED');
}

function lower(trust: Trust): Trust {
  return trust === 'TRUSTED' ? 'CONDITIONAL' : 'UNTRUSTED';
}

function isCovered(name: string, { permissions, agent_id, now }: GovernanceFacts): boolean {
  return permissions.some(
    ({ domain, actions, scope, granted_to, valid_until }) =>
      granted_to === agent_id &&
      domain === 'execution' &&
      actions.includes('execute') &&
      (valid_until === undefined || now < valid_until) &&
      isInScope(name, scope),
  );
}

/** Whether a name is in a scope; absent it is everything. */
export function isInScope(name: string, scope = '*'): boolean {
  return scope.endsWith('*') ? name.startsWith(scope.slice(0, -1)) : name === scope;
}

/** A policy that is applicable to a start, with what it says of it. */
export interface Applicable {
  readonly policy: Policy;
  readonly effect: Policy['effect'];
  /** Whether its condition is refused, in error or of another type. */
  readonly failed: boolean;
}

/** The active policies that are applicable. */
export function applicablePolicies(facts: GovernanceFacts): readonly Applicable[] {
  const found: Applicable[] = [];
  for (const policy of facts.policies) {
    if (policy.active === false || !concerns(policy, facts)) continue;
    const holds = conditionHolds(policy, facts);
    if (holds === undefined) found.push({ policy, effect: 'deny', failed: true });
    else if (holds) found.push({ policy, effect: policy.effect, failed: false });
  }
  return found;
}

/** What the applicable policies of each level say. */
function effectsByLevel(facts: GovernanceFacts): readonly ReadonlySet<Policy['effect']>[] {
  const levels = [0, 1, 2, 3].map(() => new Set<Policy['effect']>());
  for (const { policy, effect } of applicablePolicies(facts)) levels[policy.level]?.add(effect);
  return levels;
}

function concerns({ level, effect, scope }: Policy, { agent_id, workflow, names }: GovernanceFacts): boolean {
  if (level === 2) return isInScope(agent_id, scope);
  if (level === 3) return isInScope(workflow.name, scope);
  const inScope = names.filter(name => isInScope(name, scope)).length;
  return effect === 'allow' ? inScope === names.length : inScope > 0;
}

/** Undefined where the condition is refused, in error or of another type. */
function conditionHolds({ condition }: Policy, facts: GovernanceFacts): boolean | undefined {
  if (condition === undefined) return true;
  if (refusalOf(condition, CONDITION_NAMES) !== undefined) return undefined;
  const { agent_id, agent, workflow, inputs, context, safety_level } = facts;
  const variables = { agent: { agent_id, trust: agent?.trust ?? 'UNKNOWN' }, workflow, safety_level };
  const evaluated = evaluateExpression(condition, { inputs, context }, variables);
  return 'value' in evaluated && typeof evaluated.value === 'boolean' ? evaluated.value : undefined;
}
