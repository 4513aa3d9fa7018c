import type { AuditRecord } from '../../schemas/types.js';

/** A record as far as the order of undos depends on it. */
export type Committed = Pick<
  AuditRecord,
  'sequence' | 'execution_id' | 'status' | 'rollback' | 'purpose' | 'parent_execution_id'
>;

/**
 * What undoing an instance consists of, in order (Ch7, error nodes): the last commit first, of the instance, of those that it
 * resumes and of all their descendants.
 */
export function undoOrder(
  instance: string,
  instances: readonly {
    readonly execution_id: string;
    readonly parent_execution_id?: string;
    readonly resumes?: string;
  }[],
  records: readonly Committed[],
): readonly { readonly execution_id: string; readonly purpose: 'revert' | 'compensate' }[] {
  const parents = new Map(instances.map(one => [one.execution_id, one.parent_execution_id]));
  const resumed = new Map(instances.map(one => [one.execution_id, one.resumes]));
  const roots = new Set<string>();
  for (let at: string | undefined = instance; at !== undefined; at = resumed.get(at)) roots.add(at);
  const isWithin = (id: string | undefined): boolean => {
    for (let at = id; at !== undefined; at = parents.get(at)) if (roots.has(at)) return true;
    return false;
  };
  const undone = new Set(
    records.filter(one => one.status === 'rolled_back' || one.status === 'compensated').map(one => one.execution_id),
  );
  return records
    .filter(one => one.status === 'committed' && (one.purpose ?? 'execute') === 'execute')
    .filter(
      one => one.rollback !== 'irreversible' && !undone.has(one.execution_id) && isWithin(one.parent_execution_id),
    )
    .sort((a, b) => b.sequence - a.sequence)
    .map(one => ({
      execution_id: one.execution_id,
      purpose: one.rollback === 'rollbackable' ? ('revert' as const) : ('compensate' as const),
    }));
}
