import type { Edit, Mutant } from './mutant.js';

const ADAPTER = 'adapter.js';
const EXPORT = 'audit/interchange.js';
const PAGE = 'return { text: joined(page) };';
const OPEN = 'open = await Runtime.open({';

/** Takes away the check of the store that would refuse the faulty records. */
const UNCHECKED: Edit = { file: 'store/write.js', find: 'if (fault !== undefined) {', replace: 'if (false) {' };

function atOpening(fault: string): Edit {
  return { file: ADAPTER, find: OPEN, replace: `${fault} ${OPEN}` };
}

function inExport(fault: string): Edit {
  return { file: EXPORT, find: PAGE, replace: `let text = joined(page); ${fault} return { text };` };
}

/** Faults in what a workspace keeps: its folder, its log, State, documents and entries, and what was asked for before. */
export const KEEPING_MUTANTS: readonly Mutant[] = [
  {
    id: 'manifest-unread',
    requirement: 'FS1',
    why: 'a manifest that does not fit is taken for one',
    edits: [
      {
        file: 'workspace/manifest.js',
        find: "const defect = validate('workspace', value)[0];",
        replace: 'const defect = undefined;',
      },
    ],
  },
  {
    id: 'manifest-elsewhere',
    requirement: 'FS2',
    why: 'the manifest has another name',
    edits: [
      {
        file: 'workspace/manifest.js',
        find: "export const MANIFEST_PATH = 'workspace.json';",
        replace: "export const MANIFEST_PATH = 'manifest.json';",
      },
    ],
  },
  {
    id: 'folders-ahead',
    requirement: 'FS3',
    why: 'folders are made at the opening, for what may come',
    edits: [
      atOpening("(await import('node:fs')).mkdirSync(`${workspace_dir}/infrastructure/audit`, { recursive: true });"),
    ],
  },
  {
    id: 'folder-tidied',
    requirement: 'FS4',
    why: 'files that look like old ones of its own are removed at the opening',
    edits: [atOpening("(await import('node:fs')).rmSync(`${workspace_dir}/audit.jsonl`, { force: true });")],
  },
  {
    id: 'manifest-rewritten',
    requirement: 'SO3',
    why: 'putting a definition writes the manifest',
    edits: [
      atOpening('globalThis.arsFolder = workspace_dir;'),
      {
        file: ADAPTER,
        find: 'put: async (definitions) => nothing(runtime().putRegistry(definitions))',
        replace:
          "put: async (definitions) => { (await import('node:fs')).appendFileSync(`${globalThis.arsFolder}/workspace.json`, ' '); return nothing(runtime().putRegistry(definitions)); }",
      },
    ],
  },
  {
    id: 'numbers-altered',
    requirement: 'SO1',
    why: 'a whole number that a double does not hold is taken',
    edits: [
      {
        file: 'state/canonical.js',
        find: 'if (Number.isInteger(value) && !Number.isSafeInteger(value)',
        replace: 'if (false && !Number.isSafeInteger(value)',
      },
    ],
  },
  {
    id: 'created-again',
    requirement: 'I1',
    why: 'a key that was deleted counts as never written',
    edits: [
      {
        file: 'state/state.js',
        find: 'if (expected_version !== undefined && expected_version !== actual_version) {',
        replace:
          'if (expected_version !== undefined && expected_version !== actual_version && !(expected_version === 0 && (entries.get(key) ?? lookup(key))?.value === undefined)) {',
      },
    ],
  },
  {
    id: 'writes-lost',
    requirement: 'SP3',
    why: 'of many writes to one key some are not counted',
    edits: [
      {
        file: 'store/write.js',
        find: 'canonicalize(value), version, writer);',
        replace: 'canonicalize(value), Math.min(version, 7), writer);',
      },
    ],
  },
  {
    id: 'deleted-forgotten',
    requirement: 'SP1',
    why: 'after a restart deleted keys are not given any more',
    edits: [
      {
        file: ADAPTER,
        find: 'get: ({ agent_id, keys }) => runtime().readAs(agent_id).state(keys)',
        replace:
          "get: ({ agent_id, keys }) => { const { state, sequence } = runtime().readAs(agent_id).state(keys); return { sequence, state: runtime().incarnation === 1 ? state : Object.fromEntries(Object.entries(state).filter(([, entry]) => 'value' in entry)) }; }",
      },
    ],
  },
  {
    id: 'dry-run-rewritten',
    requirement: 'SP2',
    why: 'after a restart the record of a dry run says something else',
    edits: [
      inExport(
        `if (text.includes('"incarnation":2')) text = text.replaceAll('"safety_level":"SAFE"', '"safety_level":"RISKY"');`,
      ),
    ],
  },
  {
    id: 'log-compacted',
    requirement: 'I3',
    why: 'after a restart the records of dry runs are left out of the log',
    edits: [
      inExport(
        `if (text.includes('"incarnation":2')) text = text.replace(/[^\\n]*"record_type":"dry_run"[^\\n]*\\n/g, '');`,
      ),
    ],
  },
  {
    id: 'verified-imported',
    requirement: 'AW1',
    why: 'a text that is given to be verified takes the place of the log',
    edits: [
      { file: ADAPTER, find: 'verify({ text }) {', replace: 'verify({ text }) { globalThis.arsText = text;' },
      {
        file: ADAPTER,
        find: 'export: ({ agent_id, cursor }) => exportPage(runtime().readAs(agent_id), cursor)',
        replace:
          'export: ({ agent_id, cursor }) => globalThis.arsText === undefined ? exportPage(runtime().readAs(agent_id), cursor) : { text: globalThis.arsText }',
      },
    ],
  },
  {
    id: 'work-after-failure',
    requirement: 'AW4',
    why: 'after a write that failed new work is taken',
    edits: [
      { file: 'audit/journal.js', find: 'this.#failure = failure;', replace: '' },
      { file: 'store/group-commit.js', find: 'if (this.#failure !== undefined) {', replace: 'if (false) {' },
    ],
  },
  {
    id: 'before-snapshot-forgotten',
    requirement: 'CR2',
    why: 'recovery looks only at what was recorded since the last snapshot',
    edits: [
      {
        file: 'audit/recovery.js',
        find: 'if (current && own && record.incarnation < log.incarnation)',
        replace:
          'if (current && own && record.incarnation < log.incarnation && record.sequence > ([...log.snapshots(Number.MAX_SAFE_INTEGER)][0]?.sequence ?? 0))',
      },
    ],
  },
  {
    id: 'entries-believed',
    requirement: 'I5',
    why: 'an index entry is given as it was put, whatever became of its target',
    edits: [
      {
        file: 'index-entries.js',
        find: 'return this.#isThere(entry) ? entry : { ...entry, stale: true };',
        replace: 'return entry;',
      },
    ],
  },
  {
    id: 'steps-anonymous',
    requirement: 'P1',
    why: 'the records of actions say that the runtime acted on its own behalf',
    edits: [
      {
        file: 'audit/execution-record.js',
        find: 'parent_execution_id: owner.execution_id,\n        agent_id: owner.agent_id,\n        node_id: execution.node_id,\n        action_id:',
        replace:
          "parent_execution_id: owner.execution_id,\n        agent_id: 'runtime',\n        node_id: execution.node_id,\n        action_id:",
      },
    ],
  },
  {
    id: 'request-key-ignored',
    requirement: 'P2',
    why: 'a start that is repeated under its request_key is carried out again',
    edits: [
      {
        file: ADAPTER,
        find: 'start: async ({ dry_run = false, ...params }) =>',
        replace: 'start: async ({ dry_run = false, request_key: _key, ...params }) =>',
      },
    ],
  },
  {
    id: 'others-unreadable',
    requirement: 'P4',
    why: 'only a log of its own verifies',
    edits: [
      {
        file: ADAPTER,
        find: 'if (verdict.ok)',
        replace:
          'if (verdict.ok && !text.includes(String(runtime().records({ limit: 1 }).next().value?.hash))) return { ok: false, first_bad_sequence: 1 }; if (verdict.ok)',
      },
    ],
  },
  {
    id: 'dry-run-wet',
    requirement: 'P5',
    why: 'a dry run is a run',
    edits: [
      {
        file: ADAPTER,
        find: 'dry_run ? runtime().start({ ...params, dry_run })',
        replace: 'dry_run ? { execution_id: await runtime().start(params) }',
      },
    ],
  },
  {
    id: 'outputs-late',
    requirement: 'PC4',
    why: 'the outputs of executions can be read once their instance has ended, not before',
    edits: [
      inExport(
        'if (!text.includes(\'"workflow_completed"\')) text = text.replace(/[^\\n]*"status":"committed"[^\\n]*\\n/g, \'\');',
      ),
    ],
  },
  {
    id: 'undo-without-records',
    requirement: 'RB3',
    why: 'an undo is executed without ever being pending',
    edits: [
      UNCHECKED,
      {
        file: 'audit/undo-protocol.js',
        find: 'const begun = await this.#steps.begin(undo, before.degraded);',
        replace: 'const begun = undo;',
      },
    ],
  },
  {
    id: 'undo-begun-unmarked',
    requirement: 'PR-S',
    why: 'no record of an undo says that a soft precondition of it did not hold',
    edits: [
      {
        file: 'audit/undo-protocol.js',
        find: 'const begun = await this.#steps.begin(undo, before.degraded);',
        replace: 'const begun = await this.#steps.begin(undo, false);',
      },
    ],
  },
  {
    id: 'undo-committed-unmarked',
    requirement: 'EC2',
    why: 'the commit of an undo never says that a soft condition did not hold',
    edits: [
      {
        file: 'audit/undo-protocol.js',
        find: 'const degraded = after.degraded || undo.degraded === true;',
        replace: 'const degraded = false;',
      },
    ],
  },
  {
    id: 'compensated-by-itself',
    requirement: 'CP1',
    why: 'to compensate an action the same action is invoked again',
    edits: [
      {
        file: 'audit/undo-protocol.js',
        find: 'const reply = await this.#steps.call(undo);',
        replace: 'const reply = await this.#steps.call({ ...undo, action: subject.original.action });',
      },
    ],
  },
  {
    id: 'condition-recorded',
    requirement: 'WII6',
    why: 'a condition leaves a record',
    edits: [
      {
        file: 'workflow/firing.js',
        find: 'close(instance, node, label.ok ? label.value',
        replace: 'instance.dueRecords.add(node); close(instance, node, label.ok ? label.value',
      },
    ],
  },
];
