import type { Action, SafetyLevel } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { resolveAction } from './contract.js';

const LEVELS: readonly SafetyLevel[] = ['SAFE', 'CONDITIONALLY_SAFE', 'RISKY', 'IRREVERSIBLE'];

/** How risky something is, and the rule of Ch8 that makes it so; SC1 where no source of risk does. */
export interface Risk {
  readonly level: SafetyLevel;
  readonly requirement: 'RS1' | 'RS2' | 'RS3' | 'RS4' | 'RS5' | 'SC1';
}

const NONE: Risk = { level: 'SAFE', requirement: 'SC1' };

/** The risk of running a program's workflow (Ch8): the highest that anything in its closure brings. */
export function riskOf(program: Program): Risk {
  return closureOf(program).reduce((worst, action) => higher(worst, riskOfAction(action, program)), NONE);
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

/** Every action that the workflow can come to execute: those of its nodes, and their reverts and compensations in turn. */
function closureOf(program: Program): readonly Action[] {
  const found = new Set<Action>();
  const open: string[] = [];
  for (const node of program.workflow.nodes) {
    if (node.type === 'action') open.push(node.action_def);
    if (node.type === 'error' && node.compensate_ref !== undefined) open.push(node.compensate_ref);
  }
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    const action = resolveAction(reference, program);
    if (action === undefined || found.has(action)) continue;
    found.add(action);
    const undo = action.rollback === 'rollbackable' ? action.revert : action.compensation;
    if (undo !== undefined && action.rollback !== 'irreversible') open.push(undo);
  }
  return [...found];
}
