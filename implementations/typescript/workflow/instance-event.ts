import type { TerminalStatus } from '../../../schemas/types.js';
import type { Failure, InstanceEnd, StopReason } from './instance.js';

/** What happens to an instance; nodes are indices. */
export type InstanceEvent =
  | { readonly type: 'started' }
  /** Nothing holds the instance any longer: it has just been started or replayed, or its doubts are settled. */
  | { readonly type: 'continued' }
  | { readonly type: 'invoked'; readonly node: number; readonly attempt: number }
  | { readonly type: 'committed'; readonly node: number; readonly result: Readonly<Record<string, unknown>> }
  /** closed: no policy retries it; undone: what the attempt did was undone; final: nothing at all executes it again. */
  | {
      readonly type: 'failed';
      readonly node: number;
      readonly failure: Failure;
      readonly closed: boolean;
      readonly undone?: boolean;
      readonly final?: boolean;
    }
  /** The child instance of a node has started, or ended. */
  | { readonly type: 'child_started'; readonly node: number; readonly execution_id: string }
  | { readonly type: 'child_ended'; readonly node: number; readonly end: InstanceEnd }
  /** Something that the node executes is in doubt, or, in its child instance, nothing is any longer. */
  | { readonly type: 'doubted'; readonly node: number }
  | { readonly type: 'doubt_lifted'; readonly node: number }
  | { readonly type: 'retry_due'; readonly node: number }
  /** The node undid what the instance had committed; with a failure: not all of it. */
  | { readonly type: 'instance_undone'; readonly node: number; readonly failure?: Failure | undefined }
  /** The record of a terminal or error node is there. */
  | { readonly type: 'recorded'; readonly node: number }
  /** Somewhere else in the tree of instances a place has become free. */
  | { readonly type: 'place_freed' }
  /** What was to be started has not been, because the instance came to stand still before. */
  | { readonly type: 'withheld'; readonly nodes: readonly number[] }
  | { readonly type: 'stopped'; readonly reason: StopReason }
  | { readonly type: 'ended'; readonly end: InstanceEnd };

/** What has to be done because of an event. */
export type InstanceEffect =
  | { readonly type: 'execute'; readonly node: number; readonly attempt: number }
  | { readonly type: 'wait'; readonly node: number; readonly ms: number }
  | { readonly type: 'start_child'; readonly node: number }
  | { readonly type: 'undo_instance'; readonly node: number }
  | { readonly type: 'record_terminal'; readonly node: number; readonly status: TerminalStatus }
  | {
      readonly type: 'record_outcome';
      readonly record_type: 'error' | 'skill';
      readonly node: number;
      readonly failure: Failure | undefined;
    }
  | { readonly type: 'end'; readonly end: InstanceEnd };
