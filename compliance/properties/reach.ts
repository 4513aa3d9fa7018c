import type { AuditRecord, Edge, Node } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import type { Observation, Program } from '../program.js';
import { incarnations } from './crash.js';
import { settledBeforeKill } from './crash-ledger.js';
import { HANDLED_REACH } from './handled-reach.js';
import { executed, invoked, outcomeOf, someNode, started } from './seen.js';
import { UNDO_REACH } from './undo-violations.js';

type Reach = (program: Program, observation: Observation) => boolean;

/**
 * When a run exercised a requirement: the situation that the requirement speaks of came about. Where it did not, the run
 * says nothing about it, however well it went.
 */
const REACH: Readonly<Record<string, Reach>> = {
  CF1: (program, seen) => program.workflow.edges.some(edge => followed(edge, seen)),
  CF2: (program, seen) => someNode(program, seen, (node, { outs }) => node.type === 'condition' && outs > 1),
  CF3: (program, seen) => someNode(program, seen, node => fansOut(node) && takenFrom(node, program, seen) > 1),
  CF4: (program, seen) => someNode(program, seen, (node, { ins }) => ins > 1 && node.join_type === 'AND'),
  CF5: (program, seen) => someNode(program, seen, (node, { ins }) => ins > 1 && node.join_type !== 'AND'),
  CF6: (program, seen) => someNode(program, seen, (node, { ins }) => ins > 1 && node.type === 'action'),
  CF8: (_program, seen) => (seen.wait?.trace ?? []).some(({ outcome }) => outcome === 'skipped'),
  EB4: (program, seen) =>
    program.workflow.edges.some(
      ({ from_node, to_node }) => outcomeOf(seen, from_node) === 'skipped' && outcomeOf(seen, to_node) === 'skipped',
    ),
  AN1: (_program, seen) => invoked(seen),
  AN2: (program, seen) => someNode(program, seen, node => node.type === 'action'),
  AN5: (_program, seen) => invoked(seen),
  CF7: (_program, seen) => invoked(seen),
  EB2: (program, seen) => someNode(program, seen, node => node.type === 'action' && node.input_mapping !== undefined),
  EB3: (_program, seen) => Object.keys(seen.wait?.outputs ?? {}).length > 0,
  CF9: (_program, seen) => retried(seen),
  CF10: (_program, seen) => retried(seen),
  ID1: (_program, seen) => retried(seen),
  FB1: (program, seen) => failed(program, seen, labels => labels.includes('failure') || labels.includes('always')),
  FB2: (program, seen) => failed(program, seen, labels => !labels.includes('failure') && !labels.includes('always')),
  FB3: (_program, seen) => seen.ledger.some(({ reply }) => errorClass(reply) === 'E5'),
  FB5: (_program, seen) => seen.wait?.status === 'in_doubt',
  CN3: (program, seen) =>
    someNode(program, seen, node => node.type === 'condition' && outcomeOf(seen, node.node_id) === 'failure'),
  CN1: (program, seen) => someNode(program, seen, node => node.type === 'condition'),
  WII6: (program, seen) => log(seen) && someNode(program, seen, node => node.type === 'condition'),
  WII2: (_program, seen) => log(seen) && invoked(seen),
  WII7: (_program, seen) => log(seen) && invoked(seen),
  P1: (_program, seen) => log(seen) && invoked(seen),
  EC1: (_program, seen) => log(seen) && invoked(seen),
  PC4: (program, seen) => program.workflow.edges.some(edge => followed(edge, seen)),
  TN1: (program, seen) => someNode(program, seen, node => node.type === 'terminal'),
  TN2: (program, seen) => someNode(program, seen, node => node.type === 'terminal'),
  AII1: (_program, seen) => has(seen, 'action', 'committed'),
  AII2: (_program, seen) => has(seen, 'action', 'rolled_back') || has(seen, 'action', 'compensated'),
  ...UNDO_REACH,
  ...HANDLED_REACH,
  AII3: (_program, seen) => has(seen, 'action', 'committed'),
  AII7: (_program, seen) => has(seen, 'action', 'committed'),
  CLI2: (_program, seen) => has(seen, 'action', 'committed'),
  AII6: (_program, seen) => (seen.exports ?? []).filter(text => text !== '').length > 1,
  AW2: (_program, seen) => (seen.log ?? []).length > 0,
  AW3: (_program, seen) => (seen.log ?? []).length > 1,
  AW5: (_program, seen) => (seen.log ?? []).length > 1,
  AW6: (_program, seen) => (seen.log ?? []).length > 1,
  PC5: (_program, seen) => (seen.log ?? []).length > 0,
  AM1: (_program, seen) => has(seen, 'workflow', 'workflow_started'),
  EX1: (_program, seen) => seen.ledger.filter(({ kind }) => kind === 'invoke').length > 1,
  AII4: (_program, seen) => seen.state !== undefined && writes(seen).length > 0,
  CI2: (_program, seen) => seen.state !== undefined && writes(seen).length > 0,
  CC1: (_program, seen) => killed(seen) && writes(seen).length > 0,
  CC2: (_program, seen) => killed(seen) && seen.state !== undefined,
  CC3: (_program, seen) => killed(seen) && has(seen, 'action', 'pending'),
  CLI1: (_program, seen) => killed(seen) && invoked(seen),
  CLI3: (program, seen) => committedBefore(program, seen),
  IR4: (_program, seen) => killed(seen) && started(seen),
  IR5: (program, seen) => committedBefore(program, seen),
  CR1: (_program, seen) => killed(seen) && decisions(seen).length > 0,
  CRC1: (_program, seen) => decisions(seen).length > 0,
  CRC2: (_program, seen) => decisions(seen).length > 0,
  CRC3: (_program, seen) => seen.kills > 1 && decisions(seen).length > 0,
  G1: (_program, seen) => has(seen, 'workflow', 'workflow_started'),
  G2: (_program, seen) => 'error' in seen.start && seen.start.error.kind === 'denied',
};

