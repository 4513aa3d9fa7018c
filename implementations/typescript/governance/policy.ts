import type { Agent, Policy, SafetyLevel } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { compileExpression } from '../execution/expression.js';
import { POLICY_VARIABLES } from '../execution/expression-syntax.js';
import { inScope } from './permission.js';

/** What policies are asked about: one start. */
export interface PolicyCase {
  readonly agent: Agent;
  readonly workflow: { readonly name: string; readonly version: string };
  /** The names of the workflow, its skills and every action that it can come to execute. */
  readonly closure: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly level: SafetyLevel;
}

/** What the policies say of a start, and the policy that decided; silent where none is applicable. */
export interface PolicyVerdict {
  readonly effect: Policy['effect'] | 'silent';
  readonly policy_id?: string;
  /** Why the condition of a policy that denies cannot be decided; absent where it holds. */
  readonly fault?: string;
}

/** A policy of which more than one version is active. */
export interface ContradictoryPolicy {
  readonly policy_id: string;
  readonly versions: readonly string[];
}

/** Strongest first. */
const STRENGTH: readonly Policy['effect'][] = ['deny', 'conditional', 'allow'];

/**
 * The first policy of which more than one version is active, with those versions; undefined where there is none.
 *
 * @requirement I4
 */
export function contradictoryPolicy(policies: readonly Policy[]): ContradictoryPolicy | undefined {
  const active = new Map<string, string[]>();
  for (const { policy_id, version } of policies.filter(isActive)) {
    const versions = active.get(policy_id);
    if (versions === undefined) active.set(policy_id, [version]);
    else versions.push(version);
  }
  for (const [policy_id, versions] of active) if (versions.length > 1) return { policy_id, versions };
  return undefined;
}

/**
 * What the active policies say of a start: an applicable denial of level 0 prevails; else those of the highest level
 * number decide, a denial before a condition before an allowance.
 *
 * @requirement MG2
 * @requirement MG3
 */
export function judgePolicies(policies: readonly Policy[], subject: PolicyCase): PolicyVerdict {
  const applicable = policies.filter(isActive).flatMap(policy => {
    const said = effectOn(policy, subject);
    return said === undefined ? [] : [{ level: policy.level, said: { policy_id: policy.policy_id, ...said } }];
  });
  const root = applicable.find(({ level, said }) => level === 0 && said.effect === 'deny');
  if (root !== undefined) return root.said;
  const highest = applicable.reduce((most, { level }) => Math.max(most, level), 0);
  for (const effect of STRENGTH) {
    const deciding = applicable.find(({ level, said }) => level === highest && said.effect === effect);
    if (deciding !== undefined) return deciding.said;
  }
  return { effect: 'silent' };
}

function isActive({ active = true }: Policy): boolean {
  return active;
}

/** What an active policy says of the start; undefined where it is not applicable. */
function effectOn(
  policy: Policy,
  subject: PolicyCase,
): (Pick<PolicyVerdict, 'fault'> & { effect: Policy['effect'] }) | undefined {
  if (!matches(policy, subject)) return undefined;
  const holds = conditionOf(policy, subject);
  if (typeof holds !== 'boolean') return { effect: 'deny', ...holds };
  return holds ? { effect: policy.effect } : undefined;
}

/** At level 2 the scope names agents, at level 3 the workflow; else an allowance has to cover everything, the others one name. */
function matches({ level, effect, scope }: Policy, { agent, workflow, closure }: PolicyCase): boolean {
  if (level === 2) return inScope(scope, agent.agent_id);
  if (level === 3) return inScope(scope, workflow.name);
  return effect === 'allow' ? closure.every(name => inScope(scope, name)) : closure.some(name => inScope(scope, name));
}

/**
 * Whether the condition holds, or why that cannot be told: it is refused, fails, or gives anything but a boolean.
 *
 * @requirement GF3
 */
function conditionOf(
  { condition }: Policy,
  { agent, workflow, inputs, context, level }: PolicyCase,
): boolean | { readonly fault: string } {
  if (condition === undefined) return true;
  const { agent_id, trust } = agent;
  const bindings = { agent: { agent_id, trust }, workflow, inputs, context, safety_level: level };
  try {
    const value = compileExpression(condition, POLICY_VARIABLES).evaluate(bindings);
    return typeof value === 'boolean' ? value : { fault: `it gives ${kindOf(value)}, not true or false` };
  } catch (error) {
    if (error instanceof ArsError) return { fault: error.message };
    throw error;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}
