import type { AuditRecord } from '../../../schemas/types.js';

/** A committed execution that is to be undone, and by what means. */
export interface DueUndo {
  readonly execution_id: string;
  readonly purpose: 'revert' | 'compensate';
}

/** A record as far as this depends on it. */
export type UndoOrderRecord = Pick<
  AuditRecord,
  'sequence' | 'execution_id' | 'status' | 'rollback' | 'purpose' | 'parent_execution_id'
>;

/**
 * What the undoing of a whole instance consists of, in the order in which it is done: the committed rollbackable and
 * compensatable executions of the instance and of everything below it, last commit first, without undos and without what
 * has been undone. `records` are action records, those of one execution in sequence order; `instances` are the instance
 * and those whose executions are undone with it.
 *
 * @requirement EN3
 */
export function undosOf(records: Iterable<UndoOrderRecord>, instances: ReadonlySet<string>): readonly DueUndo[] {
  const due = new Map<string, DueUndo & { readonly sequence: number }>();
  for (const { sequence, execution_id, status, rollback, purpose = 'execute', parent_execution_id } of records) {
    if (status === 'rolled_back' || status === 'compensated') due.delete(execution_id);
    if (status !== 'committed' || purpose !== 'execute' || rollback === 'irreversible') continue;
    if (parent_execution_id === undefined || !instances.has(parent_execution_id)) continue;
    due.set(execution_id, { sequence, execution_id, purpose: rollback === 'rollbackable' ? 'revert' : 'compensate' });
  }
  return [...due.values()]
    .sort((a, b) => b.sequence - a.sequence)
    .map(({ execution_id, purpose }) => ({ execution_id, purpose }));
}
