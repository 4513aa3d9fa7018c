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
}

/** Strongest first. */
const STRENGTH: readonly Policy['effect'][] = ['deny', 'conditional', 'allow'];

/**
 * The name of a policy of which two versions are active; undefined where there is none.
 *
 * @requirement I4
 */
export function contradictoryPolicy(policies: readonly Policy[]): string | undefined {
  const active = new Set<string>();
  for (const { policy_id } of policies.filter(isActive)) {
    if (active.has(policy_id)) return policy_id;
    active.add(policy_id);
  }
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
    const effect = effectOn(policy, subject);
    return effect === undefined ? [] : [{ policy_id: policy.policy_id, level: policy.level, effect }];
  });
  const root = applicable.find(({ level, effect }) => level === 0 && effect === 'deny');
  if (root !== undefined) return { effect: 'deny', policy_id: root.policy_id };
  const highest = applicable.reduce((most, { level }) => Math.max(most, level), 0);
  for (const effect of STRENGTH) {
    const deciding = applicable.find(policy => policy.level === highest && policy.effect === effect);
    if (deciding !== undefined) return { effect, policy_id: deciding.policy_id };
  }
  return { effect: 'silent' };
}

function isActive({ active = true }: Policy): boolean {
  return active;
}

/** What an active policy says of the start; undefined where it is not applicable. */
function effectOn(policy: Policy, subject: PolicyCase): Policy['effect'] | undefined {
  if (!matches(policy, subject)) return undefined;
  const holds = conditionOf(policy, subject);
  if (holds === 'error') return 'deny';
  return holds ? policy.effect : undefined;
}

/** At level 2 the scope names agents, at level 3 the workflow; else an allowance has to cover everything, the others one name. */
function matches({ level, effect, scope }: Policy, { agent, workflow, closure }: PolicyCase): boolean {
  if (level === 2) return inScope(scope, agent.agent_id);
  if (level === 3) return inScope(scope, workflow.name);
  return effect === 'allow' ? closure.every(name => inScope(scope, name)) : closure.some(name => inScope(scope, name));
}

/**
 * Whether the condition holds; an error where it is refused, fails, or gives anything but a boolean.
 *
 * @requirement GF3
 */
function conditionOf(
  { condition }: Policy,
  { agent, workflow, inputs, context, level }: PolicyCase,
): boolean | 'error' {
  if (condition === undefined) return true;
  const { agent_id, trust } = agent;
  const bindings = { agent: { agent_id, trust }, workflow, inputs, context, safety_level: level };
  try {
    const value = compileExpression(condition, POLICY_VARIABLES).evaluate(bindings);
    return typeof value === 'boolean' ? value : 'error';
  } catch (error) {
    if (error instanceof ArsError) return 'error';
    throw error;
  }
}
