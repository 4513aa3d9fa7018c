import { ArsError } from '../../error.js';
import { childHead } from '../../workflow/child.js';
import {
  type Failure,
  type Instance,
  type InstanceEnd,
  type InstanceHead,
  newInstance,
  type StopReason,
} from '../../workflow/instance.js';
import type { InstanceEffect, InstanceEvent } from '../../workflow/instance-event.js';
import type { Plan } from '../../workflow/plan.js';
import { transition } from '../../workflow/transition.js';

/** What a terminal, error or skill node that was resolved has to have recorded of it. */
export type DueRecord =
  | { readonly record_type: 'terminal'; readonly status: string }
  | { readonly record_type: 'error' | 'skill'; readonly failure: Failure | undefined };

/**
 * An instance that is run again without invoking anything, and what of it has no record yet. Nothing limits what runs side
 * by side and no wait takes time, so all that a runtime could have started stands here.
 */
export class Outstanding {
  readonly instance: Instance;
  /** Attempts that are to be made, by the node that makes them. */
  readonly attempts = new Map<number, number>();
  /** Skill nodes whose child instance is to be started. */
  readonly children = new Set<number>();
  /** Error nodes that are to undo the instance, or do so. */
  readonly undoing = new Set<number>();
  /** Nodes whose record is due. */
  readonly records = new Map<number, DueRecord>();
  end: InstanceEnd | undefined;

  constructor(plan: Plan, head: InstanceHead) {
    this.instance = newInstance(plan, head, Number.POSITIVE_INFINITY);
  }

  /** Begins the instance. */
  begin(): void {
    transition(this.instance, { type: 'started' });
    this.apply({ type: 'continued' });
  }

  /** Lets something happen; a doubt that is lifted lets the instance go on. */
  apply(event: InstanceEvent): void {
    const waiting = [event];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { effects } = transition(this.instance, next);
      for (const effect of effects) {
        const follows = this.#note(effect);
        if (follows !== undefined) waiting.push(follows);
      }
    }
    const { instance } = this;
    if (instance.held && instance.doubts.size === 0 && instance.end === undefined) this.apply({ type: 'continued' });
  }

  /** Stops the instance: what has not begun does not begin any more. */
  stop(reason: StopReason): void {
    const nodes = [...this.attempts.keys(), ...this.children, ...this.undoing];
    this.attempts.clear();
    this.children.clear();
    this.undoing.clear();
    this.apply({ type: 'stopped', reason });
    this.apply({ type: 'withheld', nodes });
  }

  #note(effect: InstanceEffect): InstanceEvent | undefined {
    switch (effect.type) {
      case 'execute':
        this.attempts.set(effect.node, effect.attempt);
        return undefined;
      case 'wait':
        return { type: 'retry_due', node: effect.node };
      case 'start_child':
        return this.#noteChild(effect.node);
      case 'undo_instance':
        this.undoing.add(effect.node);
        return undefined;
      case 'record_terminal':
        this.records.set(effect.node, { record_type: 'terminal', status: effect.status });
        return undefined;
      case 'record_outcome':
        this.records.set(effect.node, { record_type: effect.record_type, failure: effect.failure });
        return undefined;
      case 'end':
        this.end = effect.end;
    }
    return undefined;
  }

  /** A child whose inputs cannot be made is not started: its node fails. */
  #noteChild(node: number): InstanceEvent | undefined {
    const child = childHead(this.instance, node, 'child');
    if (!child.ok) return { type: 'failed', node, failure: child.failure, closed: true, final: true };
    this.children.add(node);
    return undefined;
  }
}

/** What a step gives; the text of the error where the plan leaves no room for it. */
export function attempted<T>(step: () => T): { readonly value: T } | { readonly refused: string } {
  try {
    return { value: step() };
  } catch (error) {
    if (error instanceof ArsError) return { refused: error.message };
    throw error;
  }
}
