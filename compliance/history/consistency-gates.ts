import type { AuditRecord } from '../../schemas/types.js';
import type { RecordCheck } from './consistency.js';

type Gate = NonNullable<AuditRecord['gate']>;

/** The gate that a start is asked next, once one has allowed it. */
const NEXT: Readonly<Partial<Record<Gate, Gate>>> = {
  verification: 'governance',
  governance: 'safety',
  safety: 'execution',
};

/** A start of which the last gate has allowed it and another has to be asked. */
interface Passage {
  readonly execution_id: string;
  readonly gate: Gate;
}

/**
 * AC2: the gate records of one passage stand together, in the order of the gates and before the start; only a denial, or
 * the end of a dry run behind governance, ends a passage early. What goes on is asked governance alone.
 */
export function together(): RecordCheck {
  const decided = new Set<string>();
  const instances = new Map<string, 'going' | 'ended'>();
  let passage: Passage | undefined;

  const fault = ({ record_type, execution_id, gate }: AuditRecord): string | undefined => {
    if (passage !== undefined) {
      const next = NEXT[passage.gate];
      const same = execution_id === passage.execution_id;
      const goesOn = record_type === 'gate' && gate === next;
      const simulated = record_type === 'dry_run' && passage.gate === 'governance';
      return same && (goesOn || simulated) ? undefined : `the ${next} gate of ${passage.execution_id}`;
    }
    if (record_type !== 'gate') return undefined;
    if (gate === 'verification') {
      const again = decided.has(execution_id) || instances.has(execution_id);
      return again ? 'the gates of a start to be asked once' : undefined;
    }
    if (gate !== 'governance') return `the gates before ${gate} right before it`;
    return instances.get(execution_id) === 'going' ? undefined : 'the verification gate, or an instance to go on';
  };

  return record => {
    const expected = fault(record);
    const { record_type, status, execution_id, gate } = record;
    const starts = record_type === 'gate' && !instances.has(execution_id);
    const open = starts && status === 'allowed' && gate !== undefined && NEXT[gate] !== undefined;
    if (starts && !open) decided.add(execution_id);
    passage = open ? { execution_id, gate } : undefined;
    if (record_type === 'workflow') instances.set(execution_id, status === 'workflow_started' ? 'going' : 'ended');
    return expected;
  };
}
