import type { ActionNode, ProbeAnswer, StateChange } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { LedgerEntry, Program } from '../program.js';
import { failure } from './action-node.js';
import { type Answer, acceptResult, answerOf, checkPreconditions } from './attempt.js';
import { fitsSchema, hasSideEffects, resolveAction } from './contract.js';
import type { NodeRun, Resolution } from './firing.js';
import { judgeSequence, mayRetry } from './judge-sequence.js';
import { judgeUndos } from './judge-undos.js';
import { type Decision, decideByCategory, decideInterrupted, undoAction, undoDecision } from './judgement.js';
import { evaluateObjectMapping } from './mapping.js';
import { type Complain, type NodeCase, probeOf } from './node-case.js';
import type { Scope } from './scope.js';
import { nodeBehaviour, undoBehaviour } from './script.js';
import { type Fold, versionsHold } from './state.js';
import { type Witness, wasKilled } from './witness.js';

const MOST_REDOS = 3;

/**
 * The resolution of a ready action node that explains what was observed of it, after Ch5 and Ch6; what no rule allows is
 * reported. Undefined where it was not resolved when the observation ended.
 */
export function judgeActionNode(
  node: ActionNode,
  program: Program,
  witness: Witness,
  instance: Scope,
  fold: Fold,
  handled: boolean,
  found: Violation[],
): Resolution | undefined {
  const entries = witness.invocations.get(node.node_id) ?? [];
  const complain: Complain = (requirement, expected, observed, execution_id) =>
    found.push({
      requirement,
      expected,
      observed,
      node_id: node.node_id,
      ...(execution_id === undefined ? {} : { execution_id }),
    });
  const action = resolveAction(node.action_def, program);
  const mapped = evaluateObjectMapping(node.input_mapping ?? {}, instance);
  if (action === undefined || 'error' in mapped) return neverInvoked('AN3', entries, complain, handled);
  const inputs = mapped.value;
  const own: Scope = { inputs, ...(instance.context === undefined ? {} : { context: instance.context }) };
  if (!fitsSchema(action.input_schema, inputs)) return neverInvoked('AN3', entries, complain, handled);
  const before = checkPreconditions(action, own);
  if (before === 'blocked') return neverInvoked('PR-H', entries, complain, handled);
  const undo = undoAction(action, program);
  const known = { node, action, undo, program, witness, entries, inputs, own, instance, fold, handled };
  const nodeCase: NodeCase = { ...known, degraded: before === 'degraded' };
  judgeSequence(nodeCase, complain);
  return chooseResolution(nodeCase, complain);
}

function neverInvoked(
  requirement: string,
  entries: readonly LedgerEntry[],
  complain: Complain,
  handled: boolean,
): Resolution {
  const [first] = entries;
  if (first !== undefined) complain(requirement, 'no invocation', 'an invocation', first.execution_id);
  return failure('E4', handled, 0);
}

function chooseResolution(nodeCase: NodeCase, complain: Complain): Resolution | undefined {
  const { node, witness, entries } = nodeCase;
  const traced = witness.trace.get(node.node_id);
  const candidates = candidatesOf(nodeCase);
  const undone = witness.undos.get(node.node_id) ?? [];
  if (traced === undefined) return undefined;
  const same = candidates.filter(candidate => candidate.outcome === traced.outcome);
  const undoing = same.filter(candidate => (candidate.run?.undo !== undefined) === undone.length > 0);
  const fitting = explaining(nodeCase, undoing.length > 0 ? undoing : same);
  judgeUndos(nodeCase, fitting, undone, complain);
  judgeRecorded(nodeCase, traced.outcome, complain);
  if (fitting === undefined) {
    const expected = [...new Set(candidates.map(({ outcome }) => outcome))].join(' or ') || 'another attempt';
    const requirement = witness.observation.kills > 0 ? 'CRC1' : entries.length === 0 ? 'AN1' : 'AN2';
    complain(requirement, expected, `${traced.outcome} after ${entries.length} invocations`);
    return { ...(candidates[0] ?? failure('E4', nodeCase.handled, traced.attempts)), outcome: traced.outcome };
  }
  const attempts = same.map(candidate => candidate.attempts);
  if (!attempts.includes(traced.attempts)) {
    complain('CF10', `${[...new Set(attempts)].join(' or ')} attempts`, `${traced.attempts} attempts`);
  }
  return fitting;
}

