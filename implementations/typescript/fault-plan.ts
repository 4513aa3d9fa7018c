import type { FaultArmParams, FaultPoint } from '../../schemas/types.js';
import { ArsError } from './error.js';

interface Armed {
  readonly name: FaultPoint;
  readonly effect: FaultArmParams['effect'];
  left: number;
}

/** The points that the reference runtime passes, in the order of an execution. */
export const FAULT_POINTS: readonly FaultPoint[] = [
  'gate_allowed',
  'pending_durable',
  'invoked',
  'committing',
  'committed',
  'recovery_recorded',
  'redo_pending',
  'compensating',
  'snapshot_written',
];

/** Which points are armed, each for one passing. */
export class FaultPlan {
  #armed: Armed[] = [];

  /** Arms a point for its n-th passing from now on. */
  arm({ name, occurrence, effect }: FaultArmParams): void {
    this.#armed.push({ name, effect, left: occurrence });
  }

  disarm(): void {
    this.#armed = [];
  }

  /**
   * Counts a passing, and gives true where the process is to be stopped there. Throws `storage_failed` where the write
   * is to fail.
   */
  pass(point: FaultPoint): boolean {
    const due: Armed[] = [];
    for (const armed of this.#armed) {
      if (armed.name !== point) continue;
      armed.left -= 1;
      if (armed.left === 0) due.push(armed);
    }
    if (due.length === 0) return false;
    this.#armed = this.#armed.filter(armed => armed.left > 0);
    if (due.some(armed => armed.effect === 'kill')) return true;
    throw new ArsError('storage_failed', `the write at "${point}" was made to fail`, { details: { point } });
  }
}