/** Tells whether a run exercised a requirement; throws `suite_bug` for one whose situation nobody has described. */
export function reached(requirement: string, program: Program, observation: Observation): boolean {
  const reach = Object.hasOwn(REACH, requirement) ? REACH[requirement] : undefined;
  if (reach === undefined) throw new SuiteError('suite_bug', `nothing says when '${requirement}' is reached`);
  return reach(program, observation);
}

/** Gives what recovery decided, over all openings. */
export function decisions(observation: Observation): readonly { readonly execution_id: string }[] {
  return observation.recoveries.flatMap(report => report?.decisions ?? []);
}

function retried(seen: Observation): boolean {
  return seen.ledger.some(({ kind, attempt }) => kind === 'invoke' && (attempt ?? 1) > 1);
}

/** Whether an action node failed whose out-edges have such labels. */
function failed(program: Program, seen: Observation, fits: (labels: readonly string[]) => boolean): boolean {
  return program.workflow.nodes.some(
    ({ type, node_id }) =>
      type === 'action' &&
      outcomeOf(seen, node_id) === 'failure' &&
      fits(program.workflow.edges.filter(({ from_node }) => from_node === node_id).map(({ label }) => label)),
  );
}

function errorClass(reply: unknown): unknown {
  return (reply as { error?: { error_class?: unknown } } | undefined)?.error?.error_class;
}

function followed({ from_node, to_node, label }: Edge, seen: Observation): boolean {
  const outcome = outcomeOf(seen, from_node);
  return (label === outcome || label === 'always') && executed(seen, to_node);
}

function fansOut(node: Node): boolean {
  return 'fan_out' in node && node.fan_out === 'parallel';
}

function takenFrom(node: Node, program: Program, seen: Observation): number {
  const outcome = outcomeOf(seen, node.node_id);
  return program.workflow.edges.filter(
    edge => edge.from_node === node.node_id && (edge.label === outcome || edge.label === 'always'),
  ).length;
}

function log(seen: Observation): boolean {
  return seen.log !== undefined;
}

function has(seen: Observation, type: AuditRecord['record_type'], status: AuditRecord['status']): boolean {
  return (seen.log ?? []).some(record => record.record_type === type && record.status === status);
}

function writes(seen: Observation): readonly AuditRecord[] {
  return (seen.log ?? []).filter(
    ({ status, state_changes }) => status === 'committed' && (state_changes ?? []).length > 0,
  );
}

function killed(seen: Observation): boolean {
  return seen.kills > 0;
}

/** Whether something had committed before a kill, by the log or by the ledger alone. */
function committedBefore(program: Program, seen: Observation): boolean {
  return killed(seen) && (committedBeforeLast(seen) || settledBeforeKill(program, seen).length > 0);
}

function committedBeforeLast(seen: Observation): boolean {
  return (seen.log ?? []).some(
    ({ record_type, status, incarnation }) =>
      record_type === 'action' && status === 'committed' && incarnation < incarnations(seen),
  );
}
