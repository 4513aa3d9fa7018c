import type { AuditRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';

const GATES = ['verification', 'governance', 'safety', 'execution'] as const;

/** What of a record a permit is made of. */
type GateFacts = Pick<AuditRecord, 'record_type' | 'execution_id' | 'gate' | 'status'>;

const key = Symbol('permit');

/**
 * The permission to run one instance, which exists only once the gates have allowed it in the log.
 *
 * Nothing is executed without one, and only {@link startPermit} and {@link continuationPermit} make one.
 *
 * @requirement G1
 */
export class ExecutionPermit {
  readonly execution_id: string;

  constructor(proof: symbol, execution_id: string) {
    if (proof !== key) throw new ArsError('internal', 'A permit comes from the records of the gates only.');
    this.execution_id = execution_id;
  }
}

/** Returns the permit to start an instance, from the durable records of its four gates. Throws `denied` where one is missing. */
export function startPermit(execution_id: string, records: readonly GateFacts[]): ExecutionPermit {
  return permit(execution_id, records, GATES);
}

/** Returns the permit to continue an instance that was started, from the record of the governance gate. */
export function continuationPermit(execution_id: string, records: readonly GateFacts[]): ExecutionPermit {
  return permit(execution_id, records, ['governance']);
}

function permit(
  execution_id: string,
  records: readonly GateFacts[],
  gates: readonly (typeof GATES)[number][],
): ExecutionPermit {
  for (const gate of gates) {
    const passed = records.some(
      r => r.record_type === 'gate' && r.gate === gate && r.status === 'allowed' && r.execution_id === execution_id,
    );
    if (!passed)
      throw new ArsError('denied', `The ${gate} gate has not allowed ${execution_id}.`, {
        details: { gate, execution_id, reasons: [] },
      });
  }
  return new ExecutionPermit(key, execution_id);
}
