import type {
  AuditRecord,
  IndexEntry,
  RedactedRecord,
  SchedulerJob,
  Snapshot,
  VerificationReport,
  WorkflowWaitResult,
} from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import type { RecordQuery } from './audit/log.js';
import { type Reconstruction, type ReconstructionOptions, reconstructState } from './audit/reconstruction.js';
import type { Definitions } from './definitions.js';
import { ArsError } from './error.js';
import { type EvidencePartitions, type ReadingRights, readingRights, redact } from './governance/partition.js';
import { refusal } from './governance/reasons.js';
import type { IndexEntries } from './index-entries.js';
import type { Instances } from './instances.js';
import type { Jobs } from './jobs.js';
import { checkCount, checkKeys, checkMembers, checkNames, checkWait } from './parameters.js';
import { canonicalize, digest } from './state/canonical.js';
import { verify } from './verification/index.js';

/** What the views of agents read from. */
export interface ViewParts {
  readonly journal: Journal;
  readonly evidencePartitions: EvidencePartitions;
  readonly index: IndexEntries;
  readonly jobs: Jobs;
  readonly definitions: Definitions;
  readonly instances: Instances;
  /** RFC 3339. */
  readonly now: () => string;
}

/**
 * A workspace as one agent may read it: what it may not see is a stub or refused. What it is permitted is decided at each
 * call. Every method throws `denied` for an agent that is not registered or UNKNOWN.
 */
export class AgentView {
  readonly #parts: ViewParts;
  readonly #agent_id: string;

  /** @internal */
  constructor(parts: ViewParts, agent_id: string) {
    this.#parts = parts;
    this.#agent_id = agent_id;
  }

