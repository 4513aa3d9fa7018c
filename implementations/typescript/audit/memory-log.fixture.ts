import { isValid } from '../../../schemas/index.js';
import type { AuditRecord, FaultPoint, Snapshot, StateEntry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { FaultHook } from '../execution/host.js';
import { canonicalize } from '../state/canonical.js';
import { snapshotOf } from '../state/snapshot.js';
import { conflictError, planChanges, toState } from '../state/state.js';
import { GENESIS, headOf } from './chain.js';
import { lifecycleFault, STATUS_TYPES, startLifecycleMemory } from './lifecycle.js';
import { type LinkedRecord, linkRecord, prepareDraft } from './linked-record.js';
import type { DocumentKind, Head, Log, RecordQuery, Step, StoredDocument } from './log.js';

/** A workspace in memory, whose logs can be lost and opened again like those of a killed process. */
export class MemoryWorkspace {
  readonly lines: string[] = [];
  readonly records: AuditRecord[] = [];
  /** How many atomic steps were written. */
  steps = 0;
  readonly #entries = new Map<string, StateEntry>();
  readonly #snapshots: Snapshot[] = [];
  readonly #documents = new Map<string, StoredDocument>();
  readonly #written = new Map<DocumentKind, number>();
  readonly #lifecycle = startLifecycleMemory();
  readonly #latest = new Map<string, AuditRecord>();
  #incarnation = 0;

  /** Opens the log anew; earlier logs write nothing more. */
  open(fault?: FaultHook): Log {
    this.#incarnation += 1;
    const incarnation = this.#incarnation;
    const check = () => {
      if (incarnation !== this.#incarnation) throw new ArsError('storage_failed', 'this log was lost');
    };
    return {
      incarnation,
      append: async step => {
        await Promise.resolve();
        check();
        return this.#append(step, incarnation, fault);
      },
      head: () => this.#head(),
      records: query => this.#select(query ?? {}),
      writesBefore: (key, sequence) =>
        this.records
          .filter(r => r.sequence < sequence && r.status === 'committed')
          .filter(r => r.state_changes?.some(change => change.key === key) === true)
          .reverse()
          [Symbol.iterator](),
      latest: id => this.#latest.get(id),
      requested: (agent_id, key) =>
        this.records.find(r => r.agent_id === agent_id && r.request_key === key && r.status === 'workflow_started')
          ?.execution_id,
      state: keys => toState([...this.#entries].filter(([key]) => keys?.includes(key) ?? true)),
      takeSnapshot: async () => {
        const snapshot = snapshotOf(this.#head(), toState(this.#entries));
        this.#snapshots.push(snapshot);
        return snapshot;
      },
      snapshots: until =>
        this.#snapshots
          .filter(({ sequence }) => sequence <= until)
          .reverse()
          [Symbol.iterator](),
      document: (kind, id) => this.#documents.get(`${kind} ${id}`)?.value,
      documents: kind =>
        [...this.#documents.values()]
          .filter(d => d.kind === kind)
          .map(({ id, value }) => ({ id, value }))
          [Symbol.iterator](),
      written: kind => this.#written.get(kind) ?? 0,
      close: async () => undefined,
    };
  }

  /** What the log and its documents say, without an opening. */
  view(): Pick<Log, 'records' | 'document'> {
    return {
      records: query => this.#select(query ?? {}),
      document: (kind, id) => this.#documents.get(`${kind} ${id}`)?.value,
    };
  }

  #head(): Head {
    const last = this.records.at(-1);
    return last === undefined ? GENESIS : headOf(last);
  }

  #append(step: Step, incarnation: number, fault: FaultHook | undefined): readonly LinkedRecord[] {
    let head = this.#head();
    const memory = startLifecycleMemory(this.#lifecycle);
    const entries = new Map<string, StateEntry>();
    const linked = step.records.map(draft => {
      const timestamp = new Date(1_767_225_600_000 + this.records.length).toISOString();
      const next = linkRecord(prepareDraft(draft), head, incarnation, timestamp);
      const { record } = next;
      if (!isValid('audit-record', record)) throw new ArsError('invalid_document', `bad record ${next.text}`);
      const wrong = lifecycleFault(record, memory);
      if (wrong !== undefined) throw new ArsError('illegal_state', wrong.message);
      memory.add(record);
      this.#change(record, entries);
      head = headOf(record);
      return next;
    });
    for (const { record } of linked) if (record.status === 'committed') fault?.('committing', record.execution_id);
    this.steps += 1;
    for (const { record, text } of linked) {
      this.lines.push(text);
      this.records.push(record);
      this.#lifecycle.add(record);
      if (STATUS_TYPES.has(record.record_type)) this.#latest.set(record.execution_id, record);
    }
    for (const [key, entry] of entries) this.#entries.set(key, entry);
    for (const { kind, id, value } of step.documents ?? [])
      this.#documents.set(`${kind} ${id}`, { kind, id, value: JSON.parse(canonicalize(value)) });
    for (const { kind, id } of step.removals ?? []) this.#documents.delete(`${kind} ${id}`);
    for (const { kind } of [...(step.documents ?? []), ...(step.removals ?? [])])
      this.#written.set(kind, (this.#written.get(kind) ?? 0) + 1);
    return linked;
  }

  #change({ status, state_changes, execution_id }: AuditRecord, entries: Map<string, StateEntry>): void {
    if (status !== 'committed' || state_changes === undefined) return;
    const plan = planChanges(key => entries.get(key) ?? this.#entries.get(key), state_changes, execution_id);
    if (!plan.ok) throw conflictError(plan.conflict);
    for (const [key, entry] of plan.entries) entries.set(key, entry);
  }

  *#select(query: RecordQuery): Generator<AuditRecord> {
    const { incomplete, latest, after = 0, limit = Number.POSITIVE_INFINITY, from, until, ...equal } = query;
    let left = limit;
    for (let at = after; at < this.records.length && left > 0; at++) {
      const record = this.records[at] as AuditRecord;
      const wanted = Object.entries(equal).every(([key, value]) => record[key as keyof AuditRecord] === value);
      const newest = this.#latest.get(record.execution_id) === record;
      if (!wanted || ((incomplete === true || latest === true) && !newest)) continue;
      if (incomplete === true && !['pending', 'in_doubt'].includes(record.status)) continue;
      left -= 1;
      yield record;
    }
  }
}

/** A hook that stops the log at the n-th passing of a point, as a kill there would. */
export function killAt(point: FaultPoint, occurrence: number): FaultHook & { readonly reached: () => boolean } {
  let passed = 0;
  const hook = (name: FaultPoint) => {
    if (name !== point) return;
    passed += 1;
    if (passed === occurrence) throw new Error(`killed at ${point}`);
  };
  return Object.assign(hook, { reached: () => passed >= occurrence });
}
