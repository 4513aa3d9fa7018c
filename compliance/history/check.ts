import type { AuditRecord, State } from '../../schemas/types.js';
import type { LedgerEntry } from '../program.js';
import type { Violation } from './violation.js';

/** What else is known of the run that a log tells of. A check that needs what is absent judges nothing. */
export interface Witness {
  /** Every invocation and probe that the suite saw; only a ledger of the whole workspace convicts. */
  readonly ledger?: readonly LedgerEntry[];
  /** State as the runtime gave it after the last record. */
  readonly state?: State;
  /** Earlier exports of the same log, oldest first. */
  readonly exports?: readonly string[];
}

/** One line of a log: its text where there is one, the JSON value, and the record where the value fits the schema. */
export interface LogLine {
  readonly number: number;
  readonly text?: string;
  readonly value: unknown;
  readonly record?: AuditRecord;
}

export type Report = (violation: Violation) => void;

/** One check under way over one log. */
export interface Pass {
  /** Called with every line, well-formed or not. */
  readonly line?: (line: LogLine) => void;
  /** Called with every line that holds a record, in order. */
  readonly record?: (record: AuditRecord) => void;
  readonly end?: () => void;
}

/** A check of a log: which requirements it judges, and how it begins. */
export interface Check {
  readonly requirements: readonly string[];
  readonly begin: (report: Report, witness: Witness) => Pass;
}
