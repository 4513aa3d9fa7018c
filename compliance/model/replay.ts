import type { AuditRecord } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { Program } from '../program.js';
import { judgeInstances } from './judge-instances.js';

/** The first record with which the documents and the rule of firing do not agree, and what was expected. */
export interface Disagreement extends Violation {
  readonly sequence: number;
  /** Whether it is the record of an instance's end. */
  readonly isEnd: boolean;
}

/**
 * Replays the instances of a log on the documents of their program: undefined where every record agrees. What a record
 * disagrees with shows once the log is read up to it, so the first one is found by halving.
 */
export function replay(program: Program, log: readonly AuditRecord[]): Disagreement | undefined {
  if (readUpTo(program, log, log.length) === undefined) return undefined;
  let [agrees, disagrees] = [0, log.length];
  while (disagrees - agrees > 1) {
    const middle = (agrees + disagrees) >> 1;
    if (readUpTo(program, log, middle) === undefined) agrees = middle;
    else disagrees = middle;
  }
  const record = log[disagrees - 1];
  const violation = readUpTo(program, log, disagrees);
  if (record === undefined || violation === undefined) return undefined;
  const isEnd = record.record_type === 'workflow' && record.status !== 'workflow_started';
  return { ...violation, sequence: record.sequence, isEnd };
}

function readUpTo(program: Program, log: readonly AuditRecord[], length: number): Violation | undefined {
  const execution_id = log.find(({ status }) => status === 'workflow_started')?.execution_id ?? '';
  const observation = { start: { execution_id }, log: log.slice(0, length), ledger: [], recoveries: [], kills: 0 };
  return judgeInstances(program, observation)[0];
}
