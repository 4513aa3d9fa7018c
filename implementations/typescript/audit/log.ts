import type { AuditRecord, RecordStatus, RecordType, Snapshot, State } from '../../../schemas/types.js';
import type { LinkedRecord } from './linked-record.js';

/** A record before the log gives it its place, time and links. */
export type RecordDraft = Omit<
  AuditRecord,
  'schema_version' | 'sequence' | 'incarnation' | 'timestamp' | 'prev_hash' | 'hash'
>;

/** The end of the log: the last sequence (0 for an empty log) and the hash that the next record links to. */
export interface Head {
  /** The sequence of the last record, 0 where there is none. */
  readonly sequence: number;
  /** The hash of the last record; that of the empty string where there is none. */
  readonly hash: string;
}

/** Which records to read; all conditions given hold together (AQ1–AQ5). */
export interface RecordQuery {
  /** Records of this execution, or of this instance itself. */
  readonly execution_id?: string;
  /** Records of everything below this instance at the root, and its own. */
  readonly context_id?: string;
  /** Records of the executions and instances that this one is the parent of, not of those below them. */
  readonly parent_execution_id?: string;
  /** Timestamps from here on. */
  readonly from?: string;
  /** Timestamps before this. */
  readonly until?: string;
  /** Records with this status. */
  readonly status?: RecordStatus;
  /** Records of this type. */
  readonly record_type?: RecordType;
  /**
   * Only the newest record of each execution that states its status (record_type action, workflow, terminal, error or
   * skill); where there is none, as after a denial, the newest of any type.
   */
  readonly latest?: boolean;
  /** Only the latest records of actions that are pending or in_doubt, one for each incomplete execution. */
  readonly incomplete?: boolean;
  /** Only records after this sequence. */
  readonly after?: number;
  /** At most so many records. Absent: all. */
  readonly limit?: number;
}

/** A large or auxiliary document that becomes durable in the same transaction as the records that need it. */
export interface StoredDocument {
  /** What sort of document it is; each has names of its own. */
  readonly kind: DocumentKind;
  /** Its name among those of its kind: a digest, name@version, or the identifier that it carries. */
  readonly id: string;
  /** Its content, a JSON value; one of the same name is replaced. */
  readonly value: unknown;
}

/**
 * resolved: the documents of an instance by resolved_digest; limit: how many invocations a root instance may have at one time,
 * by its execution_id, where it was started with a limit of its own; evidence by its digest; index_entry, job: those of the
 * workspace, and job_denial: the latest due time of a job that was denied; the others are the registry and governance.
 */
export type DocumentKind =
  | 'resolved'
  | 'limit'
  | 'evidence'
  | 'action'
  | 'workflow'
  | 'agent'
  | 'permission'
  | 'policy'
  | 'index_entry'
  | 'job'
  | 'job_denial';

/** The name of a stored document. */
export type DocumentName = Pick<StoredDocument, 'kind' | 'id'>;

/** What one atomic step writes: records in order, the documents that they refer to, and which documents it takes away. */
export interface Step {
  /** What the log gets, in this order. */
  readonly records: readonly RecordDraft[];
  /** What is kept beside the log. Absent: nothing new. */
  readonly documents?: readonly StoredDocument[];
  /** What is kept no longer. Absent: nothing goes. */
  readonly removals?: readonly DocumentName[];
}

/**
 * The durable heart of a workspace: log, State and documents, changed only by atomic steps.
 *
 * `append` resolves when the step is durable. Steps of concurrent callers may share one transaction (group commit), but
 * each stands or falls alone. A refused step writes nothing and rejects: with `version_conflict` (details `{key,
 * expected_version, actual_version}`) where its state changes meet another version, `illegal_state` where a record does
 * not continue the life of its execution, `invalid_document` where one does not fit its schema, `not_canonical` where a
 * value is not JSON that the log can keep as it is. A write failure of the storage rejects with
 * `storage_failed`, and so does every later append.
 */
export interface Log {
  /** The number of this opening, from 1. */
  readonly incarnation: number;
  /** Writes one atomic step and gives its records once they are durable. */
  append(step: Step): Promise<readonly LinkedRecord[]>;
  /** The end of the log as far as it is durable. */
  head(): Head;
  /** Records in sequence order, read lazily. */
  records(query?: RecordQuery): IterableIterator<AuditRecord>;
  /** Committed records before a sequence that change a key, the newest first, read lazily. */
  writesBefore(key: string, sequence: number): IterableIterator<AuditRecord>;
  /** The newest record of record_type action (or skill, error, terminal, workflow) of an execution. */
  latest(execution_id: string): AuditRecord | undefined;
  /** The instance that an agent started under a request_key. */
  requested(agent_id: string, request_key: string): string | undefined;
  /** Entries of State by key; all of them without keys. */
  state(keys?: readonly string[]): State;
  /** Keeps State as of the head as a snapshot, and gives it once it is durable; the one that is kept of that head already. */
  takeSnapshot(): Promise<Snapshot>;
  /** What is kept as snapshots at or before a sequence, the latest first, read lazily; it may be damaged. */
  snapshots(until: number): IterableIterator<unknown>;
  /** A stored document; undefined where there is none. */
  document(kind: DocumentKind, id: string): unknown;
  /** All documents of a kind, by id. */
  documents(kind: DocumentKind): IterableIterator<Omit<StoredDocument, 'kind'>>;
  /**
   * How often documents of a kind were written or taken away in this opening: where that is the same, so are the documents.
   * Absent where others can write too.
   */
  written?(kind: DocumentKind): number;
  /** Writes what is queued, closes the storage and lets the workspace go. */
  close(): Promise<void>;
}
