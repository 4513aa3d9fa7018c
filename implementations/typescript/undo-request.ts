import type { AuditRecord, ExecutionRollbackParams } from '../../schemas/types.js';
import { type Execution, noRetry, placeEvidence } from './audit/execution-record.js';
import type { Ending } from './audit/execution-steps.js';
import { begunUndo, undoneBy } from './audit/recovery.js';
import { hasSideEffects } from './audit/recovery-table.js';
import { synthesisedUndo, type UndoCase, undoExecution } from './audit/undo-protocol.js';
import { ArsError } from './error.js';
import { noCode } from './execution/action-table.js';
import { actionKey } from './execution/contract.js';
import { demand, demandKnown } from './governance/agents.js';
import { refusal as denial } from './governance/reasons.js';
import { newId } from './new-id.js';
import type { WorkspaceParts } from './recovery.js';

/** The requests to undo committed executions; of those that are about one execution at one time, one is carried out. */
export class UndoRequests {
  readonly #parts: WorkspaceParts;
  readonly #open = new Map<string, Promise<string>>();

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  /** Settles when no undo is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open.values());
  }

  /**
   * Undoes a committed execution, and gives the undo; where it was undone before, the undo that did it.
   *
   * Throws `denied` for an execution of another agent and without execution:undo, `not_found`, `invalid_document` without
   * evidence, `illegal_state` for what cannot be undone and where the undo fails, as where another execution has written to
   * State over what would have to be put back (details {execution_id, error_class, detail}); the original then stays committed.
   *
   * @requirement RB2
   * @requirement RBI1
   * @requirement RBI3
   */
  async undo({ execution_id, agent_id, evidence }: ExecutionRollbackParams): Promise<string> {
    const latest = this.#ownExecution(execution_id, agent_id);
    if (evidence === undefined)
      throw new ArsError('invalid_document', 'A request to undo an execution needs evidence of why.', {
        details: { pointer: '/evidence' },
      });
    if (undoneBy(latest) !== undefined || latest.purpose !== undefined) throw refusal(latest, 'is an undo itself');
    const [undo] = latest.refers_to ?? [];
    if ((latest.status === 'rolled_back' || latest.status === 'compensated') && undo !== undefined) return undo;
    const open = this.#open.get(execution_id);
    if (open !== undefined) return open;
    const subject = this.#subject(latest);
    const undoing = this.#carryOut(subject, evidence).finally(() => this.#open.delete(execution_id));
    this.#open.set(execution_id, undoing);
    return undoing;
  }

  /** @requirement CA3 */
  #ownExecution(execution_id: string, agent_id: string): AuditRecord {
    const { journal, instances, now } = this.#parts;
    demandKnown(journal.log, agent_id);
    const latest = journal.log.latest(execution_id);
    if (latest === undefined)
      throw new ArsError('not_found', `There is no execution '${execution_id}'.`, { details: { execution_id } });
    if (latest.agent_id !== agent_id) {
      const message = `The agent '${agent_id}' did not make the execution '${execution_id}'; only '${latest.agent_id}' may have it undone.`;
      throw denial('OTHER_AGENT', message);
    }
    if (latest.record_type !== 'action') throw refusal(latest, 'is no execution of an action');
    const { workflow_id = '' } = instances.startOf(latest.parent_execution_id ?? '');
    const name = workflow_id.slice(0, workflow_id.lastIndexOf('@'));
    demand(journal.log, agent_id, { domain: 'execution', action: 'undo', name }, now());
    return latest;
  }

  /** What is to be done, with everything checked that can refuse it. */
  #subject(latest: AuditRecord): UndoCase {
    const { journal, instances } = this.#parts;
    const { execution_id, context_id, status, rollback } = latest;
    if (status !== 'committed') throw refusal(latest, `is ${status}, not committed`);
    if (rollback === 'irreversible') throw refusal(latest, 'is irreversible');
    if (instances.isInUse(context_id)) throw refusal(latest, 'belongs to an instance that has not ended');
    for (const pending of journal.log.records({
      context_id,
      record_type: 'action',
      status: 'pending',
      incomplete: true,
    }))
      if (undoneBy(pending) === execution_id) throw refusal(latest, 'has an undo that was interrupted');
    const subject = undoCase(this.#parts, latest, newId());
    if (subject === undefined) throw refusal(latest, 'has no revert or compensation');
    const { original, undo } = subject;
    if (original.undo !== undefined && !hasCode(this.#parts, undo)) throw noCode('The undo', [undo.action.key]);
    return subject;
  }

  async #carryOut({ original, undo }: UndoCase, evidence: unknown): Promise<string> {
    const { journal, protocol, instances } = this.#parts;
    const done = instances.beginUndo(original.owner.context_id);
    let ending: Ending | undefined;
    const watch = {
      begun: () => undefined,
      ended: (how: Ending) => {
        ending = how;
        return [];
      },
    };
    try {
      const { fields, documents } = placeEvidence(evidence);
      if (documents.length > 0) await journal.append({ records: [], documents });
      await protocol.undos.execute({ original, undo: { ...undo, reason: fields } }, watch);
    } finally {
      done();
    }
    return settle(original, undo, ending);
  }
}

