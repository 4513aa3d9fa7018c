import type { Action, SafetyLevel } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { resolveAction } from './contract.js';
import { resolveWorkflow, within } from './documents.js';

const LEVELS: readonly SafetyLevel[] = ['SAFE', 'CONDITIONALLY_SAFE', 'RISKY', 'IRREVERSIBLE'];

/** How risky something is, and the rule of Ch8 that makes it so; SC1 where no source of risk does. */
export interface Risk {
  readonly level: SafetyLevel;
  readonly requirement: 'RS1' | 'RS2' | 'RS3' | 'RS4' | 'RS5' | 'SC1';
}

const NONE: Risk = { level: 'SAFE', requirement: 'SC1' };

/** The risk of running a program's workflow (Ch8): the highest that anything in its closure brings. */
export function riskOf(program: Program): Risk {
  return closureOf(program).reduce((worst, use) => higher(worst, riskOfAction(use.action, use.program)), NONE);
}

/** Whether a start of this level needs a confirmation. */
export function needsConfirmation(level: SafetyLevel): boolean {
  return level === 'RISKY' || level === 'IRREVERSIBLE';
}

/** Which of two levels is the higher one: positive where it is the first. */
export function compareLevels(a: SafetyLevel, b: SafetyLevel): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}

function higher(a: Risk, b: Risk): Risk {
  return compareLevels(b.level, a.level) > 0 ? b : a;
}

function riskOfAction(action: Action, program: Program): Risk {
  const effects = action.side_effects ?? [];
  if (action.rollback === 'irreversible') return { level: 'IRREVERSIBLE', requirement: 'RS5' };
  if (hasGap(action, program)) return { level: 'RISKY', requirement: 'RS4' };
  if (effects.includes('external_service')) return { level: 'RISKY', requirement: 'RS3' };
  if (effects.includes('remote_server')) return { level: 'CONDITIONALLY_SAFE', requirement: 'RS2' };
  if (action.determinism === 'non_deterministic') return { level: 'CONDITIONALLY_SAFE', requirement: 'RS1' };
  return NONE;
}

/** A compensatable action without a compensation that resolves, or with one that is itself irreversible. */
function hasGap({ rollback, compensation }: Action, program: Program): boolean {
  if (rollback !== 'compensatable') return false;
  const undo = compensation === undefined ? undefined : resolveAction(compensation, program);
  return undo === undefined || undo.rollback === 'irreversible';
}

/** An action, and the program in which its references mean something. */
export interface Use {
  readonly action: Action;
  readonly program: Program;
}

/** The program, and as programs all workflows that it runs as skills, however deep. */
export function skillsOf(program: Program): readonly Program[] {
  const found: Program[] = [];
  const seen = new Set<string>();
  const open: Program[] = [program];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(JSON.stringify(at.workflow.workflow))) continue;
    seen.add(JSON.stringify(at.workflow.workflow));
    found.push(at);
    for (const node of at.workflow.nodes) {
      const skill = node.type === 'skill' ? resolveWorkflow(node.workflow_ref, at) : undefined;
      if (skill !== undefined) open.push(within(at, skill));
    }
  }
  return found;
}

/**
 * Every action that the workflow can come to execute: those of its nodes and of its skills, and their reverts and
 * compensations in turn.
 */
export function closureOf(program: Program): readonly Use[] {
  const found: Use[] = [];
  const open: { readonly reference: string; readonly program: Program }[] = [];
  for (const at of skillsOf(program)) {
    for (const node of at.workflow.nodes) {
      if (node.type === 'action') open.push({ reference: node.action_def, program: at });
      if (node.type === 'error' && node.compensate_ref !== undefined)
        open.push({ reference: node.compensate_ref, program: at });
    }
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { program: own } = next;
    const action = resolveAction(next.reference, own);
    if (action === undefined || found.some(use => use.action === action && use.program === own)) continue;
    found.push({ action, program: own });
    const undo = action.rollback === 'rollbackable' ? action.revert : action.compensation;
    if (undo !== undefined && action.rollback !== 'irreversible') open.push({ reference: undo, program: own });
  }
  return found;
}
