import type { Violation } from '../history/violation.js';
import type { LedgerEntry } from '../program.js';
import { type Answer, answerOf } from './attempt.js';
import { DETERMINISM_BOUND, retryLimit } from './contract.js';
import { sameJson } from './json.js';
import { mayRedo } from './judgement.js';
import { type Complain, type NodeCase, probeOf } from './node-case.js';
import { nodeBehaviour } from './script.js';
import { wasKilled } from './witness.js';

const MOST_REDOS = 3;

/** Judges the invocations of one node one by one: what each was given, and whether it may follow the one before it. */
export function judgeSequence(nodeCase: NodeCase, complain: Complain): void {
  const { entries, action, inputs } = nodeCase;
  let redos = 0;
  for (const [index, entry] of entries.entries()) {
    const { execution_id } = entry;
    if (!sameJson(entry.inputs, inputs)) {
      complain('EB2', `inputs ${JSON.stringify(inputs)}`, `inputs ${JSON.stringify(entry.inputs)}`, execution_id);
    }
    if (entry.action_id !== action.action_id || entry.version !== action.version) {
      const observed = `an invocation of ${entry.action_id}@${entry.version}`;
      complain('AN1', `an invocation of ${action.action_id}@${action.version}`, observed, execution_id);
    }
    const previous = entries[index - 1];
    if (previous === undefined) {
      if ((entry.attempt ?? 1) !== 1) complain('CF10', 'attempt 1', `attempt ${entry.attempt}`, execution_id);
      continue;
    }
    if (entry.idempotency_key !== previous.idempotency_key) {
      complain('ID1', `key ${previous.idempotency_key}`, `key ${entry.idempotency_key}`, execution_id);
    }
    judgeCommitted(nodeCase, previous, entry, complain);
    const isRedo = entry.attempt === previous.attempt;
    redos = isRedo ? redos + 1 : 0;
    if (isRedo) judgeRedo(nodeCase, previous, entry, redos, complain);
    else judgeRetry(nodeCase, index, previous, entry, complain);
  }
  const attempts = new Set(entries.map(entry => entry.attempt)).size;
  const most = 1 + DETERMINISM_BOUND[action.determinism];
  if (attempts > most) complain('CF9', `at most ${most} invocations`, `${attempts} invocations`);
}

/** What has committed is never invoked again. */
function judgeCommitted(nodeCase: NodeCase, previous: LedgerEntry, entry: LedgerEntry, complain: Complain): void {
  const records = nodeCase.witness.records.get(previous.execution_id) ?? [];
  const committed = records.find(record => record.status === 'committed');
  if (committed === undefined) return;
  const observed = `${previous.execution_id} committed, then ${entry.execution_id} invoked`;
  complain('AN5', 'one execution', observed, entry.execution_id);
  if (entry.incarnation === previous.incarnation) return;
  for (const requirement of ['IR5', 'CLI3']) {
    complain(requirement, 'a committed node not executed again', observed, entry.execution_id);
  }
}

function judgeRedo(
  nodeCase: NodeCase,
  previous: LedgerEntry,
  entry: LedgerEntry,
  redos: number,
  complain: Complain,
): void {
  const { action } = nodeCase;
  const { execution_id } = entry;
  if (entry.incarnation === previous.incarnation) {
    complain('AN5', 'one invocation of an attempt', 'another one in the same incarnation', execution_id);
  } else if (!mayRedo(action)) {
    complain('CRC2', `no redo of what is ${action.rollback}`, 'a redo', execution_id);
  } else if (probeReply(nodeCase, previous) === 'applied') {
    complain('CRC2', 'a commit of what the probe calls applied', 'a redo', execution_id);
  } else if (redos > MOST_REDOS) complain('CRC2', `at most ${MOST_REDOS} redos`, `redo ${redos}`, execution_id);
}

/** The verdict that a probe of this execution gave; undefined where none was asked. */
function probeReply(nodeCase: NodeCase, entry: LedgerEntry): string | undefined {
  return nodeCase.witness.probes.has(entry.execution_id) ? probeOf(nodeCase, entry).verdict : undefined;
}

function judgeRetry(
  nodeCase: NodeCase,
  index: number,
  previous: LedgerEntry,
  entry: LedgerEntry,
  complain: Complain,
): void {
  const { program, action, node, own, instance, witness } = nodeCase;
  const { execution_id } = entry;
  const attempt = previous.attempt ?? index;
  if (entry.attempt !== attempt + 1) {
    complain('CF10', `attempt ${attempt + 1}`, `attempt ${entry.attempt}`, execution_id);
    return;
  }
  const behaviour = nodeBehaviour(program.script, node.node_id, index);
  const answer = answerOf(behaviour, action, node, own, instance);
  const unanswered = previous.replied_at === undefined && behaviour.reply !== undefined;
  if (unanswered && wasKilled(witness.observation, previous.incarnation)) {
    complain('CRC2', 'no retry of an attempt that recovery closed', 'a retry', execution_id);
  } else if (answer.kind === 'success') {
    complain('AN5', 'one execution', `attempt ${entry.attempt} after a success`, execution_id);
  } else if (answer.kind === 'error' && !mayRetry(nodeCase, answer, attempt, previous)) {
    complain('CF9', `no retry after attempt ${attempt} failed with ${answer.error_class}`, 'a retry', execution_id);
  }
}

/** Whether a retry follows a failed attempt (Ch5, retries). */
export function mayRetry(
  nodeCase: NodeCase,
  failed: Extract<Answer, { kind: 'error' }>,
  attempt: number,
  entry: LedgerEntry,
): boolean {
  const { action, node } = nodeCase;
  if (attempt > retryLimit(failed.error_class, action, node)) return false;
  if (action.rollback !== 'irreversible' || failed.effect === 'none') return true;
  return probeOf(nodeCase, entry).verdict === 'absent';
}

/** Keys that two nodes share (ID1), and executions that were invoked twice (EX1). */
export function judgeIdentifiers(ledger: readonly LedgerEntry[], found: Violation[]): void {
  const owners = new Map<string, string>();
  const executions = new Set<string>();
  for (const entry of ledger) {
    if (entry.kind !== 'invoke') continue;
    const { execution_id, idempotency_key } = entry;
    const owner = `${entry.node_id} ${entry.action_id}`;
    const first = owners.get(idempotency_key) ?? owner;
    owners.set(idempotency_key, first);
    const place = { execution_id, ...(entry.node_id === undefined ? {} : { node_id: entry.node_id }) };
    if (first !== owner) {
      found.push({ ...place, requirement: 'ID1', expected: `a key of its own`, observed: `that of ${first}` });
    }
    if (executions.has(execution_id)) {
      found.push({ ...place, requirement: 'EX1', expected: 'an execution_id of its own', observed: 'one used before' });
    }
    executions.add(execution_id);
  }
}
