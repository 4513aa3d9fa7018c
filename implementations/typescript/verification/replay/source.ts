import type { AuditRecord } from '../../../../schemas/types.js';
import type { Log } from '../../audit/log.js';
import { type Plan, planResolved } from '../../workflow/plan.js';
import type { ResolvedDocuments } from '../../workflow/resolve.js';
import type { ReplaySource } from './index.js';

type ReadPlan = ReplaySource['planOf'];

/** The source that a stored log and its documents are. */
export function sourceOfLog(log: Pick<Log, 'records' | 'document'>): ReplaySource {
  return {
    ownRecords: execution_id => [...log.records({ execution_id, record_type: 'workflow' })],
    recordsUnder: parent_execution_id => log.records({ parent_execution_id }),
    planOf: remembered(resolved_digest => {
      const stored = log.document('resolved', resolved_digest);
      return stored === undefined ? undefined : planResolved(stored as ResolvedDocuments, resolved_digest);
    }),
  };
}

/** The source that records at hand are; of others than instances and what is in them nothing is kept. */
export function sourceOfRecords(
  records: Iterable<AuditRecord>,
  planOf: ReadPlan,
): ReplaySource & {
  /** The root instances in the order in which they started. */
  readonly roots: readonly string[];
} {
  const own = new Map<string, AuditRecord[]>();
  const under = new Map<string, AuditRecord[]>();
  const roots: string[] = [];
  for (const record of records) {
    const { record_type, status, execution_id, parent_execution_id } = record;
    if (record_type === 'workflow') add(own, execution_id, record);
    if (status === 'workflow_started' && parent_execution_id === undefined) roots.push(execution_id);
    if (parent_execution_id !== undefined) add(under, parent_execution_id, record);
  }
  return {
    roots,
    ownRecords: execution_id => own.get(execution_id) ?? [],
    recordsUnder: execution_id => under.get(execution_id) ?? [],
    planOf: remembered(planOf),
  };
}

function remembered(planOf: ReadPlan): ReadPlan {
  const known = new Map<string, Plan | undefined>();
  return resolved_digest => {
    if (!known.has(resolved_digest)) known.set(resolved_digest, planOf(resolved_digest));
    return known.get(resolved_digest);
  };
}

function add(index: Map<string, AuditRecord[]>, name: string, record: AuditRecord): void {
  const known = index.get(name);
  if (known === undefined) index.set(name, [record]);
  else known.push(record);
}
