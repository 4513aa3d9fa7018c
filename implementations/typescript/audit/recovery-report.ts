import type { RecoveryDecision, RecoveryReport } from '../../../schemas/types.js';
import type { Log } from './log.js';

/** All executions of the log that are in doubt, in sequence order. */
export function executionsInDoubt(log: Log): string[] {
  const found: string[] = [];
  for (const record of log.records({ record_type: 'action', status: 'in_doubt', incomplete: true }))
    if (log.latest(record.execution_id)?.status === 'in_doubt') found.push(record.execution_id);
  return found;
}

/** The report of one recovery; null where it found nothing to decide and nothing in doubt. */
export function reportOf(log: Log, decisions: readonly RecoveryDecision[], undecidable: number): RecoveryReport | null {
  const in_doubt = executionsInDoubt(log);
  if (decisions.length === 0 && in_doubt.length === 0 && undecidable === 0) return null;
  return {
    schema_version: '1.0',
    level: levelOf(decisions, in_doubt, undecidable),
    incarnation: log.incarnation,
    decisions: [...decisions],
    in_doubt,
  };
}

function levelOf(
  decisions: readonly RecoveryDecision[],
  in_doubt: readonly string[],
  undecidable: number,
): RecoveryReport['level'] {
  const decided = (...words: RecoveryDecision['decision'][]) => decisions.some(d => words.includes(d.decision));
  if (in_doubt.length > 0 || decided('in_doubt')) return 'FAILED';
  if (undecidable > 0) return 'DEGRADED';
  return decided('close', 'roll_back', 'compensate') ? 'PARTIAL' : 'COMPLETE';
}
