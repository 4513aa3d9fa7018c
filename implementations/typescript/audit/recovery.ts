import type { AuditRecord, ProbeAnswer, RecoveryDecision, RecoveryReport } from '../../../schemas/types.js';
import { type CommitProtocol, INTERRUPTED } from './commit-protocol.js';
import { type Execution, recoveryDraft } from './execution-record.js';
import { accept, type ExecutionWatch, resultOf } from './execution-steps.js';
import type { Log } from './log.js';
import { reportOf } from './recovery-report.js';
import { decideInterrupted, decideUndo, MAX_REDOS, type RecoveryDecisionWord } from './recovery-table.js';
import { type UndoCase, undoExecution } from './undo-protocol.js';

/** What recovery has to be told about the workspace. */
export interface RecoveryParts {
  readonly log: Log;
  readonly protocol: CommitProtocol;
  /**
   * The execution that a pending record tells of; undefined where the documents of its instance cannot be loaded, so that
   * nothing may be decided.
   */
  readonly executionOf: (pending: AuditRecord) => Execution | undefined;
  /**
   * The undo of a committed execution that a pending record tells of; undefined as above, and where there is no code for
   * it here.
   */
  readonly undoOf: (pending: AuditRecord) => UndoCase | undefined;
  /** Asks governance, once for each root instance in one recovery, whether something may be redone. */
  readonly mayRedo: (execution: Execution) => Promise<boolean>;
}

const NOBODY: ExecutionWatch = { begun: () => undefined, ended: () => [] };

/** What has been decided about an original whose undo is under way. */
interface OpenUndo {
  readonly decision: 'roll_back' | 'compensate';
  readonly probe: RecoveryDecision['probe'];
  readonly undo_id: string;
}

/**
 * Decides every execution that an earlier incarnation left pending, in sequence order, and gives the report; null where
 * there was nothing to decide and nothing is in doubt.
 *
 * With `dry_run` probes are asked and nothing is written. Redone executions are pending afterwards and not yet invoked.
 *
 * @requirement CR1
 * @requirement CRC1
 * @requirement CRC3
 */
export async function recover(
  parts: RecoveryParts,
  options: { dry_run?: boolean } = {},
): Promise<RecoveryReport | null> {
  const decisions: RecoveryDecision[] = [];
  let undecidable = 0;
  for (const pending of interrupted(parts.log)) {
    const decision = await decidePending(parts, pending, options.dry_run === true);
    if (decision === undefined) undecidable += 1;
    else decisions.push(decision);
  }
  return reportOf(parts.log, decisions, undecidable);
}

/**
 * The pending records of interrupted executions in sequence order; the undo of an original that has not committed is
 * decided with that one. They are found in the whole log, whatever snapshots there are.
 *
 * @requirement CR2
 */
function interrupted(log: Log): AuditRecord[] {
  const found: AuditRecord[] = [];
  for (const record of log.records({ record_type: 'action', status: 'pending', incomplete: true })) {
    const current = log.latest(record.execution_id)?.status === 'pending';
    const original = undoneBy(record);
    const own = original === undefined || log.latest(original)?.status === 'committed';
    if (current && own && record.incarnation < log.incarnation) found.push(record);
  }
  return found;
}

/** The execution that the one of this pending record is to undo; undefined where it undoes none. */
export function undoneBy({ purpose = 'execute', refers_to }: AuditRecord): string | undefined {
  return purpose === 'execute' ? undefined : refers_to?.at(-1);
}

/** What is decided about one pending record; undefined where nothing may be decided. */
async function decidePending(
  parts: RecoveryParts,
  pending: AuditRecord,
  dry: boolean,
): Promise<RecoveryDecision | undefined> {
  if (undoneBy(pending) !== undefined) {
    const subject = parts.undoOf(pending);
    return subject && settleUndo(parts, subject, dry);
  }
  const x = parts.executionOf(pending);
  return x && decideOne(parts, x, dry);
}

async function decideOne(parts: RecoveryParts, x: Execution, dry: boolean): Promise<RecoveryDecision> {
  const open = openUndo(parts.log, x.execution_id);
  if (open !== undefined) {
    const undo_id = dry ? open.undo_id : await finishUndo(parts, x, open);
    return entry(x, open.probe, open.decision, undo_id);
  }
  const answer = await parts.protocol.ask(x);
  const redos = redosOf(parts.log, x);
  const undo_possible = x.undo !== undefined;
  let decision = decideInterrupted(answer.verdict, x.action.action, { redos, undo_possible });
  if (decision === 'redo' && !(await parts.mayRedo(x)))
    decision = decideInterrupted(answer.verdict, x.action.action, { redos: MAX_REDOS, undo_possible });
  if (dry) return entry(x, answer.verdict, decision);
  return carryOut(parts, x, answer, decision);
}

