import type { AuditRecord, SafetyLevel } from '../../../schemas/types.js';
import type { LogFinding, Unseen } from '../verification/consistency/check.js';

const GATES = ['verification', 'governance', 'safety', 'execution'] as const;
const HELP =
  'Somebody had work done past the gates: find out what wrote this record, and trust nothing that it led to.';

/** The safety level of resolved documents, by their digest; undefined where they are not at hand. */
export type LevelOfResolved = (resolved_digest: string) => SafetyLevel | undefined;

/** Takes the records of a log, in their order, and gives what each shows to have started past the gates. */
export type BypassCheck = (record: AuditRecord) => LogFinding<'EG5'> | undefined;

/**
 * What of a log was started or executed past the gates; of one execution the first record that shows it.
 *
 * @requirement EG5
 */
export function startBypassCheck(unseen: Unseen, levelOfResolved: LevelOfResolved = () => undefined): BypassCheck {
  const gates = new Map<string, string[]>();
  const denied = new Set<string>();
  const instances = new Map<string, 'open' | 'ended'>();
  const approvals = new Map<string, AuditRecord>();
  const used = new Map<string, string>();
  const dryRuns = new Set<string>();
  const reported = new Set<string>();

  const judge = (record: AuditRecord): string | undefined => {
    const { record_type, status, parent_execution_id: parent, execution_id, context_id } = record;
    if (record_type === 'workflow' && status === 'workflow_started')
      return parent === undefined ? rootFault(record) : childFault(record, parent);
    const above = [execution_id, parent, context_id].find(id => id !== undefined && denied.has(id));
    if (above !== undefined) return `a gate denied ${above}, and ${record_type} ${status} follows`;
    if (record_type !== 'action' || status !== 'pending' || (parent !== undefined && instances.has(parent)))
      return undefined;
    return unseen.any() ? undefined : `${execution_id} is executed without an instance that has started`;
  };

  const rootFault = (record: AuditRecord): string | undefined => {
    const { execution_id } = record;
    const passed = gates.get(execution_id) ?? [];
    if (passed.join() !== GATES.join() && !(unseen.any() && isPart(passed)))
      return `${execution_id} starts after the gates ${passed.join(', ') || 'none'}, not after ${GATES.join(', ')}, each allowed`;
    return confirmationFault(record) ?? levelFault(record);
  };

  const childFault = ({ execution_id }: AuditRecord, parent: string): string | undefined => {
    const state = instances.get(parent);
    if (state === 'open' || (state === undefined && unseen.any())) return undefined;
    return `${execution_id} starts as a child of ${parent}, which ${state === undefined ? 'has not started' : 'has ended'}`;
  };

  const confirmationFault = (record: AuditRecord): string | undefined => {
    const { execution_id, confirmation_id } = record;
    if (confirmation_id === undefined) return undefined;
    const what = `${execution_id} starts with the confirmation ${confirmation_id}`;
    const earlier = used.get(confirmation_id);
    if (earlier !== undefined) return `${what}, which ${earlier} has used up`;
    const approval = approvals.get(confirmation_id);
    if (approval === undefined) return unseen.any() ? undefined : `${what}, which nobody granted before it`;
    if (approval.agent_id === record.agent_id) return `${what} of the same agent, ${record.agent_id}`;
    if (approval.granted_to !== record.agent_id) return `${what} for another agent, ${approval.granted_to}`;
    for (const name of ['resolved_digest', 'inputs_digest'] as const)
      if (approval[name] !== record[name]) return `${what} for another ${name}, ${approval[name]}`;
    return undefined;
  };

  const levelFault = ({ execution_id, confirmation_id, resolved_digest = '', inputs_digest }: AuditRecord) => {
    const level = levelOfResolved(resolved_digest);
    if (level !== 'RISKY' && level !== 'IRREVERSIBLE') return undefined;
    if (confirmation_id === undefined) return `${execution_id} is ${level} and starts without a confirmation`;
    if (level === 'RISKY' || dryRuns.has(`${resolved_digest} ${inputs_digest}`) || unseen.any()) return undefined;
    return `${execution_id} is ${level} and starts without an earlier dry run of the same documents and inputs`;
  };

  return record => {
    const message = judge(record);
    take(record);
    const instance = [record.execution_id, record.parent_execution_id ?? '', record.context_id];
    if (message === undefined || instance.some(id => reported.has(id))) return undefined;
    reported.add(record.execution_id);
    return { requirement: 'EG5', sequence: record.sequence, execution_id: record.execution_id, message, help: HELP };
  };

  function take(record: AuditRecord): void {
    const { record_type, status, execution_id, confirmation_id } = record;
    if (record_type === 'gate') {
      if (instances.has(execution_id)) return;
      if (status === 'denied') denied.add(execution_id);
      const said = status === 'allowed' ? String(record.gate) : `${record.gate} (denied)`;
      gates.set(execution_id, [...(gates.get(execution_id) ?? []), said]);
    } else if (record_type === 'approval' && status === 'granted') approvals.set(execution_id, record);
    else if (record_type === 'dry_run') dryRuns.add(`${record.resolved_digest} ${record.inputs_digest}`);
    else if (record_type === 'workflow') {
      instances.set(execution_id, status === 'workflow_started' ? 'open' : 'ended');
      gates.delete(execution_id);
      if (confirmation_id !== undefined && !used.has(confirmation_id)) used.set(confirmation_id, execution_id);
    }
  }
}

/** Whether the gates, each allowed, could be those of a whole passage, of which some are not to be seen. */
function isPart(passed: readonly string[]): boolean {
  let at = 0;
  for (const gate of GATES) if (passed[at] === gate) at += 1;
  return at === passed.length;
}
