import type { AuditRecord, RedactedRecord } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { Log } from '../audit/log.js';
import { demandKnown, permissionsOf } from './agents.js';
import { type Demand, isPermitted } from './permission.js';

/** What one agent may read at one time: its own partition, and what it is permitted besides. */
export interface ReadingRights {
  /** Whether the records of this agent, and the evidence that they name, are to be seen. */
  readonly seesPartition: (agent_id: string) => boolean;
  /** Whether it holds this permission. */
  readonly holds: (wanted: Demand) => boolean;
}

/**
 * What the agent may read at this time (RFC 3339). Throws `denied` unless it is registered and known, and
 * `invalid_document` where what governance has stored is damaged.
 *
 * @requirement AI1
 * @requirement NS1
 * @requirement PR5
 */
export function readingRights(log: Log, agent_id: string, now: string): ReadingRights {
  demandKnown(log, agent_id);
  const permissions = permissionsOf(log, agent_id);
  const holds = (wanted: Demand) => isPermitted(permissions, wanted, now);
  const seen = new Map<string, boolean>([[agent_id, true]]);
  const seesPartition = (name: string) => {
    const sees = seen.get(name) ?? holds({ domain: 'audit', action: 'read', name });
    seen.set(name, sees);
    return sees;
  };
  return { seesPartition, holds };
}

/**
 * The record, or in its place the stub where it is of a partition that is not to be seen.
 *
 * @requirement NS2
 */
export function redact(record: AuditRecord, { seesPartition }: ReadingRights): AuditRecord | RedactedRecord {
  if (seesPartition(record.agent_id)) return record;
  const { sequence, prev_hash, hash } = record;
  return { sequence, prev_hash, hash, redacted: true };
}

/** Whose records name which evidence: read from the log once it is asked for, and kept up with from there. */
export class EvidencePartitions {
  readonly #journal: Journal;
  readonly #agents = new Map<string, Set<string>>();
  #read = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /**
   * Whether a record that is to be seen names the evidence.
   *
   * @requirement NS3
   */
  isSeen(reference: string, { seesPartition }: ReadingRights): boolean {
    this.#catchUp();
    for (const agent_id of this.#agents.get(reference) ?? []) if (seesPartition(agent_id)) return true;
    return false;
  }

  /** Whether a record names the evidence, inline or by reference. */
  isNamed(reference: string): boolean {
    this.#catchUp();
    if (this.#agents.has(reference)) return true;
    for (const { checksum } of this.#journal.log.records({ record_type: 'action' }))
      if (checksum === reference) return true;
    return false;
  }

  #catchUp(): void {
    if (this.#read) return;
    this.#read = true;
    this.#journal.subscribe(
      record => this.#take(record),
      ({ evidence_ref }) => evidence_ref !== undefined,
    );
    for (const record of this.#journal.log.records({ record_type: 'action' })) this.#take(record);
  }

  #take({ evidence_ref, agent_id }: AuditRecord): void {
    if (evidence_ref === undefined) return;
    const agents = this.#agents.get(evidence_ref);
    if (agents === undefined) this.#agents.set(evidence_ref, new Set([agent_id]));
    else agents.add(agent_id);
  }
}
