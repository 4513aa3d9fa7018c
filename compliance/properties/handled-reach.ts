import type { Node } from '../../schemas/types.js';
import { undoesInstance } from '../model/firing.js';
import { refusesResuming } from '../model/judge-steered.js';
import type { Observation, Program } from '../program.js';
import { executed, outcomeOf, someNode } from './seen.js';

type Reach = (program: Program, seen: Observation) => boolean;

/** When a run exercised a requirement about error nodes, skills, or what the log tells of them. */
export const HANDLED_REACH: Readonly<Record<string, Reach>> = {
  EN1: (program, seen) => someNode(program, seen, node => node.type === 'error'),
  EN2: (program, seen) => someNode(program, seen, node => node.type === 'error' && node.handling === 'retry'),
  EN3: (program, seen) => someNode(program, seen, undoesInstance) && undid(seen),
  EN4: (program, seen) => someNode(program, seen, node => node.type === 'error' && node.handling === 'fail'),
  FB7: (program, seen) => someNode(program, seen, undoesInstance) && undid(seen),
  SN1: (program, seen) => someNode(program, seen, isSkill),
  SN2: (program, seen) => someNode(program, seen, isSkill),
  SN3: (program, { start }) =>
    program.workflow.nodes.some(isSkill) && ('execution_id' in start || start.error.kind === 'denied'),
  FB6: (program, seen) =>
    program.workflow.nodes.some(node => isSkill(node) && outcomeOf(seen, node.node_id) === 'failure'),
  FB8: ({ cancel_at }, { cancelled_at }) => cancel_at !== undefined && cancelled_at !== undefined,
  IR1: (_program, { resumed, wait }) => resumed !== undefined && wait?.status === 'completed',
  IR2: (program, seen) => seen.resumed !== undefined && refusesResuming(program, seen) === false,
  IR3: (program, seen) => seen.resumed !== undefined && refusesResuming(program, seen) === true,
  AM2: (_program, seen) => (seen.log ?? []).some(({ record_type }) => RESOLVING.has(record_type)),
  AM3: (_program, seen) => hasChild(seen),
  AM4: (program, seen) =>
    seen.log !== undefined && program.workflow.nodes.some(({ node_id }) => executed(seen, node_id)),
  AM5: (_program, seen) => (seen.log ?? []).some(({ record_type }) => RESOLVING.has(record_type)),
  EB5: (_program, seen) => hasChild(seen),
  EB6: (_program, seen) =>
    (seen.log ?? []).some(({ status, inputs = {} }) => status === 'pending' && Object.keys(inputs).length > 0),
};

const RESOLVING: ReadonlySet<string> = new Set(['skill', 'error', 'terminal']);

function isSkill({ type }: Node): boolean {
  return type === 'skill';
}

function hasChild({ log = [] }: Observation): boolean {
  return log.some(
    ({ status, parent_execution_id }) => status === 'workflow_started' && parent_execution_id !== undefined,
  );
}

function undid({ log = [] }: Observation): boolean {
  return log.some(({ record_type, purpose }) => record_type === 'action' && purpose !== undefined);
}