  /**
   * Records in sequence order, read lazily, with stubs in place of those of agents for which it does not hold audit:read.
   * The conditions of the query are decided over the records as they are.
   */
  records(query?: RecordQuery): IterableIterator<AuditRecord | RedactedRecord> {
    checkMembers('query of records', query);
    return redacted(this.#parts.journal.log.records(query), this.#rights());
  }

  /** Canonical texts of the records and stubs after a sequence, without line feeds: they verify as a chain. */
  lines(after = 0): IterableIterator<string> {
    checkCount('after', after);
    return canonical(this.records({ after }));
  }

  /** The evidence that a record names which the agent may see. Throws `not_found`; `denied` for that of others. */
  evidence(reference: string): unknown {
    checkNames({ reference });
    const { journal, evidencePartitions } = this.#parts;
    const rights = this.#rights();
    const content = evidenceOf(journal, reference);
    if (evidencePartitions.isSeen(reference, rights)) return content;
    throw this.#missing(`audit:read for an agent whose records name the evidence '${reference}'`);
  }

  /**
   * Entries of State within the scopes of its permissions state:read, and the sequence that they are of.
   *
   * Throws `denied` where it holds none, or none for a key that is asked for by name.
   *
   * @requirement NS4
   */
  state(keys?: readonly string[]): Reconstruction {
    checkKeys(keys);
    const reads = this.#stateRights();
    const hidden = keys?.find(key => !reads(key));
    if (hidden !== undefined) throw this.#missing(`state:read on '${hidden}'`);
    const { log } = this.#parts.journal;
    const { sequence } = log.head();
    const entries = Object.entries(log.state(keys)).filter(([key]) => reads(key));
    return { state: Object.fromEntries(entries), sequence };
  }

  /**
   * How an instance stands, or ended, with its trace and outputs, after at most so many milliseconds; see
   * {@link Runtime.wait}. Throws `denied` for one of another agent unless it holds execution:read for its workflow.
   */
  async wait(execution_id: string, budget_ms: number): Promise<WorkflowWaitResult> {
    checkWait(execution_id, budget_ms);
    const { instances } = this.#parts;
    const { holds } = this.#rights();
    const { agent_id } = instances.run(execution_id)?.instance.head ?? instances.startOf(execution_id);
    const name = instances.workflowOf(execution_id);
    if (agent_id !== this.#agent_id && !holds({ domain: 'execution', action: 'read', name }))
      throw this.#missing(`execution:read on '${name}'`);
    return instances.wait(execution_id, budget_ms);
  }

  /**
   * The report of the verifier on a workflow, with the registry of the workspace at hand.
   *
   * @requirement PR5
   */
  verify(workflow: unknown): VerificationReport {
    this.#rights();
    return verify(workflow, this.#parts.definitions.registry());
  }

  /** The index entry of this name as it stands. Throws `not_found`, and `denied` unless it holds registry:write for it. */
  indexEntry(entry_id: string): IndexEntry {
    checkNames({ entry_id });
    if (this.#rights().holds({ domain: 'registry', action: 'write', name: entry_id }))
      return this.#parts.index.get(entry_id);
    throw this.#missing(`registry:write on '${entry_id}'`);
  }

  /**
   * The scheduled job of this name as it stands. Throws `not_found`, and `denied` unless it holds registry:write for it or the
   * job starts on its behalf.
   */
  job(job_id: string): SchedulerJob {
    checkNames({ job_id });
    const { jobs } = this.#parts;
    if (this.#rights().holds({ domain: 'registry', action: 'write', name: job_id })) return jobs.get(job_id);
    const job = jobs.find(job_id);
    if (job?.agent_id === this.#agent_id) return job;
    throw this.#missing(`registry:write on '${job_id}'`);
  }

  /**
   * Keeps State as of the head as a snapshot, and gives it. Throws `denied` unless the agent may read every key that was
   * ever written.
   */
  async takeSnapshot(): Promise<Snapshot> {
    const { journal } = this.#parts;
    const reads = this.#stateRights();
    const hidden = Object.keys(journal.log.state()).find(key => !reads(key));
    if (hidden !== undefined) throw this.#missing(`state:read on '${hidden}', which a snapshot has like every key`);
    return journal.takeSnapshot();
  }

  /**
   * Entries of State as of a record, within the scopes of its permissions state:read.
   *
   * Throws `denied` where it holds none, and what {@link Runtime.reconstruct} throws.
   */
  reconstruct(options?: ReconstructionOptions): Reconstruction {
    checkMembers('reconstruction', options);
    const reads = this.#stateRights();
    const { state, sequence } = reconstructState(this.#parts.journal.log, options);
    return { state: Object.fromEntries(Object.entries(state).filter(([key]) => reads(key))), sequence };
  }

  /** Which keys of State it may read. */
  #stateRights(): (name: string) => boolean {
    const { holds } = this.#rights();
    if (!holds({ domain: 'state', action: 'read' })) throw this.#missing('state:read');
    return name => holds({ domain: 'state', action: 'read', name });
  }

  #rights(): ReadingRights {
    return readingRights(this.#parts.journal.log, this.#agent_id, this.#parts.now());
  }

  #missing(what: string): ArsError {
    return refusal('MISSING_PERMISSION', `The agent '${this.#agent_id}' does not hold ${what}.`);
  }
}

/**
 * The evidence that is stored under a digest. Throws `not_found`, and `log_corrupt` where what is stored has another one.
 *
 * @requirement SO2
 */
export function evidenceOf({ log }: Journal, reference: string): unknown {
  const content = log.document('evidence', reference);
  if (content === undefined)
    throw new ArsError('not_found', `There is no evidence '${reference}'.`, { details: { reference } });
  if (digest(content) === reference) return content;
  throw new ArsError('log_corrupt', `What is stored as the evidence '${reference}' has another digest.`, {
    details: { reference },
  });
}

function* redacted(records: Iterable<AuditRecord>, rights: ReadingRights): Generator<AuditRecord | RedactedRecord> {
  for (const record of records) yield redact(record, rights);
}

function* canonical(records: Iterable<AuditRecord | RedactedRecord>): Generator<string> {
  for (const record of records) yield canonicalize(record);
}
