import type { AuditRecord } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import { hasHandlers } from '../model/documents.js';
import type { LedgerEntry, Observation, Program } from '../program.js';

/** How many times the workspace was opened. */
export function incarnations({ kills }: Observation): number {
  return kills + 1;
}

/**
 * The requirements about crashes that a killed run breaks, by its log and the suite's ledger; empty for a run that was not
 * killed or has no log.
 */
export function crashViolations(program: Program, observation: Observation): Violation[] {
  if (observation.kills === 0 || observation.log === undefined) return [];
  const actions = observation.log.filter(({ record_type }) => record_type === 'action');
  return [
    ...lostCommits(program, observation, actions),
    ...withdrawnCommits(actions),
    ...repeatedNodes(observation, actions),
    ...openExecutions(observation, actions),
    ...undecided(observation.log),
    ...startsBeforeDeciding(observation.log),
    ...strayInvocations(program, observation, actions),
    ...closedEarly(observation.log),
  ];
}

/** A runtime that stops at the n-th passing of `committed` has n commits that are durable (CC1). */
function lostCommits({ kills }: Program, observation: Observation, actions: readonly AuditRecord[]): Violation[] {
  return kills.slice(0, observation.kills).flatMap((kill, index) => {
    if (kill.at !== 'point' || kill.point !== 'committed') return [];
    const durable = actions.filter(
      ({ status, incarnation }) => status === 'committed' && incarnation === index + 1,
    ).length;
    if (durable >= kill.occurrence) return [];
    const expected = `${kill.occurrence} commits of incarnation ${index + 1} after the kill`;
    return [{ requirement: 'CC1', expected, observed: `${durable} commits` }];
  });
}

/** What is committed stays committed in every later incarnation (CLI3). */
function withdrawnCommits(actions: readonly AuditRecord[]): Violation[] {
  const committed = new Map<string, number>();
  const found: Violation[] = [];
  for (const { execution_id, status, incarnation, sequence } of actions) {
    const before = committed.get(execution_id);
    if (status === 'committed') committed.set(execution_id, incarnation);
    else if (before !== undefined && before < incarnation && status !== 'rolled_back' && status !== 'compensated') {
      const observed = `${status} in incarnation ${incarnation}`;
      found.push({ requirement: 'CLI3', expected: 'committed for good', observed, execution_id, sequence });
    }
  }
  return found;
}

/** A node that was committed before a restart is not invoked after it (IR5). */
function repeatedNodes({ ledger }: Observation, actions: readonly AuditRecord[]): Violation[] {
  const done = new Map<string, AuditRecord>();
  for (const record of actions) {
    const executes = (record.purpose ?? 'execute') === 'execute';
    if (record.status === 'committed' && executes) done.set(`${record.parent_execution_id} ${record.node_id}`, record);
  }
  return ledger.flatMap((entry): Violation[] => {
    const commit = done.get(`${entry.instance_id} ${entry.node_id}`);
    const again = entry.kind === 'invoke' && commit !== undefined && commit.action_id === entry.action_id;
    if (!again || entry.incarnation <= commit.incarnation) return [];
    const expected = `no invocation after its commit in incarnation ${commit.incarnation}`;
    return [violation('IR5', expected, `invoked in incarnation ${entry.incarnation}`, entry)];
  });
}

/** What an earlier incarnation left pending is decided (CRC1), so that every invocation lies between two marks (CC3). */
function openExecutions(observation: Observation, actions: readonly AuditRecord[]): Violation[] {
  const last = new Map<string, AuditRecord>();
  for (const record of actions) last.set(record.execution_id, record);
  const found: Violation[] = [];
  for (const { status, execution_id, incarnation, node_id, sequence } of last.values()) {
    if (status !== 'pending' || incarnation >= incarnations(observation)) continue;
    const place = { execution_id, sequence, ...(node_id === undefined ? {} : { node_id }) };
    const observed = `pending since incarnation ${incarnation}`;
    found.push({ ...place, requirement: 'CRC1', expected: 'a decision by the table', observed });
    found.push({ ...place, requirement: 'CC3', expected: 'committed, failed or in_doubt at the end', observed });
  }
  return found;
}

/** What an earlier incarnation left pending goes on only by a decision that is recorded (CRC1). */
function undecided(log: readonly AuditRecord[]): Violation[] {
  const pending = new Map<string, number>();
  const found: Violation[] = [];
  for (const { record_type, status, execution_id, incarnation, node_id, sequence } of log) {
    const began = pending.get(execution_id);
    if (record_type === 'recovery' || record_type === 'approval') pending.delete(execution_id);
    if (record_type !== 'action') continue;
    if (status === 'pending') pending.set(execution_id, incarnation);
    else if (status === 'committed' && began !== undefined && began < incarnation) {
      const place = { execution_id, sequence, ...(node_id === undefined ? {} : { node_id }) };
      const observed = `${status} in incarnation ${incarnation}, pending since ${began}`;
      found.push({ ...place, requirement: 'CRC1', expected: 'a recovery record that decides it', observed });
    }
  }
  return found;
}