async function carryOut(
  parts: RecoveryParts,
  x: Execution,
  answer: ProbeAnswer,
  decision: RecoveryDecisionWord,
): Promise<RecoveryDecision> {
  if (decision === 'redo') {
    const next = await parts.protocol.redo(x, answer.verdict);
    return entry(x, answer.verdict, decision, next.execution_id);
  }
  const held = await parts.protocol.carryOut(x, answer, decision, INTERRUPTED, NOBODY);
  const probe = held === decision ? answer.verdict : 'partial';
  return entry(x, probe, held, openUndo(parts.log, x.execution_id)?.undo_id);
}

/** Takes up a decision to undo where it stands, and gives the execution that undid in the end. */
async function finishUndo(parts: RecoveryParts, x: Execution, open: OpenUndo): Promise<string> {
  const pending = pendingOf(parts.log, open.undo_id);
  const undo = undoExecution(x, open.undo_id);
  if (pending === undefined) {
    await parts.protocol.undos.execute({ original: x, undo, error: INTERRUPTED }, NOBODY);
    return open.undo_id;
  }
  const subject = { original: x, undo: begunUndo(undo, pending), error: INTERRUPTED };
  const { new_execution_id } = await settleUndo(parts, subject, false);
  return new_execution_id ?? open.undo_id;
}

/** An undo as its pending record tells of it. */
export function begunUndo(undo: Execution, pending: AuditRecord): Execution {
  const { refers_to, degraded, evidence, evidence_ref, checksum } = pending;
  const reason = evidence_ref === undefined ? { evidence, checksum } : { evidence_ref, checksum };
  return {
    ...undo,
    ...(refers_to === undefined ? {} : { refers_to }),
    ...(degraded === true ? { degraded } : {}),
    ...(checksum === undefined ? {} : { reason: reason as NonNullable<Execution['reason']> }),
  };
}

/** Commits an interrupted undo whose effect is there, and else does it again, three times at most; then it has failed. */
async function settleUndo(parts: RecoveryParts, subject: UndoCase, dry: boolean): Promise<RecoveryDecision> {
  const { log, protocol } = parts;
  const { undo } = subject;
  const answer = await protocol.ask(undo);
  const decision = decideUndo(answer.verdict, redosOf(log, undo));
  if (dry) return entry(undo, answer.verdict, decision);
  if (decision === 'redo') {
    const next = await protocol.redo(undo, answer.verdict);
    await protocol.undos.invoke({ ...subject, undo: next }, NOBODY);
    return entry(undo, answer.verdict, decision, next.execution_id);
  }
  const first = [recoveryDraft(undo, answer.verdict, decision)];
  if (decision === 'commit') {
    const result = resultOf(answer);
    const after = accept(undo, result);
    const degraded = undo.degraded === true || (after.ok && after.degraded);
    await protocol.undos.commit(subject, { result, degraded }, first, NOBODY);
    if (log.latest(undo.execution_id)?.status === 'failed') return entry(undo, 'partial', 'close');
  } else await protocol.undos.fail(subject, INTERRUPTED, first, NOBODY);
  return entry(undo, answer.verdict, decision);
}

/** The undo that was decided for an execution, at its last redo; undefined where none was. */
function openUndo(log: Log, execution_id: string): OpenUndo | undefined {
  let open: OpenUndo | undefined;
  for (const record of log.records({ execution_id, record_type: 'recovery' })) {
    const { status, probe, new_execution_id } = record;
    if ((status !== 'roll_back' && status !== 'compensate') || new_execution_id === undefined) continue;
    open = { decision: status, probe: probe ?? 'unknown', undo_id: new_execution_id };
  }
  if (open === undefined) return undefined;
  let undo_id = open.undo_id;
  for (let next = redoneAs(log, undo_id); next !== undefined; next = redoneAs(log, undo_id)) undo_id = next;
  return { ...open, undo_id };
}

function redoneAs(log: Log, execution_id: string): string | undefined {
  for (const record of log.records({ execution_id, record_type: 'recovery', status: 'redo' }))
    return record.new_execution_id;
  return undefined;
}

/** How many redos led to this execution. */
function redosOf(log: Log, x: Execution): number {
  let redos = 0;
  let earlier = x.refers_to?.[0];
  while (earlier !== undefined && redoneAs(log, earlier) !== undefined) {
    redos += 1;
    earlier = pendingOf(log, earlier)?.refers_to?.[0];
  }
  return redos;
}

function pendingOf(log: Log, execution_id: string): AuditRecord | undefined {
  for (const record of log.records({ execution_id, record_type: 'action', status: 'pending' })) return record;
  return undefined;
}

function entry(
  x: Execution,
  probe: RecoveryDecision['probe'],
  decision: RecoveryDecisionWord,
  new_execution_id?: string,
): RecoveryDecision {
  const { execution_id, node_id } = x;
  return { execution_id, node_id, probe, decision, ...(new_execution_id === undefined ? {} : { new_execution_id }) };
}
