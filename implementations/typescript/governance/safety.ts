import type { DryRun, SafetyLevel, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { digest } from '../state/canonical.js';
import { findClosure, findExecutions } from '../verification/closure.js';
import { type Levels, levelsOf } from '../verification/levels.js';
import { findSkills } from '../verification/skills.js';
import { type Plan, withDefaults } from '../workflow/plan.js';
import { parseReference } from '../workflow/resolve.js';

/** A node, and what makes it as risky as it is. */
export interface RiskCause {
  /** The node of the workflow, that runs a skill where the action is in one. */
  readonly node_id: string;
  /** The action itself, or one that executing it can lead to. */
  readonly action_id: string;
  /** The level of the node. */
  readonly level: SafetyLevel;
}

/** What a start of the plan with these inputs has to be confirmed for, and how risky it is. */
export function riskOf(plan: Plan, inputs: Readonly<Record<string, unknown>>): DryRun {
  const { resolved_digest } = plan;
  return { resolved_digest, inputs_digest: digest(withDefaults(plan, inputs)), safety_level: levelOf(plan) };
}

/** The level of a plan, computed by what the verification report computes it with. */
export function levelOf(plan: Plan): SafetyLevel {
  return levelsOfPlan(plan).at_least;
}

/** The nodes that give a plan its level, in order of node_id, each with the action that does; none where it is SAFE. */
export function causesOf(plan: Plan): readonly RiskCause[] {
  const { level, nodes } = levelsOfPlan(plan);
  return nodes
    .filter(node => node.level === level)
    .map(({ node_id, at_least, reasons }) => ({
      node_id,
      action_id: parseReference(reasons[0]?.action ?? '@').name,
      level: at_least,
    }));
}

const assessed = new WeakMap<Plan, Levels>();

/** Found once for a plan, which several gates ask about. */
function levelsOfPlan(plan: Plan): Levels {
  const levels = assessed.get(plan) ?? assess(plan);
  if (levels.level === 'UNKNOWN')
    throw new ArsError('internal', `The level of ${plan.workflow_id} is not known: ${levels.reason}.`);
  assessed.set(plan, levels);
  return levels;
}

function assess({ workflow, resolved }: Plan): Levels {
  const { actions, workflows } = resolved;
  const registry = { schema_version: '1.0' as const, actions: [...actions], workflows: [...workflows] };
  const skills = findSkills(undefined, registry, []);
  const executions = findExecutions(workflow.nodes);
  const closure = findClosure(executions.targets, {
    complete: true,
    action: (skill: Workflow | undefined, reference) => skills.actionIn(skill ?? workflow, reference),
    skill: skills.resolve,
  });
  return levelsOf(workflow.nodes, executions, closure);
}
