import type { Mutant } from './mutant.js';

const FIRING = 'workflow/firing.js';
const TRANSITION = 'workflow/transition.js';
const INSTANCE = 'workflow/instance.js';
const CHILD = 'workflow/child.js';
const CARRIED = 'workflow/carried.js';
const UNDO = 'undo-instance.js';
const RECORD = 'workflow/workflow-record.js';
const HEAD = '...{ execution_id, context_id, agent_id, inputs, context },';

/** Faults in error nodes, skill nodes, and in what the log tells of both. */
export const HANDLING_MUTANTS: readonly Mutant[] = [
  {
    id: 'error-without-failure',
    requirement: 'EN1',
    why: 'an error node is reached although nothing failed',
    edits: [
      {
        file: FIRING,
        find: "const taken = own !== 'skipped' && !dead && (label === own || label === 'always');",
        replace:
          "const taken = own !== 'skipped' && !dead && (label === own || label === 'always' || (label === 'failure' && own === 'success'));",
      },
    ],
  },
  {
    id: 'retry-node-once-more',
    requirement: 'EN2',
    why: 'an error node makes an attempt more than max_attempts',
    edits: [{ file: INSTANCE, find: 'before + step.max_attempts,', replace: 'before + step.max_attempts + 1,' }],
  },
  {
    id: 'retry-node-once',
    requirement: 'EN2',
    why: 'an error node makes one attempt, however many it may',
    edits: [{ file: INSTANCE, find: 'before + step.max_attempts,', replace: 'before + 1,' }],
  },
  {
    id: 'retry-node-when-alone',
    requirement: 'WII1',
    why: 'an error node makes one attempt only while something else runs',
    edits: [
      {
        file: INSTANCE,
        find: 'before + step.max_attempts,',
        replace: 'before + (instance.running > 0 ? 1 : step.max_attempts),',
      },
    ],
  },
  {
    id: 'retry-node-unbounded',
    requirement: 'CF9',
    why: 'an error node does not know the bound of determinism',
    edits: [{ file: INSTANCE, find: '1 + RETRY_BOUND[determinism]', replace: '9 + RETRY_BOUND[determinism]' }],
  },
  {
    id: 'undo-stops',
    requirement: 'EN3',
    why: 'an error node undoes nothing further once an undo has failed',
    edits: [
      { file: UNDO, find: 'failure ??= outcome;', replace: 'failure ??= outcome; if (failure !== undefined) break;' },
    ],
  },
  {
    id: 'undo-first-first',
    requirement: 'EN3',
    why: 'an error node undoes in the order of the commits',
    edits: [
      {
        file: UNDO,
        find: 'of due)',
        replace: 'of [...due].reverse())',
      },
    ],
  },
  {
    id: 'undo-always-succeeds',
    requirement: 'EN3',
    why: 'an error node succeeds although an undo failed',
    edits: [{ file: UNDO, find: 'failure ??= outcome;', replace: 'void outcome;' }],
  },
  {
    id: 'undo-failed-elsewhere',
    requirement: 'EN3',
    why: 'an undo that failed in a child is not tried again by the error node of its parent',
    edits: [{ file: UNDO, find: 'record.sequence < this.#since', replace: 'false' }],
  },
  {
    id: 'undo-without-error-node',
    requirement: 'RB1',
    why: 'a child that fails is undone, although no error node asks for it',
    edits: [
      {
        file: 'workflow/run.js',
        find: 'this.#kin.release(node);',
        replace: 'const gone = this.#kin.release(node);',
      },
      {
        file: 'workflow/run.js',
        find: "this.#enactment.proceed({ type: 'child_ended', node, end });",
        replace:
          "(end.status === 'failed' ? this.#parts.undoInstance(gone.execution_id, () => true) : Promise.resolve()).then(() => this.#enactment.proceed({ type: 'child_ended', node, end }), error => this.fail(error));",
      },
    ],
  },
  {
    id: 'failure-of-largest-taken-up',
    requirement: 'EB2',
    why: 'of several failures that lead to an error node it takes up that of the largest node_id',
    edits: [{ file: INSTANCE, find: 'node_id < found.node_id', replace: 'node_id > found.node_id' }],
  },
  {
    id: 'fails-with-largest',
    requirement: 'EN4',
    why: 'of several failures that lead to an error node with handling fail, it fails with that of the largest node_id',
    edits: [
      {
        file: INSTANCE,
        find: 'node_id < found.node_id',
        replace: "(instance.plan.steps[node].kind === 'fail' ? node_id > found.node_id : node_id < found.node_id)",
      },
    ],
  },
  {
    id: 'fails-without-detail',
    requirement: 'EN4',
    why: 'an error node with handling fail is recorded with the class of what it took up and words of its own',
    edits: [
      {
        file: FIRING,
        find: 'const { failure } = failureAt(instance, node);',
        replace: "const failure = { ...failureAt(instance, node).failure, detail: 'an error node failed' };",
      },
    ],
  },
  {
    id: 'marked-by-last',
    requirement: 'EN4',
    why: 'of several nodes that mark an instance, an error node among them, its end names the one that was last',
    edits: [
      {
        file: FIRING,
        find: 'instance.marked.node_id < node_id)',
        replace: "instance.marked.node_id < node_id && instance.plan.steps[node].kind !== 'fail')",
      },
    ],
  },
  {
    id: 'fail-goes-on',
    requirement: 'EN4',
    why: 'an error node with handling fail leaves the instance to its terminals',
    edits: [{ file: FIRING, find: 'if (!handled)', replace: "if (!handled && step.kind !== 'fail')" }],
  },
  {
    id: 'undo-at-once',
    requirement: 'FB7',
    why: 'an error node undoes while other nodes are ready or running',
    edits: [
      {
        file: TRANSITION,
        find: 'instance.undoing.length > 0 && !isBusy(instance) && instance.backingOff === 0 && !hasQueued(instance)',
        replace: 'instance.undoing.length > 0',
      },
    ],
  },
  {
    id: 'undo-largest-first',
    requirement: 'FB7',
    why: 'of several error nodes that undo the one with the largest node_id is first',
    edits: [
      {
        file: TRANSITION,
        find: 'nodeId(instance, a) < nodeId(instance, b)',
        replace: 'nodeId(instance, a) > nodeId(instance, b)',
      },
    ],
  },
  {
    id: 'child-of-another-node',
    requirement: 'SN1',
    why: 'a child instance does not say for which node it runs',
    edits: [
      {
        file: RECORD,
        find: 'node_id: parent.node_id }',
        replace: "node_id: `${parent.node_id}'` }",
      },
    ],
  },
  {
    id: 'skill-always-succeeds',
    requirement: 'SN2',
    why: 'a skill succeeds although its child failed',
    edits: [{ file: TRANSITION, find: "status === 'completed' ? outputsOf", replace: 'status ? outputsOf' }],
  },
  {
    id: 'skill-deterministic',
    requirement: 'SN3',
    why: 'how repeatable the content of a skill is does not count',
    edits: [
      {
        file: 'verification/rules/s9.js',
        find: 'DETERMINISM[Math.max(...actions.map(({ determinism }) => DETERMINISM.indexOf(determinism)))]',
        replace: 'DETERMINISM[0]',
      },
    ],
  },
  {
    id: 'child-specification',
    requirement: 'FB6',
    why: 'a child that failed with E5 fails its parent, although that handles the failure',
    edits: [
      {
        file: FIRING,
        find: "ordinary && step.kind === 'action' && failure.error_class === 'E5'",
        replace: "ordinary && failure.error_class === 'E5'",
      },
    ],
  },
  {
    id: 'outcome-unrecorded',
    requirement: 'AM2',
    why: 'terminals are not recorded',
    edits: [{ file: RECORD, find: 'return terminalDraft(', replace: 'return void terminalDraft(' }],
  },
  {
    id: 'child-own-root',
    requirement: 'AM3',
    why: 'a child instance names itself as root',
    edits: [{ file: CHILD, find: HEAD, replace: `${HEAD} context_id: execution_id,` }],
  },
  {
    id: 'trace-invented',
    requirement: 'AM4',
    why: 'of skills and error nodes another outcome is told than recorded',
    edits: [
      {
        file: INSTANCE,
        find: 'entry(node, instance.outcome[node])',
        replace:
          "entry(node, instance.plan.steps[node].kind === 'skill' && instance.outcome[node] !== 'skipped' ? 'failure' : instance.outcome[node])",
      },
    ],
  },
  {
    id: 'outcome-twice',
    requirement: 'AM5',
    why: 'how a skill or error node was resolved is recorded twice',
    edits: [
      {
        file: RECORD,
        find: 'drafts.push(draft);',
        replace:
          "drafts.push(draft, ...(effect.type === 'record_outcome' ? [recordOf(instance, effect, newId)] : []));",
      },
    ],
  },
  {
    id: 'child-without-context',
    requirement: 'EB5',
    why: 'a child instance does not have the context of its parent',
    edits: [{ file: CHILD, find: HEAD, replace: `${HEAD} context: {},` }],
  },
  {
    id: 'cancel-goes-on',
    requirement: 'FB8',
    why: 'a cancelled instance starts what becomes ready',
    edits: [
      {
        file: INSTANCE,
        find: 'instance.doubts.size > 0 || instance.stopped !== undefined',
        replace: 'instance.doubts.size > 0',
      },
    ],
  },
  {
    id: 'resumed-from-start',
    requirement: 'IR2',
    why: 'resuming carries nothing over',
    edits: [
      {
        file: CARRIED,
        find: 'return { carried, children',
        replace: 'return { carried: new Map(), children',
      },
    ],
  },
  {
    id: 'child-again',
    requirement: 'IR2',
    why: 'a skill node whose child completed runs anew in the instance that resumes',
    edits: [
      {
        file: CARRIED,
        find: 'if (!EXECUTING.has(step.kind) ||',
        replace:
          "if (step.kind === 'skill') resumed.delete(step.node_id); if (step.kind === 'skill' || !EXECUTING.has(step.kind) ||",
      },
    ],
  },
  {
    id: 'unmapped-child-again',
    requirement: 'IR2',
    why: 'a child that completed runs anew where its node failed for all that',
    edits: [
      {
        file: CARRIED,
        find: "if (child !== undefined && outcome[node] === 'failure' && completed(child))",
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'child-from-start',
    requirement: 'IR2',
    why: 'the child of a failed skill node starts from its beginning in the instance that resumes',
    edits: [{ file: CARRIED, find: "if (child !== undefined && step.kind === 'skill')", replace: 'if (false)' }],
  },
  {
    id: 'carried-not-undone',
    requirement: 'EN3',
    why: 'an error node undoes nothing of what its instance carried over',
    edits: [
      {
        file: UNDO,
        find: 'parts.instances.lineage(instance_id).flatMap(',
        replace: '[instance_id].flatMap(',
      },
    ],
  },
  {
    id: 'resumed-completed',
    requirement: 'IR1',
    why: 'a completed instance is run again',
    edits: [{ file: 'starts.js', find: "if (status === 'completed')", replace: 'if (false)' }],
  },
  {
    id: 'resumed-undone',
    requirement: 'IR3',
    why: 'an instance in which something was undone is resumed',
    edits: [
      {
        file: 'starts.js',
        find: "instances.hasUndone(ended) ? 'had something undone' : undefined",
        replace: 'undefined',
      },
    ],
  },
  {
    id: 'outputs-unrecorded',
    requirement: 'EB6',
    why: 'what an action gave is used and not recorded',
    edits: [
      {
        file: 'audit/execution-record.js',
        find: 'outputs: result.outputs,',
        replace: 'outputs: {},',
      },
    ],
  },
];
