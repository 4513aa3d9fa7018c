import { uuidv7 } from 'uuidv7';
import type { AuditRecord } from '../../schemas/types.js';
import { detailOf } from './audit/execution-record.js';
import type { Ending } from './audit/execution-steps.js';
import { undoneBy } from './audit/recovery.js';
import { undosOf } from './audit/undo-order.js';
import type { WorkspaceParts } from './recovery.js';
import { undoCase } from './undo-request.js';
import type { Failure } from './workflow/instance.js';

/**
 * Undoes every committed rollbackable or compensatable execution of an instance, one after the other in reverse order of
 * commit, what it carried over from those that it resumes included; gives the first failure where there was one.
 *
 * An undo that has failed since the node's turn began is not tried again, so that a crash in between changes nothing.
 * Between undos `mayGoOn` is asked; where it says no, the rest is left and the failure is `cancelled`.
 *
 * @requirement EN3
 */
export async function undoInstance(
  parts: WorkspaceParts,
  instance_id: string,
  mayGoOn: () => boolean,
): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  const instances = parts.instances.lineage(instance_id).flatMap(id => parts.instances.withDescendants(id));
  const failed = failedUndos(parts, instances, turnBegan(parts, instance_id));
  for (const { execution_id } of undosOf(actionsIn(parts, instances), new Set(instances))) {
    const original = parts.journal.log.latest(execution_id);
    if (original === undefined) continue;
    if (!mayGoOn()) return { error_class: 'E0', detail: 'cancelled' };
    const outcome = failed.get(execution_id) ?? (await undoOne(parts, original));
    failure ??= outcome;
  }
  return failure;
}

/** The action records of instances. */
function* actionsIn({ journal }: WorkspaceParts, instances: readonly string[]): Generator<AuditRecord> {
  for (const parent_execution_id of instances)
    yield* journal.log.records({ parent_execution_id, record_type: 'action' });
}

/** Where in the log the turn of the node that undoes an instance began: behind all that its nodes came to before. */
function turnBegan({ journal, instances }: WorkspaceParts, parent_execution_id: string): number {
  let last = instances.startOf(parent_execution_id).sequence;
  for (const record_type of ['error', 'skill'] as const)
    for (const { sequence } of journal.log.records({ parent_execution_id, record_type }))
      last = Math.max(last, sequence);
  return last;
}

/** The undos that have failed after a place in the log, by the execution that they were of. */
function failedUndos({ journal }: WorkspaceParts, instances: readonly string[], after: number): Map<string, Failure> {
  const undos = new Map<string, string>();
  for (const parent_execution_id of instances)
    for (const record of journal.log.records({
      parent_execution_id,
      record_type: 'action',
      status: 'pending',
      after,
    })) {
      const original = undoneBy(record);
      if (original !== undefined) undos.set(original, record.execution_id);
    }
  const failed = new Map<string, Failure>();
  for (const [original, undo] of undos) {
    const latest = journal.log.latest(undo);
    if (latest?.status !== 'failed') continue;
    failed.set(original, { error_class: latest.error_class ?? 'E3', detail: latest.error_detail ?? '' });
  }
  return failed;
}

async function undoOne(parts: WorkspaceParts, original: AuditRecord): Promise<Failure | undefined> {
  const subject = undoCase(parts, original, uuidv7());
  if (subject === undefined)
    return { error_class: 'E4', detail: `'${original.execution_id}' has no revert or compensation` };
  let ending: Ending | undefined;
  await parts.protocol.undos.execute(subject, {
    begun: () => undefined,
    ended: how => {
      ending = how;
      return [];
    },
  });
  if (ending?.status === 'committed') return undefined;
  if (ending?.status === 'failed')
    return { error_class: ending.error.error_class, detail: detailOf(ending.error.detail) };
  return { error_class: 'E3', detail: `the undo of '${original.execution_id}' did not end` };
}
