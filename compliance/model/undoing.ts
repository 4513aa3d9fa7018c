import type { Action, ActionNode, ErrorClass } from '../../schemas/types.js';
import { answerOf } from './attempt.js';
import { resolveAction } from './contract.js';
import { undoOfCommitted } from './documents.js';
import type { NodeRun } from './firing.js';
import { undoBehaviour } from './script.js';
import { applyChanges, type Entry, type Fold } from './state.js';
import type { TreeInstance } from './tree.js';

/** One committed execution, as undoing needs it. */
export interface Commit {
  readonly instance: TreeInstance;
  readonly node_id: string;
  readonly action: Action;
  readonly run: NodeRun;
  /** What its keys held before. */
  readonly before: ReadonlyMap<string, Entry | undefined>;
  /** Who wrote State for it, as the fold names writers. */
  readonly writer: string;
  state: 'committed' | 'undone' | 'not undone';
}

/** What has committed in a run, in order, and how it is undone (Ch6, undoing committed executions; Ch7, error nodes). */
export class Commits {
  readonly all: Commit[] = [];
  readonly #fold: Fold;
  readonly #tainted = new Set<TreeInstance>();

  constructor(fold: Fold) {
    this.#fold = fold;
  }

  /** Notes a commit and applies its state changes. */
  add(instance: TreeInstance, node: ActionNode, run: NodeRun): void {
    const action = resolveAction(node.action_def, instance.program);
    if (action === undefined) return;
    const writer = `commit ${this.all.length + 1}`;
    const before = new Map(run.changes.map(({ key }) => [key, this.#fold.get(key)] as const));
    this.all.push({ instance, node_id: node.node_id, action, run, before, writer, state: 'committed' });
    applyChanges(this.#fold, run.changes, writer);
  }

  /** Notes that something in an instance was undone. */
  taint(instance: TreeInstance): void {
    for (let at: TreeInstance | undefined = instance; at !== undefined; at = at.parent) this.#tainted.add(at);
  }

  /** Whether something in an instance, or in one that it resumes, was undone. */
  isTainted(instance: TreeInstance): boolean {
    for (let at: TreeInstance | undefined = instance; at !== undefined; at = at.resumes)
      if (this.#tainted.has(at)) return true;
    return false;
  }

  /**
   * Undoes what an instance has committed, its children and what it carried over included, the last commit first; gives the
   * class of the first failure. `undone` is told of each undo that committed.
   */
  undoInstance(instance: TreeInstance, undone: (commit: Commit) => void): ErrorClass | undefined {
    let first: ErrorClass | undefined;
    for (const commit of this.all.filter(one => isWithin(one.instance, instance)).reverse()) {
      if (commit.state === 'undone' || commit.action.rollback === 'irreversible') continue;
      const failure = this.#undo(commit);
      if (failure === undefined) {
        commit.state = 'undone';
        this.taint(commit.instance);
        undone(commit);
      } else {
        commit.state = 'not undone';
        first ??= failure;
      }
    }
    return first;
  }

  #undo(commit: Commit): ErrorClass | undefined {
    const { instance, action, run } = commit;
    const undo = undoOfCommitted(action, instance.program);
    if (undo !== undefined) {
      const node: ActionNode = { node_id: commit.node_id, type: 'action', action_def: `${undo.action_id}@*` };
      const inputs = { inputs: run.inputs ?? {}, outputs: run.result ?? {} };
      const behaviour = undoBehaviour(instance.program.script, undo.action_id, 1);
      const answer = answerOf(behaviour, undo, node, { inputs }, { inputs });
      if (answer.kind === 'success') applyChanges(this.#fold, answer.changes, `undo of ${commit.writer}`);
      return answer.kind === 'success' ? undefined : answer.kind === 'error' ? answer.error_class : 'E3';
    }
    if (action.rollback !== 'rollbackable' || (action.side_effects ?? []).length > 0) return 'E4';
    return this.#putBack(commit);
  }

  /** The synthesised execution: what the original's keys held before, where it is still their writer. */
  #putBack({ before, writer }: Commit): ErrorClass | undefined {
    const keys = [...before];
    if (keys.some(([key]) => this.#fold.get(key)?.writer !== writer)) return 'E4';
    for (const [key, entry] of keys) {
      const version = (this.#fold.get(key)?.version ?? 0) + 1;
      const held = entry === undefined || entry.value === undefined ? {} : { value: entry.value };
      this.#fold.set(key, { ...held, version, writer: entry?.writer ?? `undo of ${writer}` });
    }
    return undefined;
  }
}

/** Whether an instance is another one, below it, resumed by it, or below one that it resumes. */
function isWithin(instance: TreeInstance, of: TreeInstance): boolean {
  for (let root: TreeInstance | undefined = of; root !== undefined; root = root.resumes)
    for (let at: TreeInstance | undefined = instance; at !== undefined; at = at.parent) if (at === root) return true;
  return false;
}
