import type { Edit, Mutant } from './mutant.js';

const FIRING = 'workflow/firing.js';
const TRANSITION = 'workflow/transition.js';

/** Takes away the check of the store that would refuse the faulty records. */
const UNCHECKED: Edit = { file: 'store/write.js', find: 'if (fault !== undefined) {', replace: 'if (false) {' };

/** Faults in what becomes of nodes, failures and doubts, and of what has committed. */
export const OUTCOME_MUTANTS: readonly Mutant[] = [
  {
    id: 'dead-path-executed',
    requirement: 'EB4',
    why: 'an action behind a skipped node is executed',
    edits: [
      {
        file: FIRING,
        find: 'if (isReady(instance, target))',
        replace: "if (isReady(instance, target) || (own === 'skipped' && graph.nodes[target]?.type === 'action'))",
      },
    ],
  },
  {
    id: 'commit-as-failure',
    requirement: 'AN2',
    why: 'a node whose execution has committed resolves with failure',
    edits: [
      { file: TRANSITION, find: "resolve(instance, node, 'success');", replace: "resolve(instance, node, 'failure');" },
    ],
  },
  {
    id: 'handled-marks',
    requirement: 'FB1',
    why: 'a handled failure marks the instance failed',
    edits: [{ file: FIRING, find: 'if (!handled)', replace: 'if (true)' }],
  },
  {
    id: 'mark-ignored',
    requirement: 'FB2',
    why: 'an instance with an unhandled failure ends as its terminals say',
    edits: [{ file: TRANSITION, find: 'if (instance.marked !== undefined)', replace: 'if (false)' }],
  },
  {
    id: 'condition-guesses',
    requirement: 'CN3',
    why: 'a condition that cannot be decided takes the label true',
    edits: [
      {
        file: FIRING,
        find: "label.ok ? label.value : 'failure', !label.ok",
        replace: "label.ok ? label.value : 'true', false",
      },
      { file: FIRING, find: 'if (!label.ok)', replace: 'if (false)' },
    ],
  },
  {
    id: 'attempts-of-all',
    requirement: 'CF10',
    why: 'attempts are counted over all nodes of an instance',
    edits: [
      {
        file: TRANSITION,
        find: 'const attempt = instance.invocations[targetOf(instance, node)] + 1;',
        replace: 'const attempt = instance.invocations.reduce((sum, one) => sum + one, 0) + 1;',
      },
    ],
  },
  {
    id: 'join-too-early',
    requirement: 'CF6',
    why: 'a join starts while a predecessor is still running',
    edits: [
      {
        file: FIRING,
        find: 'instance.open[target] !== 0',
        replace: 'instance.open[target] !== 0 && !(taken && instance.taken[target] === 1)',
      },
    ],
  },
  {
    id: 'doubt-as-failure',
    requirement: 'FB5',
    why: 'an execution in doubt counts as failed, so that its instance goes on',
    edits: [
      {
        file: 'workflow/enactment.js',
        find: "{ type: 'doubted', node }",
        replace: "{ type: 'failed', node, failure: { error_class: 'E3', detail: 'doubt' }, closed: true }",
      },
    ],
  },
  {
    id: 'invoked-twice',
    requirement: 'AN5',
    why: 'every attempt invokes its action twice',
    edits: [
      {
        file: 'audit/execution-steps.js',
        find: 'const reply = await invoke(host, callOf(x),',
        replace:
          'await host.invoke(callOf(x), new AbortController().signal); const reply = await invoke(host, callOf(x),',
      },
    ],
  },
  {
    id: 'commit-forgotten',
    requirement: 'CLI3',
    why: 'after a restart what was committed counts as failed',
    edits: [
      {
        file: 'workflow/replay.js',
        find: "transition(instance, { type: 'committed', node, result: record.outputs ?? {} });",
        replace:
          "transition(instance, { type: 'failed', node, failure: { error_class: 'E4', detail: 'forgotten' }, closed: true });",
      },
    ],
  },
  {
    id: 'commit-voided',
    requirement: 'AII7',
    why: 'a failed record follows the committed one of the same execution',
    edits: [
      UNCHECKED,
      {
        file: 'audit/commit-protocol.js',
        find: 'const step = { records: [...first, record], documents,',
        replace:
          "const step = { records: [...first, record, { ...record, status: 'failed', error_class: 'E4', error_detail: 'void' }], documents,",
      },
    ],
  },
  {
    id: 'starts-behind',
    requirement: 'CF7',
    why: 'an instance begins with the node behind its start',
    edits: [
      {
        file: TRANSITION,
        find: 'propagate(instance, [instance.plan.graph.start]);',
        replace:
          'const { start, outStart, outEdges, target } = instance.plan.graph; propagate(instance, [target[outEdges[outStart[start]]]]);',
      },
    ],
  },
  {
    id: 'failure-as-pending',
    requirement: 'CC3',
    why: 'an execution that failed is exported as one that never ended',
    edits: [
      {
        file: 'audit/interchange.js',
        find: 'return { text: joined(page) };',
        replace:
          'return { text: joined(page).replace(/("record_type":"action"[^\\n]*)"status":"failed"/g, \'$1"status":"pending"\') };',
      },
    ],
  },
  {
    id: 'decided-again',
    requirement: 'CRC3',
    why: 'recovery decides what an earlier recovery has decided',
    edits: [
      { file: 'audit/recovery.js', find: ", status: 'pending', incomplete: true }", replace: ", status: 'pending' }" },
      {
        file: 'audit/recovery.js',
        find: "const current = log.latest(record.execution_id)?.status === 'pending';",
        replace: "const current = log.latest(record.execution_id)?.status !== 'committed';",
      },
    ],
  },
  {
    id: 'start-as-end',
    requirement: 'AM1',
    why: 'the record of a start is exported as that of an end',
    edits: [
      {
        file: 'audit/interchange.js',
        find: 'return { text: joined(page) };',
        replace: 'return { text: joined(page).replaceAll(\'"workflow_started"\', \'"workflow_failed"\') };',
      },
    ],
  },
  {
    id: 'record-nameless',
    requirement: 'PC5',
    why: 'an exported record names no execution',
    edits: [
      {
        file: 'audit/interchange.js',
        find: 'return { text: joined(page) };',
        replace: 'return { text: joined(page).replace(/"execution_id":"[^"]*",/, \'\') };',
      },
    ],
  },
];
