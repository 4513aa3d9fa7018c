import type { AuditRecord } from '../../../../schemas/types.js';
import { type ChainFault, GENESIS, startChainCheck } from '../../audit/chain.js';
import type { Head } from '../../audit/log.js';
import { allowedStarts } from './allowed-starts.js';
import type { ConsistencyRequirement, LogFinding, RecordCheck, Unseen } from './check.js';
import { gatePassages } from './gate-passages.js';
import { named } from './named.js';
import { stateVersions } from './state-versions.js';
import { statusOrder } from './status-order.js';

/** The checks of the records behind the chain, in the order in which they report. */
const CHECKS: readonly (readonly [ConsistencyRequirement, readonly ((unseen: Unseen) => RecordCheck)[]])[] = [
  ['AC2', [statusOrder, gatePassages]],
  ['AC3', [named]],
  ['AC4', [stateVersions]],
  ['AC5', [allowedStarts]],
];

const CHAIN_HELP =
  'The log was changed here, or the lines are not those that follow the ones before; nothing after it was looked at.';

/** A check of a log line by line; its memory grows with the executions and keys, not with the records. */
export interface ConsistencyCheck {
  readonly head: Head;
  readonly unseen: Unseen;
  /** Whether a line was bad; further ones are not looked at. */
  readonly ended: boolean;
  /**
   * What the next line, without its line feed, breaks, and its record where it is one that is to be seen. Of AC2 to AC5
   * each is reported once: at the first record that breaks it.
   */
  accept(line: string): { readonly findings: readonly LogFinding[]; readonly record?: AuditRecord };
  /** The finding about a line that cannot be read at all. */
  reject(fault: Pick<ChainFault, 'message'>): LogFinding;
}

/**
 * A check of a log that begins after this head.
 *
 * @requirement AC1
 */
export function startConsistencyCheck(from: Head = GENESIS): ConsistencyCheck {
  const chain = startChainCheck(from);
  let lastHidden = from.sequence;
  const unseen: Unseen = { any: () => lastHidden > 0, since: sequence => lastHidden > sequence };
  const checks = CHECKS.map(([requirement, parts]) => ({ requirement, parts: parts.map(begin => begin(unseen)) }));
  const broken = new Set<ConsistencyRequirement>();
  let ended = false;
  const reject = ({ message }: Pick<ChainFault, 'message'>): LogFinding => {
    ended = true;
    return { requirement: 'AC1', sequence: chain.head.sequence + 1, message, help: CHAIN_HELP };
  };
  return {
    get head() {
      return chain.head;
    },
    get ended() {
      return ended;
    },
    unseen,
    reject,
    accept(line) {
      if (ended) return { findings: [] };
      const fault = chain.accept(line);
      if (fault !== undefined) return { findings: [reject(fault)] };
      const { last: record } = chain;
      if (record === undefined || 'redacted' in record) {
        lastHidden = chain.head.sequence;
        return { findings: [] };
      }
      const findings: LogFinding[] = [];
      const { sequence, execution_id } = record;
      for (const { requirement, parts } of checks)
        for (const part of parts) {
          const found = part(record);
          if (found === undefined || broken.has(requirement)) continue;
          broken.add(requirement);
          findings.push({ requirement, sequence, execution_id, ...found });
        }
      return { findings, record };
    },
  };
}
