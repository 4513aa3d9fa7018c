import type { StoredDocument } from '../audit/log.js';
import type { Places } from './instance.js';

/** A run as far as it shares places with others. */
export interface PlaceTaker {
  /** Whether it would start something if there were a place. */
  wantsPlace(): boolean;
  /** Starts what it can, without looking after the others. */
  takePlace(): void;
}

/** How many invocations a root instance and its descendants have at one time, where nobody says. */
export const DEFAULT_MAX_PARALLEL = 8;

/** What a restart has to know of the limit of a root instance, to be stored with its start: nothing where it is the usual one. */
export function limitToKeep(execution_id: string, max_parallel: number): readonly StoredDocument[] {
  return max_parallel === DEFAULT_MAX_PARALLEL ? [] : [{ kind: 'limit', id: execution_id, value: { max_parallel } }];
}

/** The limit that was stored for a root instance, if any was. */
export function limitIn(stored: unknown): number {
  const { max_parallel = DEFAULT_MAX_PARALLEL } = (stored ?? {}) as { max_parallel?: number };
  return max_parallel;
}

/** What a root instance and its descendants share: the places of their invocations. */
export class RunTree {
  readonly places: Places;
  readonly #blocked = new Set<PlaceTaker>();

  constructor(max_parallel: number) {
    this.places = { taken: 0, limit: max_parallel };
  }

  /** Notes whether a run found no place, and gives free places to those that wait for one, the longest waiting first. */
  offer(run: PlaceTaker): void {
    this.#note(run);
    while (this.places.taken < this.places.limit) {
      const [next] = this.#blocked;
      if (next === undefined) return;
      this.#blocked.delete(next);
      if (!next.wantsPlace()) continue;
      next.takePlace();
      this.#note(next);
    }
  }

  /** Forgets a run that has ended. */
  leave(run: PlaceTaker): void {
    this.#blocked.delete(run);
  }

  #note(run: PlaceTaker): void {
    if (run.wantsPlace()) this.#blocked.add(run);
    else this.#blocked.delete(run);
  }
}
