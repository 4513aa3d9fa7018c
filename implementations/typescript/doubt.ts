import type { ActionResult, RecoveryResolveParams } from '../../schemas/types.js';
import { committedDraft, failedDraft } from './audit/execution-record.js';
import { accept } from './audit/execution-steps.js';
import type { Journal } from './audit/journal.js';
import type { RecordDraft } from './audit/log.js';
import { ArsError } from './error.js';
import type { Instances } from './instances.js';
import { executorOf } from './workflow/instance.js';
import { recordedExecution } from './workflow/node-execution.js';

/** What settling a doubt stands on. */
export interface DoubtParts {
  readonly journal: Journal;
  readonly instances: Instances;
  readonly newId: () => string;
}

/**
 * Records an operator's verdict on an execution in doubt, and the commit or failure that follows from it.
 *
 * Throws `not_found` and `illegal_state` where the execution is not in doubt, `invalid_document` for a result that the
 * contract refuses, `version_conflict` where its state changes cannot be applied; nothing is written then.
 */
export async function resolveDoubt(parts: DoubtParts, params: RecoveryResolveParams): Promise<void> {
  const { journal, instances, newId } = parts;
  const { execution_id, verdict, outputs, state_changes, approver } = params;
  const latest = journal.log.latest(execution_id);
  if (latest === undefined)
    throw new ArsError('not_found', `There is no execution '${execution_id}'.`, { details: { execution_id } });
  const run = instances.run(latest.parent_execution_id ?? '');
  if (latest.status !== 'in_doubt' || run === undefined)
    throw new ArsError('illegal_state', `The execution '${execution_id}' is not in doubt.`, {
      details: { execution_id, status: latest.status },
    });
  const x = recordedExecution(run.instance, pendingOf(journal, execution_id));
  const approval_id = newId();
  const approval: RecordDraft = {
    record_type: 'approval',
    status: 'resolved',
    execution_id: approval_id,
    context_id: x.owner.context_id,
    agent_id: approver,
    verdict,
    refers_to: [execution_id],
  };
  const node = executorOf(run.instance, run.instance.plan.graph.indexOf(x.node_id));
  if (verdict === 'absent') {
    const error = { error_class: 'E3', detail: 'resolved as absent', effect: 'none' } as const;
    await journal.append({ records: [approval, failedDraft(x, error, { refers_to: [approval_id] })] });
    run.settle(node, { type: 'failed', node, failure: error, closed: true });
    return;
  }
  if (outputs === undefined)
    throw new ArsError('invalid_document', 'The verdict applied needs outputs.', { details: { execution_id } });
  const result: ActionResult = { outputs, ...(state_changes === undefined ? {} : { state_changes }) };
  const after = accept(x, result);
  if (!after.ok)
    throw new ArsError('invalid_document', `The result does not fit the contract: ${after.error.detail}.`, {
      details: { execution_id },
    });
  const { record } = committedDraft(x, result, after.degraded || x.degraded === true);
  await journal.append({ records: [approval, { ...record, refers_to: [approval_id] }] });
  run.settle(node, { type: 'committed', node, result: outputs });
}

function pendingOf({ log }: Journal, execution_id: string) {
  for (const record of log.records({ execution_id, record_type: 'action', status: 'pending' })) return record;
  throw new ArsError('log_corrupt', `The execution '${execution_id}' has no pending record.`, {
    details: { execution_id },
  });
}
