import type { AuditRecord } from '../../schemas/types.js';

/** Tells, while a log is read, which executions are synthesised reverts: they invoke nothing and repeat the original's action. */
export class SynthesisedReverts {
  readonly #actions = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  see(record: AuditRecord): void {
    if (record.record_type !== 'action' || record.status !== 'pending') return;
    const action = record.action_id ?? '';
    this.#actions.set(record.execution_id, action);
    if (record.purpose !== 'revert') return;
    const original = record.refers_to?.find(id => this.#actions.get(id) === action);
    if (original !== undefined) this.#originals.set(record.execution_id, original);
  }

  /** What a synthesised revert takes back, or undefined where the execution is none. */
  originalOf(executionId: string): string | undefined {
    return this.#originals.get(executionId);
  }
}
