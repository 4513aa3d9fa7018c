import type { AuditRecord } from '../../schemas/types.js';

/** What the soak has seen from outside the processes that it killed. */
export interface Witness {
  /** hash by sequence: what was told to be durable before a kill. */
  readonly told: ReadonlyMap<number, string>;
  /** Effects in order, as the ledger outside of the workspace has them. */
  readonly effects: readonly { readonly kind: string; readonly key: string }[];
}

/** What the soak counts; all but the first three are faults. */
export interface Counts {
  readonly records: number;
  readonly commits: number;
  readonly instances: number;
  /** Records told to be durable that the log does not have, or has otherwise. */
  readonly lost: number;
  /** Executions with more than one committed record. */
  readonly doubled_commits: number;
  /** Irreversible effects that happened more than once under one idempotency key. */
  readonly doubled_effects: number;
  /** Committed executions of an effect that never happened. */
  readonly claimed_effects: number;
  /** Instances that neither ended nor are in doubt. */
  readonly unended: number;
}

const KINDS: Readonly<Record<string, string>> = { b1: 'save', b2: 'post' };

/** Compares the whole log with what the witness saw. */
export function judge(records: Iterable<AuditRecord>, { told, effects }: Witness): Counts {
  const happened = new Map<string, number>();
  for (const { kind, key } of effects) happened.set(`${kind} ${key}`, (happened.get(`${kind} ${key}`) ?? 0) + 1);
  const commits = new Map<string, number>();
  const open = new Set<string>();
  const doubts = new Set<string>();
  let [count, found, instances, claimed] = [0, 0, 0, 0];
  for (const record of records) {
    count += 1;
    if (told.get(record.sequence) === record.hash) found += 1;
    const { execution_id, status, record_type, node_id = '', idempotency_key = '' } = record;
    if (status === 'workflow_started') {
      instances += 1;
      open.add(execution_id);
    } else if (record_type === 'workflow') open.delete(execution_id);
    if (status === 'in_doubt') doubts.add(record.context_id);
    if (record_type !== 'action' || status !== 'committed') continue;
    commits.set(execution_id, (commits.get(execution_id) ?? 0) + 1);
    const kind = KINDS[node_id];
    if (kind !== undefined && !idempotency_key.startsWith('undo/') && !happened.has(`${kind} ${idempotency_key}`))
      claimed += 1;
  }
  return {
    records: count,
    commits: commits.size,
    instances,
    lost: told.size - found,
    doubled_commits: [...commits.values()].filter(times => times > 1).length,
    doubled_effects: [...happened].filter(([name, times]) => name.startsWith('post ') && times > 1).length,
    claimed_effects: claimed,
    unended: [...open].filter(id => !doubts.has(id)).length,
  };
}
