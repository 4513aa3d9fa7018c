import type { AuditRecord } from '../../schemas/types.js';
import { sameJson } from '../model/json.js';
import type { LedgerEntry } from '../program.js';
import type { Check, Report } from './check.js';
import { SynthesisedReverts } from './synthesised.js';

/**
 * With the ledger: every invocation has its pending record (WII2, CLI1) that says what was invoked (EC1), and every
 * committed action execution was invoked, or committed by recovery or an operator (WII2).
 */
export const invocations: Check = {
  requirements: ['WII2', 'CLI1', 'EC1', 'EX1'],
  begin: (report, { ledger }) => {
    if (ledger === undefined) return {};
    const pendings = new Map<string, AuditRecord>();
    const committed: AuditRecord[] = [];
    const decided = new Set<string>();
    const synthesised = new SynthesisedReverts();
    return {
      record: record => {
        synthesised.see(record);
        if (record.record_type === 'recovery' && record.status === 'commit') decided.add(record.execution_id);
        if (record.record_type === 'approval') {
          for (const id of [record.execution_id, ...(record.refers_to ?? [])]) decided.add(id);
        }
        if (record.record_type !== 'action') return;
        if (record.status === 'pending') pendings.set(record.execution_id, record);
        if (record.status === 'committed') committed.push(record);
      },
      end: () => {
        const invoked = checkInvoked(report, ledger, pendings);
        for (const { execution_id, sequence } of committed) {
          const uninvoked = decided.has(execution_id) || synthesised.originalOf(execution_id) !== undefined;
          if (invoked.has(execution_id) || uninvoked) continue;
          const observed = 'committed, never invoked';
          report({
            requirement: 'WII2',
            expected: 'an invocation of what is committed',
            observed,
            execution_id,
            sequence,
          });
        }
      },
    };
  },
};

function checkInvoked(
  report: Report,
  ledger: readonly LedgerEntry[],
  pendings: ReadonlyMap<string, AuditRecord>,
): ReadonlySet<string> {
  const invoked = new Set<string>();
  for (const entry of ledger) {
    if (entry.kind !== 'invoke') continue;
    const { execution_id } = entry;
    if (invoked.has(execution_id)) {
      report({ requirement: 'EX1', expected: 'one invocation of an execution', observed: 'two', execution_id });
    }
    invoked.add(execution_id);
    const pending = pendings.get(execution_id);
    if (pending === undefined) {
      const observed = `invocation ${entry.ordinal} of ${entry.action_id} without a pending record`;
      report({ requirement: 'WII2', expected: 'every invocation in the log', observed, execution_id });
      report({ requirement: 'CLI1', expected: 'pending durable before the invocation', observed, execution_id });
    } else compare(report, entry, pending);
  }
  return invoked;
}

function compare(report: Report, entry: LedgerEntry, pending: AuditRecord): void {
  const { execution_id } = entry;
  const pairs: [string, unknown, unknown][] = [
    ['action_id', pending.action_id, entry.action_id],
    ['version', pending.action_version, entry.version],
    ['idempotency_key', pending.idempotency_key, entry.idempotency_key],
    ['inputs', pending.inputs, entry.inputs],
  ];
  if (entry.attempt !== undefined) pairs.push(['attempt', pending.attempt, entry.attempt]);
  for (const [name, recorded, invoked] of pairs) {
    if (sameJson(recorded ?? null, invoked)) continue;
    const expected = `${name} ${JSON.stringify(recorded)}, as recorded`;
    report({ requirement: 'EC1', expected, observed: JSON.stringify(invoked) ?? 'nothing', execution_id });
  }
}
