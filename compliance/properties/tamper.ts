import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { AuditRecord } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import type { Observation } from '../program.js';

/** Gives the observation with another log, numbered and chained anew, as a runtime would write it that does wrong. */
export function withLog(
  observation: Observation,
  change: (records: AuditRecord[]) => readonly AuditRecord[],
): Observation {
  const log = chained(change(structuredClone(logOf(observation)) as AuditRecord[]));
  const text = log.map(record => `${canonicalize(record)}\n`).join('');
  return { ...observation, log, exports: [...(observation.exports ?? []).slice(0, -1), text] };
}

/** Gives the observation with records changed and nothing made good: numbers, links and hashes stay as they were. */
export function withRawLog(
  observation: Observation,
  change: (records: AuditRecord[]) => readonly AuditRecord[],
): Observation {
  const log = change(structuredClone(logOf(observation)) as AuditRecord[]);
  const text = log.map(record => `${canonicalize(record)}\n`).join('');
  return { ...observation, log, exports: [...(observation.exports ?? []).slice(0, -1), text] };
}

/** Gives the records without the first that fits; throws where none does, so that no twin changes nothing. */
export function without(records: readonly AuditRecord[], fits: (record: AuditRecord) => boolean): AuditRecord[] {
  const index = found(records.findIndex(fits));
  return records.toSpliced(index, 1);
}

/** Gives the records with a copy of the last that fits put at the end. */
export function repeated(records: readonly AuditRecord[], fits: (record: AuditRecord) => boolean): AuditRecord[] {
  const index = found(records.findLastIndex(fits));
  return [...records, records[index] as AuditRecord];
}

/** Gives the records with the first that fits changed. */
export function changed(
  records: readonly AuditRecord[],
  fits: (record: AuditRecord) => boolean,
  change: Partial<AuditRecord>,
): AuditRecord[] {
  const index = found(records.findIndex(fits));
  return records.with(index, { ...(records[index] as AuditRecord), ...change });
}

/** Gives the records with a failure of the last committed execution at the end, in that incarnation. */
export function failedAgain(records: readonly AuditRecord[], incarnation: number): AuditRecord[] {
  const index = found(records.findLastIndex(actionRecord('committed')));
  const { outputs: _o, state_changes: _s, evidence: _e, checksum: _c, ...rest } = records[index] as AuditRecord;
  return [...records, { ...rest, incarnation, status: 'failed', error_class: 'E3', error_detail: 'withdrawn' }];
}

/** Tells an action's record with that status. */
export function actionRecord(status: AuditRecord['status']): (record: AuditRecord) => boolean {
  return record => record.record_type === 'action' && record.status === status;
}

function chained(records: readonly AuditRecord[]): AuditRecord[] {
  let prev_hash = digest('');
  return records.map((record, index) => {
    const { hash: _old, ...content } = { ...record, sequence: index + 1, prev_hash };
    prev_hash = digest(canonicalize(content) ?? '');
    return { ...content, hash: prev_hash };
  });
}

function digest(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

function logOf(observation: Observation): readonly AuditRecord[] {
  if (observation.log === undefined) throw new SuiteError('suite_bug', 'there is no log to be changed');
  return observation.log;
}

function found(index: number): number {
  if (index < 0) throw new SuiteError('suite_bug', 'there is no record to be changed');
  return index;
}
