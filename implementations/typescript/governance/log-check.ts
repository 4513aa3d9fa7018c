import { type ChainFault, GENESIS } from '../audit/chain.js';
import type { Head } from '../audit/log.js';
import type { ConsistencyRequirement, LogFinding } from '../verification/consistency/check.js';
import { startConsistencyCheck } from '../verification/consistency/index.js';
import { type LevelOfResolved, startBypassCheck } from './bypass.js';

/** Something that is wrong with a log. */
export type FinishedLogFinding = LogFinding<ConsistencyRequirement | 'EG5'>;

/** How to check a finished log. */
export interface LogCheckOptions {
  /** What the log begins after; absent: nothing. */
  readonly from?: Head;
  /** Absent: no resolved documents are at hand. */
  readonly levelOfResolved?: LevelOfResolved;
}

/** A check of a finished log, line by line. */
export interface LogCheck {
  readonly head: Head;
  /** Whether a line was bad; further ones are not looked at. */
  readonly ended: boolean;
  /** What the next line, without its line feed, breaks. */
  accept(line: string): readonly FinishedLogFinding[];
  /** The finding about a line that cannot be read at all. */
  reject(fault: Pick<ChainFault, 'message'>): FinishedLogFinding;
}

/** The check of everything that a log alone shows: its chain, its consistency, and whether anything went past the gates. */
export function startLogCheck({ from = GENESIS, levelOfResolved }: LogCheckOptions = {}): LogCheck {
  const consistency = startConsistencyCheck(from);
  const bypass = startBypassCheck(consistency.unseen, levelOfResolved);
  return {
    get head() {
      return consistency.head;
    },
    get ended() {
      return consistency.ended;
    },
    reject: consistency.reject,
    accept(line) {
      const { findings, record } = consistency.accept(line);
      const past = record === undefined ? undefined : bypass(record);
      return past === undefined ? findings : [...findings, past];
    },
  };
}

/** Everything that is wrong with the lines of a finished log, in the order of its records. */
export function checkLines(lines: Iterable<string>, options: LogCheckOptions = {}): FinishedLogFinding[] {
  const check = startLogCheck(options);
  const findings: FinishedLogFinding[] = [];
  for (const line of lines) {
    findings.push(...check.accept(line));
    if (check.ended) break;
  }
  return findings;
}
