import type { AuditRecord } from '../../schemas/types.js';
import { detailOf, undoKey } from './audit/execution-record.js';
import type { Ending } from './audit/execution-steps.js';
import { undosOf } from './audit/undo-order.js';
import { newId } from './new-id.js';
import type { WorkspaceParts } from './recovery.js';
import { undoCase } from './undo-request.js';
import type { Failure } from './workflow/instance.js';

/**
 * Undoes every committed rollbackable or compensatable execution of an instance, one after the other in reverse order of
 * commit, what it carried over from those that it resumes included; gives the first failure where there was one.
 *
 * An undo that has failed since anything else happened in the instance was asked for by the same error node, and is not
 * tried again, so that a crash in between changes nothing. Between undos `mayGoOn` is asked; where it says no, the rest is
 * left and the failure is `cancelled`.
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
  const earlier = new EarlierUndos(parts.instances.startOf(instance_id).sequence);
  const due = undosOf(actionsIn(parts, instances, earlier), new Set(instances));
  for (const { execution_id } of due) {
    const original = parts.journal.log.latest(execution_id);
    if (original === undefined) continue;
    if (!mayGoOn()) return { error_class: 'E0', detail: 'cancelled' };
    const outcome = earlier.failureOf(execution_id) ?? (await undoOne(parts, original));
    failure ??= outcome;
  }
  return failure;
}

/** The action records of instances; `earlier` is told of all records. */
function* actionsIn(
  { journal }: WorkspaceParts,
  instances: readonly string[],
  earlier: EarlierUndos,
): Generator<AuditRecord> {
  for (const parent_execution_id of instances)
    for (const record of journal.log.records({ parent_execution_id })) {
      earlier.add(record);
      if (record.record_type === 'action') yield record;
    }
}

/** The undos that the error node at work made before a crash, as the records of its instance tell of them. */
class EarlierUndos {
  /** The last record that belongs to no undo: an error node undoes only while nothing else goes on. */
  #since: number;
  /** The last record of each undo by its idempotency key, which all undos of one original share. */
  readonly #undos = new Map<string, AuditRecord>();

  constructor(since: number) {
    this.#since = since;
  }

  add(record: AuditRecord): void {
    const { record_type, status, sequence, purpose = 'execute', idempotency_key } = record;
    if (record_type === 'recovery' || status === 'rolled_back' || status === 'compensated') return;
    if (purpose !== 'execute' && idempotency_key !== undefined) this.#undos.set(idempotency_key, record);
    else this.#since = Math.max(this.#since, sequence);
  }

  failureOf(original: string): Failure | undefined {
    const record = this.#undos.get(undoKey(original));
    if (record?.status !== 'failed' || record.sequence < this.#since) return undefined;
    return { error_class: record.error_class ?? 'E3', detail: record.error_detail ?? '' };
  }
}

async function undoOne(parts: WorkspaceParts, original: AuditRecord): Promise<Failure | undefined> {
  const subject = undoCase(parts, original, newId());
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
