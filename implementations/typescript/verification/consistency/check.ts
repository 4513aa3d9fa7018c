import type { AuditRecord } from '../../../../schemas/types.js';

/** What a record breaks, in words, and what to do about it. */
export interface RecordFault {
  readonly message: string;
  readonly help: string;
}

/** The requirements that the records of a log are checked against. */
export type ConsistencyRequirement = 'AC1' | 'AC2' | 'AC3' | 'AC4' | 'AC5';

/** A requirement that a log breaks, at the record with this sequence. */
export interface LogFinding<Requirement extends string = ConsistencyRequirement> extends RecordFault {
  readonly requirement: Requirement;
  readonly sequence: number;
  /** Absent where the line is no record. */
  readonly execution_id?: string;
}

/** What of a log is not to be seen: stubs, and the records before its beginning. */
export interface Unseen {
  /** Whether anything before this record is not to be seen. */
  readonly any: () => boolean;
  /** Whether anything after the record of that sequence is not to be seen; 0 stands before the first. */
  readonly since: (sequence: number) => boolean;
}

/** Takes the records of a log that are to be seen, in their order, and gives what each breaks. */
export type RecordCheck = (record: AuditRecord) => RecordFault | undefined;

/** Whether the record tells of an undo, which goes on after the end of its instance. */
export function tellsOfUndo({ record_type, status, purpose, execution_id }: AuditRecord, undos: ReadonlySet<string>) {
  if (status === 'rolled_back' || status === 'compensated') return true;
  return purpose !== undefined || (record_type === 'recovery' && undos.has(execution_id));
}