/**
 * Of several explanations the one that the rest of what was seen agrees with: a kill that comes with an error leaves open
 * whether that or the interruption was recorded. The log tells the class, else what follows tells whether its edges are
 * dead.
 */
function explaining({ node, program, witness }: NodeCase, candidates: readonly Resolution[]): Resolution | undefined {
  if (candidates.length < 2) return candidates[0];
  const records = (witness.executions.get(node.node_id) ?? []).flatMap(id => witness.records.get(id) ?? []);
  const recorded = records.findLast(({ status }) => status === 'failed')?.error_class;
  if (recorded !== undefined) return candidates.find(one => one.error_class === recorded) ?? candidates[0];
  const { edges, nodes } = program.workflow;
  const needs = (id: string) =>
    edges.filter(({ to_node }) => to_node === id).length === 1 ||
    nodes.some(({ node_id, join_type }) => node_id === id && join_type === 'AND');
  const ran = (id: string) => (witness.trace.get(id)?.outcome ?? 'skipped') !== 'skipped';
  const went = edges.some(({ from_node, to_node }) => from_node === node.node_id && needs(to_node) && ran(to_node));
  return candidates.find(one => (one.drains !== true) === went) ?? candidates[0];
}

/** With a log: success is what has committed, and what has committed stays a success, kills or not. */
function judgeRecorded({ node, witness }: NodeCase, outcome: string, complain: Complain): void {
  if (witness.observation.log === undefined) return;
  const records = (witness.executions.get(node.node_id) ?? []).flatMap(id => witness.records.get(id) ?? []);
  const committed = records.find(({ status }) => status === 'committed');
  if (outcome === 'success' && committed === undefined) complain('PC3', 'a committed record', 'success without one');
  if (outcome === 'success' || committed === undefined) return;
  const killed = wasKilled(witness.observation, committed.incarnation);
  complain(killed ? 'CLI3' : 'AN2', 'success of what has committed', outcome, committed.execution_id);
}

/** Every resolution that the rules allow, given which invocations there were and which incarnations were killed. */
function candidatesOf(nodeCase: NodeCase): readonly Resolution[] {
  const { entries, witness } = nodeCase;
  const { kills } = witness.observation;
  const last = entries.at(-1);
  if (last === undefined) return kills > 0 ? interrupted(nodeCase, undefined, 1) : [];
  const attempt = last.attempt ?? entries.length;
  const killed = wasKilled(witness.observation, last.incarnation);
  const candidates: Resolution[] = [];
  const answer = lastAnswer(nodeCase);
  const answered =
    last.replied_at !== undefined || answer.kind === 'never' || nodeBehaviourOf(nodeCase).reply === undefined;
  const lives =
    answered || !killed ? redoOptions(nodeCase, last).map(redo => settle(nodeCase, last, answer, attempt, redo)) : [];
  for (const live of lives) if (live !== 'retry') candidates.push(live);
  if (killed) candidates.push(...interrupted(nodeCase, last, attempt));
  if (killed && lives.includes('retry')) candidates.push(...interrupted(nodeCase, undefined, attempt + 1));
  return candidates;
}

/** Whether the last invocation was a redo. Without a log, a redo of what was never invoked looks like a first attempt. */
function redoOptions({ entries, witness }: NodeCase, last: LedgerEntry): readonly boolean[] {
  if (entries.filter(entry => entry.attempt === last.attempt).length > 1) return [true];
  const pending = witness.records.get(last.execution_id)?.[0];
  if (pending !== undefined) return [pending.refers_to !== undefined];
  return last.incarnation > 1 ? [false, true] : [false];
}

function nodeBehaviourOf({ program, node, entries }: NodeCase): ReturnType<typeof nodeBehaviour> {
  return nodeBehaviour(program.script, node.node_id, entries.length);
}

function lastAnswer(nodeCase: NodeCase): Answer {
  const { action, node, own, instance } = nodeCase;
  return answerOf(nodeBehaviourOf(nodeCase), action, node, own, instance);
}

