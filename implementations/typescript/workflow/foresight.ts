import type { CommitProtocol, PreparedExecution } from '../audit/commit-protocol.js';
import type { Execution } from '../audit/execution-record.js';
import type { Ending } from '../audit/execution-steps.js';
import type { RecordDraft } from '../audit/log.js';
import { inputsOf } from './evaluate.js';
import { executedAction, type Failure, type Instance, isStopped, targetOf } from './instance.js';
import type { InstanceEffect } from './instance-event.js';
import { nodeExecution } from './node-execution.js';
import { recordsOf } from './workflow-record.js';

/** What foresight stands on. */
export interface ForesightParts {
  readonly protocol: CommitProtocol;
  /** A new execution_id each time. */
  readonly newId: () => string;
}

/** Effects with the records that they consist of. */
export interface Upcoming {
  readonly effects: readonly InstanceEffect[];
  /** How many nodes are resolved once the records are durable. */
  readonly count: number;
  readonly records: readonly RecordDraft[];
  /** Executions whose `pending` is among the records, by node. */
  readonly prepared: ReadonlyMap<number, PreparedExecution>;
}

/** An attempt of a node, with the reason where it cannot be made, because its inputs cannot be had. */
export interface NextAttempt {
  readonly x: Execution;
  readonly failure: Failure | undefined;
}

const NOTHING_PREPARED: ReadonlyMap<number, PreparedExecution> = new Map();

/** What an instance can tell of its next steps before anything of them is recorded: their records and their executions. */
export class Foresight {
  readonly #parts: ForesightParts;
  readonly #instance: Instance;
  /** Nodes of whose action an earlier attempt may have had its effect. */
  readonly #effects = new Set<number>();

  constructor(parts: ForesightParts, instance: Instance) {
    this.#parts = parts;
    this.#instance = instance;
    for (let node = 0; node < instance.invocations.length; node++)
      if ((instance.invocations[node] as number) > 0) this.#effects.add(node);
  }

  /**
   * The records of effects. What they start at once is recorded with them, in the same atomic step: a sequence of actions
   * then waits once an action for the disk, for the end of one and the `pending` of the next together.
   */
  foresee(effects: readonly InstanceEffect[]): Upcoming {
    const instance = this.#instance;
    const count = instance.resolved.length;
    const records = recordsOf(instance, effects, this.#parts.newId);
    if (instance.held || isStopped(instance)) return { effects, count, records, prepared: NOTHING_PREPARED };
    const prepared = new Map<number, PreparedExecution>();
    for (const effect of effects) {
      if (effect.type !== 'execute') continue;
      const { x, failure } = this.nextAttempt(effect.node, effect.attempt);
      const next = failure === undefined ? this.#parts.protocol.prepare(x) : undefined;
      if (next !== undefined) prepared.set(effect.node, next);
    }
    return { effects, count, records: [...records, ...[...prepared.values()].map(({ record }) => record)], prepared };
  }

  /** The next attempt of a node, and why it cannot be made where its inputs cannot be had. */
  nextAttempt(node: number, attempt: number): NextAttempt {
    const inputs = inputsOf(this.#instance, executedAction(this.#instance, node));
    const x = nodeExecution(this.#instance, node, {
      execution_id: this.#parts.newId(),
      attempt,
      inputs: inputs.ok ? inputs.value : {},
      effect_possible: this.#effects.has(targetOf(this.#instance, node)),
    });
    return { x, failure: inputs.ok ? undefined : inputs.failure };
  }

  /** Notes whether an attempt that ended may have had its effect. */
  noteEnding(node: number, ending: Ending): void {
    if (ending.status !== 'failed') return;
    const target = targetOf(this.#instance, node);
    if (ending.undone === true) this.#effects.delete(target);
    else if (ending.error.effect !== 'none') this.#effects.add(target);
  }
}
