import type { AuditRecord } from '../../../../schemas/types.js';
import type { RecordCheck, Unseen } from './check.js';

type Gate = NonNullable<AuditRecord['gate']>;

/** What comes next in a passage that no denial ends; a dry run ends it after governance. */
const NEXT: ReadonlyMap<Gate, Gate> = new Map([
  ['verification', 'governance'],
  ['governance', 'safety'],
  ['safety', 'execution'],
]);
const HELP =
  'A start is asked verification, governance, safety and execution, one record after the other; a continuation governance alone.';

interface Passage {
  readonly execution_id: string;
  /** The gate that allowed last. */
  readonly gate: Gate;
  /** Whether it was governance alone, which can be a continuation whose start is not to be seen. */
  readonly alone: boolean;
}

/**
 * Whether the gate records of one passage stand together, in their order, and are ended early by a denial only.
 *
 * @requirement AC2
 */
export function gatePassages(unseen: Unseen): RecordCheck {
  const passed = new Set<string>();
  const started = new Map<string, 'open' | 'ended'>();
  let passage: Passage | undefined;
  let last = 0;

  const judge = (record: AuditRecord): string | undefined => {
    const { execution_id, record_type, gate } = record;
    if (passage !== undefined) return goesOn(record, passage);
    if (record_type !== 'gate') return undefined;
    if (gate === 'verification')
      return passed.has(execution_id) || started.has(execution_id)
        ? `${execution_id} is asked verification again; its start was decided before`
        : undefined;
    if (unseen.since(last)) return undefined;
    if (gate !== 'governance') return `${execution_id} is asked ${gate} without the gates before it`;
    const instance = started.get(execution_id);
    if (instance === 'open' || (instance === undefined && unseen.any())) return undefined;
    return `${execution_id} is asked governance alone, and is ${instance === undefined ? 'no instance that has started' : 'ended'}`;
  };

  const goesOn = (record: AuditRecord, { execution_id, gate, alone }: Passage): string | undefined => {
    const next = NEXT.get(gate);
    const same = record.execution_id === execution_id;
    if (same && record.record_type === 'gate' && record.gate === next) return undefined;
    if (same && record.record_type === 'dry_run' && gate === 'governance') return undefined;
    if (alone || unseen.since(last)) return undefined;
    const came = record.gate ?? `${record.record_type} ${record.status}`;
    return `after ${gate} allowed ${execution_id}, ${next} is asked next, and ${came} of ${record.execution_id} comes`;
  };

  return record => {
    const message = judge(record);
    const { record_type, status, execution_id, gate, sequence } = record;
    const alone = gate === 'governance' && passage?.execution_id !== execution_id;
    const continues = started.has(execution_id) || (alone && !unseen.any());
    const open = record_type === 'gate' && status === 'allowed' && gate !== undefined && NEXT.has(gate) && !continues;
    if (record_type === 'gate' && !open) passed.add(execution_id);
    passage = open ? { execution_id, gate, alone } : undefined;
    if (record_type === 'workflow') started.set(execution_id, status === 'workflow_started' ? 'open' : 'ended');
    last = sequence;
    return message === undefined ? undefined : { message, help: HELP };
  };
}
