import type { Mutant } from './mutant.js';

const FIRING = 'workflow/firing.js';
const TRANSITION = 'workflow/transition.js';
const TAKEN = "const taken = own !== 'skipped' && !dead && (label === own || label === 'always');";

/** Faults in the firing of workflows. */
export const WORKFLOW_MUTANTS: readonly Mutant[] = [
  {
    id: 'and-as-or',
    requirement: 'CF4',
    why: 'an AND join is executed as soon as one of its in-edges is taken',
    edits: [{ file: FIRING, find: "?.join_type === 'AND' ? taken === all : taken > 0", replace: '&& taken > 0' }],
  },
  {
    id: 'or-at-first',
    requirement: 'CF5',
    why: 'an OR join is executed at the first taken in-edge, without waiting for the others',
    edits: [
      {
        file: FIRING,
        find: 'instance.open[target] !== 0',
        replace:
          "instance.open[target] !== 0 && !(taken && graph.nodes[target]?.join_type === 'OR' && instance.taken[target] === 1)",
      },
    ],
  },
  {
    id: 'skip-stops',
    requirement: 'CF8',
    why: 'what follows a skipped node is left undecided',
    edits: [{ file: FIRING, find: 'skipped.push(target)', replace: 'void target' }],
  },
  {
    id: 'all-edges-taken',
    requirement: 'CF2',
    why: 'a condition takes all of its out-edges',
    edits: [
      {
        file: FIRING,
        find: TAKEN,
        replace: `const taken = own !== 'skipped' && !dead && (graph.nodes[node]?.type === 'condition' || label === own || label === 'always');`,
      },
    ],
  },
  {
    id: 'one-branch',
    requirement: 'CF3',
    why: 'of a fan-out only the first edge is followed',
    edits: [
      {
        file: FIRING,
        find: TAKEN,
        replace: `const taken = own !== 'skipped' && !dead && (label === own || label === 'always') && (graph.nodes[node]?.fan_out !== 'parallel' || at === graph.outStart[node]);`,
      },
    ],
  },
  {
    id: 'success-after-failure',
    requirement: 'CF1',
    why: 'a success edge is followed although its source failed',
    edits: [
      {
        file: FIRING,
        find: TAKEN,
        replace: `const taken = own !== 'skipped' && (label === own || label === 'always' || label === 'success');`,
      },
    ],
  },
  {
    id: 'condition-always-true',
    requirement: 'CN1',
    why: 'a condition takes the label true whatever its value',
    edits: [
      {
        file: FIRING,
        find: "label.ok ? label.value : 'failure'",
        replace: "label.ok ? (label.value === 'false' ? 'true' : label.value) : 'failure'",
      },
    ],
  },
  {
    id: 'attempts-by-parallelism',
    requirement: 'WII1',
    why: 'the number of an attempt depends on what runs beside it',
    edits: [
      {
        file: TRANSITION,
        find: 'const attempt = instance.invocations[targetOf(instance, node)] + 1;',
        replace: 'const attempt = instance.invocations[targetOf(instance, node)] + (instance.running > 1 ? 2 : 1);',
      },
    ],
  },
  {
    id: 'best-terminal',
    requirement: 'TN2',
    why: 'an instance ends completed although a terminal failed or compensated was reached',
    edits: [
      {
        file: FIRING,
        find: 'instance.worst = worse(instance.worst, step.status)',
        replace: "instance.worst = 'completed'",
      },
    ],
  },
  {
    id: 'terminal-completed',
    requirement: 'TN1',
    why: 'every terminal resolves as completed',
    edits: [
      { file: FIRING, find: 'close(instance, node, step.status,', replace: "close(instance, node, 'completed'," },
    ],
  },
  {
    id: 'specification-handled',
    requirement: 'FB3',
    why: 'a failure of class E5 is handled like any other',
    edits: [
      {
        file: FIRING,
        find: "ordinary && step.kind === 'action' && failure.error_class === 'E5'",
        replace: 'false',
      },
    ],
  },
  {
    id: 'retry-unbounded',
    requirement: 'CF9',
    why: 'an error is retried once more than its class and determinism allow',
    edits: [
      {
        file: 'execution/retry.js',
        find: 'return attempt - 1 < retriesAllowed(error_class, terms);',
        replace: 'return attempt - 2 < retriesAllowed(error_class, terms);',
      },
    ],
  },
  {
    id: 'longest-wait-ignored',
    requirement: 'AN2',
    why: 'the wait before a retry grows beyond the maximum of its policy',
    edits: [
      {
        file: 'execution/retry.js',
        find: 'policy?.max_backoff_ms ?? Number.MAX_SAFE_INTEGER,',
        replace: '',
      },
    ],
  },
  {
    id: 'failure-of-largest-marks',
    requirement: 'FB2',
    why: 'of several failures the end of the instance names that of the largest node_id',
    edits: [
      {
        file: FIRING,
        find: 'instance.marked.node_id < node_id',
        replace: 'instance.marked.node_id > node_id',
      },
    ],
  },
  {
    id: 'failure-of-last-marks',
    requirement: 'FB2',
    why: 'of several failures the end of the instance names the last',
    edits: [
      {
        file: FIRING,
        find: 'instance.marked?.node_id !== undefined && instance.marked.node_id < node_id',
        replace: 'false',
      },
    ],
  },
  {
    id: 'input-mapping-ignored',
    requirement: 'EB2',
    why: 'an action is given the inputs of the workflow instead of what its mapping gives',
    edits: [
      {
        file: 'workflow/evaluate.js',
        find: 'step.inputs.evaluate(scopeOf(instance, step))',
        replace: 'step.inputs.evaluate(scopeOf(instance, step)) && { ...instance.head.inputs }',
      },
    ],
  },
  {
    id: 'default-takes-null',
    requirement: 'EB2',
    why: 'a default stands in for a null that is there',
    edits: [
      {
        file: 'workflow/mapping.js',
        find: 'if (value === undefined && fallback !== undefined)',
        replace: 'if ((value === undefined || value === null) && fallback !== undefined)',
      },
    ],
  },
  {
    id: 'default-takes-empty',
    requirement: 'EB2',
    why: 'a default stands in for what is there and counts as false',
    edits: [
      {
        file: 'workflow/mapping.js',
        find: 'if (value === undefined && fallback !== undefined)',
        replace: 'if (!value && value !== null && fallback !== undefined)',
      },
    ],
  },
  {
    id: 'outputs-empty',
    requirement: 'EB3',
    why: 'a completed workflow gives no outputs',
    edits: [
      {
        file: 'workflow/evaluate.js',
        find: 'instance.plan.outputs.evaluate(scopeOf(instance))',
        replace: '({})',
      },
    ],
  },
  {
    id: 'committed-again',
    requirement: 'IR5',
    why: 'after a restart what was committed is executed again',
    edits: [
      {
        file: 'workflow/replay.js',
        find: "transition(instance, { type: 'committed', node, result: record.outputs ?? {} });",
        replace:
          "transition(instance, { type: 'failed', node, failure: { error_class: 'E1', detail: 'forgotten' }, closed: false });",
      },
    ],
  },
  {
    id: 'one-place-more',
    requirement: 'CF3',
    why: 'one invocation more runs at one time than the start names',
    edits: [
      {
        file: 'workflow/transition.js',
        find: 'while (places.taken < places.limit &&',
        replace: 'while (places.taken <= places.limit &&',
      },
    ],
  },
  {
    id: 'children-uncounted',
    requirement: 'CF3',
    why: 'the invocations of child instances are not counted among those that run at one time',
    edits: [
      {
        file: 'workflow/transition.js',
        find: 'instance.places.taken += change;',
        replace: 'instance.places.taken += instance.head.parent === undefined ? change : 0;',
      },
    ],
  },
];