/** How the last attempt ends in an incarnation that lives long enough, or that another one follows it. */
function settle(
  nodeCase: NodeCase,
  last: LedgerEntry,
  answer: Answer,
  attempt: number,
  redone: boolean,
): Resolution | 'retry' {
  const { action, undo, entries, fold } = nodeCase;
  if (answer.kind === 'never') return { outcome: 'running', attempts: attempt };
  if (answer.kind === 'success') {
    if (versionsHold(fold, answer.changes)) return succeeded(nodeCase, answer, attempt);
    const decision = hasSideEffects(action) ? undoDecision(action, undo) : 'close';
    return carriedOut(nodeCase, decision, attempt, 'E4', answer.changes);
  }
  if (mayRetry(nodeCase, answer, attempt, last)) return 'retry';
  const possible = redone || entries.some((_, index) => hadUnknownEffect(nodeCase, index + 1));
  if (!hasSideEffects(action) || !possible) return carriedOut(nodeCase, 'close', attempt, answer.error_class);
  if (answer.refused) return carriedOut(nodeCase, undoDecision(action, undo), attempt, answer.error_class);
  const probe = probeOf(nodeCase, last);
  return carriedOut(nodeCase, decideByCategory(action, probe.verdict, undo), attempt, answer.error_class, [], probe);
}

function hadUnknownEffect({ program, action, node, own, instance }: NodeCase, n: number): boolean {
  const answer = answerOf(nodeBehaviour(program.script, node.node_id, n), action, node, own, instance);
  return answer.kind === 'error' && answer.effect === 'unknown';
}

/** What the table makes of an execution that a kill interrupted: of the last invocation, or of one that never was. */
function interrupted(nodeCase: NodeCase, entry: LedgerEntry | undefined, attempt: number): readonly Resolution[] {
  const { action, undo, witness } = nodeCase;
  const probe = probeOf(nodeCase, entry);
  const decision = decideInterrupted(action, probe.verdict, undo);
  if (decision !== 'redo') return [carriedOut(nodeCase, decision, attempt, 'E3', [], probe)];
  if (witness.observation.kills <= MOST_REDOS) return [];
  return [carriedOut(nodeCase, decideByCategory(action, probe.verdict, undo), attempt, 'E3', [], probe)];
}

function succeeded(
  { inputs, entries, degraded }: NodeCase,
  answer: Extract<Answer, { kind: 'success' }>,
  attempts: number,
): Resolution {
  const run: NodeRun = {
    ...(inputs === undefined ? {} : { inputs }),
    invocations: entries.length,
    committed: true,
    changes: answer.changes,
    contested: [],
    degraded: answer.degraded || degraded,
    result: answer.result,
  };
  return { outcome: 'success', attempts, outputs: answer.outputs, run };
}

function carriedOut(
  nodeCase: NodeCase,
  decision: Decision,
  attempts: number,
  errorClass: 'E0' | 'E1' | 'E2' | 'E3' | 'E4' | 'E5',
  contested: readonly StateChange[] = [],
  probe?: ProbeAnswer,
): Resolution {
  const { action, undo, program, entries, handled, inputs } = nodeCase;
  const base: NodeRun = {
    ...(inputs === undefined ? {} : { inputs }),
    invocations: entries.length,
    committed: false,
    changes: [],
    contested,
    degraded: false,
  };
  if (decision === 'commit') {
    const reply = { outputs: probe?.outputs ?? {}, state_changes: probe?.state_changes ?? [] };
    const answer = acceptResult(reply, action, nodeCase.node, nodeCase.own, nodeCase.instance);
    if (answer.kind === 'success' && versionsHold(nodeCase.fold, answer.changes)) {
      return succeeded(nodeCase, answer, attempts);
    }
    const refused = hasSideEffects(action) ? undoDecision(action, undo) : 'close';
    return carriedOut(nodeCase, refused, attempts, 'E4', reply.state_changes);
  }
  if (decision === 'in_doubt') return { outcome: 'in_doubt', attempts, run: base };
  if (decision === 'close' || undo === undefined) return failure(errorClass, handled, attempts, base);
  const reply = undoBehaviour(program.script, undo.action_id, 1).reply;
  const done = reply !== undefined && 'outputs' in reply;
  const changes = done ? (reply.state_changes ?? []) : [];
  const run: NodeRun = { ...base, undo: { action_id: undo.action_id, done, changes } };
  return done ? failure(errorClass, handled, attempts, run) : { outcome: 'in_doubt', attempts, run };
}
