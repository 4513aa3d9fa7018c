import type { AuditRecord } from '../../schemas/types.js';
import { refusalText } from '../model/refusal.js';
import type { LedgerEntry, Observation } from '../program.js';

/** Tells an observation from other evidence. */
export function isObservation(evidence: unknown): evidence is Observation {
  return evidence !== null && typeof evidence === 'object' && 'ledger' in evidence && 'recoveries' in evidence;
}

/** One thing that happened in a run, in words. */
export interface Moment {
  readonly kind: 'start' | 'invoke' | 'probe' | 'kill' | 'wait';
  readonly text: string;
  /** From 1. */
  readonly incarnation: number;
  readonly node_id?: string;
}

/** Gives what happened between runtime and suite, in order, with every kill where it came. */
export function moments(observation: Observation): Moment[] {
  const list: Moment[] = [{ kind: 'start', text: startText(observation), incarnation: 1 }];
  const kills = [...(observation.killed_at ?? [])];
  let ended = 0;
  const mark = (position: number) => {
    while (kills.length > 0 && (kills[0] as number) < position) {
      kills.shift();
      ended += 1;
      list.push({ kind: 'kill', text: killText(observation, ended), incarnation: ended });
    }
  };
  for (const entry of [...observation.ledger].sort((a, b) => a.received_at - b.received_at)) {
    mark(entry.received_at);
    const { kind, incarnation, node_id } = entry;
    list.push({ kind, text: ledgerText(entry), incarnation, ...(node_id === undefined ? {} : { node_id }) });
  }
  mark(Number.POSITIVE_INFINITY);
  if (observation.wait) {
    const { status, error } = observation.wait;
    const text = `${status}${error === undefined ? '' : ` (${error.error_class} ${error.detail})`}`;
    list.push({ kind: 'wait', text, incarnation: ended + 1 });
  }
  return list;
}

/**
 * Gives a run as lines: what the runtime asked of the suite, with every kill marked between, then what its log says.
 */
export function timeline(observation: Observation): string[] {
  const lines = moments(observation).map(({ kind, text }) => {
    const word = kind === 'kill' ? 'SIGKILL' : kind;
    return `${word.padEnd(9)} ${text}`;
  });
  if (observation.wait) {
    const { trace } = observation.wait;
    lines.push(
      `trace     ${trace.map(({ node_id, outcome, attempts }) => `${node_id}:${outcome}×${attempts}`).join(' ')}`,
    );
  }
  if (observation.log) {
    lines.push('log');
    for (const record of observation.log) lines.push(`  ${recordLine(record)}`);
  }
  return lines;
}

function startText({ start }: Observation): string {
  if ('execution_id' in start) return start.execution_id;
  return `refused: ${refusalText(start.error)}`;
}

function killText(observation: Observation, incarnation: number): string {
  const report = observation.recoveries[incarnation];
  const decisions = report?.decisions.map(({ execution_id, decision }) => `${execution_id} → ${decision}`) ?? [];
  const recovered = report
    ? `; recovery ${report.level}${decisions.length > 0 ? `: ${decisions.join(', ')}` : ''}`
    : '';
  return `ends incarnation ${incarnation}${recovered}`;
}

function ledgerText(entry: LedgerEntry): string {
  const answer = entry.replied_at === undefined ? 'no answer' : replyText(entry.reply);
  const effect = entry.effect ? 'effect' : 'no effect';
  const where = entry.node_id ?? entry.action_id;
  return `${where} attempt ${entry.attempt ?? '-'} ${entry.execution_id} → ${answer}, ${effect}`;
}

function replyText(reply: unknown): string {
  const text = JSON.stringify(reply) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

/** One record of a log in words; what a runtime calls a record may have none of its fields. */
export function recordLine(record: Partial<AuditRecord>): string {
  const where = record.node_id ?? record.gate ?? record.workflow_id ?? '';
  return [
    String(record.sequence).padStart(4),
    String(record.record_type).padEnd(9),
    String(record.status).padEnd(18),
    where,
    String(record.execution_id),
  ]
    .join(' ')
    .trimEnd();
}
