import type { AuditRecord } from '../../schemas/types.js';
import { together } from './consistency-gates.js';
import { named } from './consistency-names.js';
import { ordered } from './consistency-order.js';
import { verifyText } from './verify-text.js';
import type { Violation } from './violation.js';

/** Says what a record breaks; nothing where it breaks nothing. */
export type RecordCheck = (record: AuditRecord) => string | undefined;

/** The checks of the records of a log that begins where logs begin, by requirement (Ch8, checking a log). */
const CHECKS: Readonly<Record<string, () => RecordCheck>> = {
  AC2: inTurn,
  AC3: named,
  AC4: versions,
  AC5: governed,
};

/**
 * What phase C finds of a log in interchange form without stubs: of each check the first record that breaks it. After the
 * first line at which the chain does not verify nothing is read. Linear in the log.
 */
export function consistencyOf(text: string): Violation[] {
  const verdict = verifyText(text);
  const lines = text.split('\n').slice(0, -1);
  const found: Violation[] = [];
  if (!verdict.ok) {
    const sequence = verdict.first_bad_sequence;
    found.push({
      requirement: 'AC1',
      expected: `a record ${sequence} that verifies`,
      observed: 'another line',
      sequence,
    });
  }
  const good = verdict.ok ? lines : lines.slice(0, verdict.first_bad_sequence - 1);
  return [...found, ...faultsOf(good.map(line => JSON.parse(line) as AuditRecord))];
}

/** What each check finds of records in the order of their log, whether they verify as a chain or not. Linear. */
export function faultsOf(records: readonly AuditRecord[]): Violation[] {
  const found: Violation[] = [];
  for (const [requirement, begin] of Object.entries(CHECKS)) {
    const check = begin();
    for (const record of records) {
      const fault = check(record);
      if (fault === undefined) continue;
      const { execution_id, sequence, record_type, status } = record;
      found.push({ requirement, expected: fault, observed: `${record_type} ${status}`, execution_id, sequence });
      break;
    }
  }
  return found;
}

/** AC2: the records of each execution and instance, and those of the gates of each passage, follow one another. */
function inTurn(): RecordCheck {
  const [order, gates] = [ordered(), together()];
  return record => {
    const faults = [order(record), gates(record)];
    return faults.find(fault => fault !== undefined);
  };
}

/** AC4: each expected_version is the version that the fold has at its place. */
function versions(): RecordCheck {
  const writes = new Map<string, number>();
  return ({ record_type, status, state_changes = [] }) => {
    if (record_type !== 'action' || status !== 'committed') return undefined;
    for (const { key, expected_version } of state_changes) {
      const version = writes.get(key) ?? 0;
      writes.set(key, version + 1);
      if (expected_version !== undefined && expected_version !== version) return `"${key}" at version ${version}`;
    }
    return undefined;
  };
}

/** AC5: governance has allowed every root instance, and has not denied it since. */
function governed(): RecordCheck {
  const decided = new Map<string, string>();
  return ({ record_type, status, gate, execution_id, parent_execution_id }) => {
    if (record_type === 'gate' && gate === 'governance') decided.set(execution_id, status);
    const isRoot = record_type === 'workflow' && status === 'workflow_started' && parent_execution_id === undefined;
    return isRoot && decided.get(execution_id) !== 'allowed' ? 'governance to have allowed it before' : undefined;
  };
}