/** The undo of a committed execution that was interrupted; undefined where there is no code for it here. */
export function interruptedUndo(parts: WorkspaceParts, pending: AuditRecord): UndoCase | undefined {
  const original = parts.journal.log.latest(undoneBy(pending) ?? '');
  const subject = original && undoCase(parts, original, pending.execution_id);
  if (subject === undefined || (subject.original.undo !== undefined && !hasCode(parts, subject.undo))) return undefined;
  return { ...subject, undo: begunUndo(subject.undo, pending) };
}

/** The undo of a committed execution, by that execution_id; undefined where there is no means of undo. */
export function undoCase(parts: WorkspaceParts, committed: AuditRecord, execution_id: string): UndoCase | undefined {
  const original = committedExecution(parts, committed);
  const outputs = committed.outputs ?? {};
  if (original.undo !== undefined) return { original, undo: undoExecution(original, execution_id, outputs) };
  const { action } = original.action;
  if (action.rollback !== 'rollbackable' || hasSideEffects(action)) return undefined;
  return { original, undo: synthesisedUndo(original, execution_id, outputs) };
}

/**
 * A committed execution as its records tell of it, with what undoes it at the version that was resolved.
 *
 * @requirement CP1
 */
function committedExecution({ journal, instances }: WorkspaceParts, committed: AuditRecord): Execution {
  const {
    execution_id,
    node_id = '',
    attempt = 1,
    idempotency_key = '',
    action_id = '',
    action_version = '',
  } = committed;
  const start = instances.startOf(committed.parent_execution_id ?? '');
  const { actions } = instances.planOf(start.resolved_digest ?? '');
  const action = actions.get(actionKey({ action_id, version: action_version }));
  const [pending] = journal.log.records({ execution_id, record_type: 'action', status: 'pending' });
  if (action === undefined || pending === undefined)
    throw new ArsError('log_corrupt', `The execution '${execution_id}' does not fit the documents of its instance.`, {
      details: { execution_id },
    });
  const undo = action.undo === undefined ? undefined : actions.get(action.undo);
  const { context_id, agent_id, context = {} } = start;
  return {
    execution_id,
    owner: { execution_id: start.execution_id, context_id, agent_id, context },
    node_id,
    action,
    purpose: 'execute',
    attempt,
    idempotency_key,
    inputs: pending.inputs ?? {},
    retry: noRetry(action),
    effect_possible: true,
    ...(undo === undefined ? {} : { undo }),
  };
}

function hasCode({ host }: WorkspaceParts, { action: { action } }: Execution): boolean {
  return host.has?.(action.action_id, action.version) !== false;
}

function settle(original: Execution, undo: Execution, ending: Ending | undefined): string {
  if (ending?.status === 'committed') return undo.execution_id;
  const { error_class, detail } =
    ending?.status === 'failed' ? ending.error : { error_class: 'E3', detail: 'it did not end' };
  throw new ArsError(
    'illegal_state',
    `The undo '${undo.execution_id}' of '${original.execution_id}' failed (${error_class}): ${detail}. The original stays committed.`,
    { details: { execution_id: undo.execution_id, error_class, detail } },
  );
}

function refusal({ execution_id, status }: AuditRecord, why: string): ArsError {
  return new ArsError('illegal_state', `The execution '${execution_id}' cannot be undone: it ${why}.`, {
    details: { execution_id, status },
  });
}