/** An opening decides what it finds pending before anything new begins (CR1). */
function startsBeforeDeciding(log: readonly AuditRecord[]): Violation[] {
  const pending = new Map<string, number>();
  const found: Violation[] = [];
  for (const { record_type, status, execution_id, incarnation, sequence, refers_to } of log) {
    const isNew =
      status === 'workflow_started' || (record_type === 'action' && status === 'pending' && refers_to === undefined);
    const [left] = isNew ? [...pending].filter(([, began]) => began < incarnation) : [];
    if (left !== undefined) {
      const expected = `a decision on ${left[0]}, pending since incarnation ${left[1]}, before it`;
      found.push({ requirement: 'CR1', expected, observed: status, execution_id, sequence });
    }
    if (record_type === 'recovery' || record_type === 'approval') pending.delete(execution_id);
    if (record_type !== 'action') continue;
    if (status === 'pending') pending.set(execution_id, incarnation);
    else pending.delete(execution_id);
  }
  return found;
}

/** After a restart an action is invoked under an earlier key only as a redo or an undo that the log names (CRC2). */
function strayInvocations(
  program: Program,
  { ledger, log = [] }: Observation,
  actions: readonly AuditRecord[],
): Violation[] {
  const retries = hasHandlers(program);
  const closed = new Set(log.filter(isClose).map(({ execution_id }) => execution_id));
  const pendings = new Map(
    actions.filter(({ status }) => status === 'pending').map(record => [record.execution_id, record]),
  );
  const latest = new Map<string, LedgerEntry>();
  const found: Violation[] = [];
  for (const entry of ledger) {
    if (entry.kind !== 'invoke') continue;
    const earlier = latest.get(entry.idempotency_key);
    latest.set(entry.idempotency_key, entry);
    if (entry.incarnation === 1) continue;
    const pending = pendings.get(entry.execution_id);
    if (pending === undefined) {
      found.push(violation('CRC2', 'only invocations that the log names', 'an invocation that it does not', entry));
    } else if (pending.incarnation < entry.incarnation) {
      const expected = 'a redo under an execution_id of its own';
      found.push(violation('CRC2', expected, `the execution of incarnation ${pending.incarnation} again`, entry));
    } else if (earlier !== undefined && earlier.incarnation < entry.incarnation) {
      const interrupted = earlier.replied_at === undefined;
      // An error node may execute again what recovery has closed.
      if (!interrupted || (retries && (pending.attempt ?? 1) > (earlier.attempt ?? 1))) continue;
      // An undo that has failed can be asked for again, under the same key.
      if (pending.purpose !== undefined && closed.has(earlier.execution_id)) continue;
      if (pending.refers_to?.includes(earlier.execution_id) === true || redoneBetween(pending, earlier, pendings))
        continue;
      const expected = `a redo that refers to ${earlier.execution_id}`;
      found.push(violation('CRC2', expected, 'an invocation that refers to nothing', entry));
    }
  }
  return found;
}

/** How often an undo is redone before it has failed. */
const MOST_REDOS = 3;

/** An interrupted undo has failed only after its redos, or where what its probe answered could not be committed (CRC1). */
function closedEarly(log: readonly AuditRecord[]): Violation[] {
  const undos = new Set<string>();
  const redos = new Map<string, number>();
  const found: Violation[] = [];
  for (const [index, record] of log.entries()) {
    const { record_type, status, purpose, execution_id, sequence, new_execution_id } = record;
    if (record_type === 'action' && status === 'pending' && purpose !== undefined) undos.add(execution_id);
    const made = redos.get(execution_id) ?? 0;
    if (record_type === 'recovery' && status === 'redo' && new_execution_id !== undefined)
      redos.set(new_execution_id, made + 1);
    if (!isClose(record) || !undos.has(execution_id) || made >= MOST_REDOS) continue;
    if (log[index + 1]?.error_detail === 'conflict') continue;
    const expected = `${MOST_REDOS} redos of an undo before it has failed`;
    found.push({ requirement: 'CRC1', expected, observed: `close after ${made}`, execution_id, sequence });
  }
  return found;
}

function isClose({ record_type, status }: AuditRecord): boolean {
  return record_type === 'recovery' && status === 'close';
}

/** Whether a chain of redos, some of them never invoked, leads from the one execution to the other. */
function redoneBetween(
  pending: AuditRecord,
  earlier: LedgerEntry,
  pendings: ReadonlyMap<string, AuditRecord>,
): boolean {
  let from = pending.refers_to?.[0];
  for (let steps = 0; from !== undefined && steps < pendings.size; steps += 1) {
    if (from === earlier.execution_id) return true;
    from = pendings.get(from)?.refers_to?.[0];
  }
  return false;
}

function violation(requirement: string, expected: string, observed: string, entry: LedgerEntry): Violation {
  const { execution_id, node_id } = entry;
  return { requirement, expected, observed, execution_id, ...(node_id === undefined ? {} : { node_id }) };
}
