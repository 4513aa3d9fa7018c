import type { Edit, Mutant } from './mutant.js';

const PROTOCOL = 'audit/commit-protocol.js';
const STEPS = 'audit/execution-steps.js';
const RECOVERY = 'audit/recovery.js';
const RECORD = 'audit/execution-record.js';
const UNDO = 'audit/undo-protocol.js';
const REQUEST = 'undo-request.js';
const EXPORT = 'audit/interchange.js';
const WRITE = 'store/write.js';
const LINKED = 'audit/linked-record.js';
const TABLE = 'audit/recovery-table.js';

/** Takes away the check of the store that would refuse the faulty records. */
const UNCHECKED: Edit = { file: WRITE, find: 'if (fault !== undefined) {', replace: 'if (false) {' };

/** Every execution writes its own pending: none is written with what it follows from. */
const UNPREPARED = {
  file: PROTOCOL,
  find: 'return { execution, record: pendingDraft(execution) };',
  replace: 'return undefined;',
};

/** Faults in the commit protocol, in recovery and in the log. */
export const AUDIT_MUTANTS: readonly Mutant[] = [
  {
    id: 'pending-after-invoke',
    requirement: 'CLI1',
    why: 'pending is written when the action has answered',
    edits: [
      UNCHECKED,
      UNPREPARED,
      {
        file: STEPS,
        find: 'await this.append([pendingDraft(begun)]);',
        replace: 'this.late ??= new Map(); this.late.set(x.execution_id, () => this.append([pendingDraft(begun)]));',
      },
      {
        file: STEPS,
        find: "this.pass('invoked', x);",
        replace: "await this.late?.get(x.execution_id)?.(); this.pass('invoked', x);",
      },
    ],
  },
  {
    id: 'no-pending',
    requirement: 'AII3',
    why: 'an execution is committed without ever having been pending',
    edits: [UNCHECKED, UNPREPARED, { file: STEPS, find: 'await this.append([pendingDraft(begun)]);', replace: '' }],
  },
  {
    id: 'committed-twice',
    requirement: 'AII1',
    why: 'the committed record is written twice',
    edits: [
      UNCHECKED,
      {
        file: PROTOCOL,
        find: 'const step = { records: [...first, record], documents,',
        replace: 'const step = { records: [...first, record, record], documents,',
      },
    ],
  },
  {
    id: 'commit-told-early',
    requirement: 'CC1',
    why: 'an execution counts as committed before its record is durable',
    edits: [
      {
        file: PROTOCOL,
        find: "await this.#steps.finish(step, { status: 'committed', outputs: result.outputs }, watch);",
        replace:
          "const done = this.#steps.finish(step, { status: 'committed', outputs: result.outputs }, watch); this.#steps.pass('committed', x); await done;",
      },
    ],
  },
  {
    id: 'state-after-commit',
    requirement: 'CC2',
    why: 'state changes are applied some time after the commit, in a transaction of their own',
    edits: [
      {
        file: WRITE,
        find: 'state.run(canonicalize(key), value === undefined ? null : canonicalize(value), version, writer);',
        replace:
          'setTimeout(() => { try { state.run(canonicalize(key), value === undefined ? null : canonicalize(value), version, writer); } catch {} }, 20);',
      },
    ],
  },
  {
    id: 'state-lost',
    requirement: 'AII4',
    why: 'the first state change of a step is not applied',
    edits: [
      {
        file: WRITE,
        find: 'of planned.entries) {',
        replace: 'of [...planned.entries].slice(1)) {',
      },
    ],
  },
  {
    id: 'pending-forgotten',
    requirement: 'CRC1',
    why: 'recovery does not look for what was interrupted',
    edits: [{ file: RECOVERY, find: 'return found;', replace: 'return [];' }],
  },
  {
    id: 'redo-blindly',
    requirement: 'CRC1',
    why: 'recovery redoes whatever was interrupted, applied or not',
    edits: [
      {
        file: TABLE,
        find: "applied: { redoable: 'commit', rollbackable: 'commit', compensatable: 'commit',",
        replace: "applied: { redoable: 'redo', rollbackable: 'redo', compensatable: 'redo',",
      },
    ],
  },
  {
    id: 'probe-by-invoking',
    requirement: 'CRC2',
    why: 'recovery finds out what happened by invoking the action once more',
    edits: [
      {
        file: STEPS,
        find: 'const answer = await probe(this.#parts.host, call, x.action.action.timeout_ms);',
        replace:
          'await this.#parts.host.invoke(callOf(x), new AbortController().signal); const answer = await probe(this.#parts.host, call, x.action.action.timeout_ms);',
      },
    ],
  },
  {
    id: 'redo-anonymous',
    requirement: 'CRC1',
    why: 'a redo does not say which execution it repeats',
    edits: [
      {
        file: PROTOCOL,
        find: 'refers_to: [x.execution_id, ...also], effect_possible: true };',
        replace: 'refers_to: [execution_id], effect_possible: true };',
      },
    ],
  },
  {
    id: 'ids-reused',
    requirement: 'EX1',
    why: 'execution ids of nodes start again from one after a restart',
    edits: [
      {
        file: 'runtime-parts.js',
        find: 'newId,\n        undoInstance:',
        replace: 'newId: (n => () => `x${(n += 1)}`)(0), undoInstance:',
      },
      UNCHECKED,
    ],
  },
  {
    id: 'other-inputs',
    requirement: 'EC1',
    why: 'an action is given other inputs than its record says',
    edits: [
      {
        file: STEPS,
        find: 'instance_id, attempt, inputs, context };',
        replace: 'instance_id, attempt, inputs: { ...inputs, more: 1 }, context };',
      },
    ],
  },
  {
    id: 'other-action',
    requirement: 'CLI2',
    why: 'a committed record names another action than its pending record',
    edits: [
      {
        file: RECORD,
        find: "const record = actionDraft(execution, 'committed', {",
        replace: "const record = actionDraft(execution, 'committed', { action_id: 'other',",
      },
    ],
  },
  {
    id: 'record-unlinked',
    requirement: 'AW6',
    why: 'every record links to the start of the log instead of its predecessor',
    edits: [{ file: LINKED, find: '"prev_hash":"${head.hash}"', replace: '"prev_hash":"${PLACED.prev_hash}"' }],
  },
  {
    id: 'sequence-gap',
    requirement: 'AW5',
    why: 'numbers of records are left out',
    edits: [{ file: LINKED, find: 'head.sequence + 1;', replace: 'head.sequence + (head.sequence > 6 ? 2 : 1);' }],
  },
  {
    id: 'clock-back',
    requirement: 'AW3',
    why: 'the timestamps of records fall',
    edits: [
      {
        file: 'store/group-commit.js',
        find: 'return Math.max(time, this.#time);',
        replace: 'return this.#time > 1e12 ? this.#time - 1000 : time;',
      },
    ],
  },
  {
    id: 'record-rewritten',
    requirement: 'AII6',
    why: 'a record is exported differently the second time',
    edits: [
      {
        file: EXPORT,
        find: 'return { text: joined(page) };',
        replace:
          'globalThis.arsExports = (globalThis.arsExports ?? 0) + 1; return { text: globalThis.arsExports % 2 ? joined(page) : joined(page).replace(\'"status":"allowed"\', \'"status":"denied"\') };',
      },
    ],
  },
  {
    id: 'lines-padded',
    requirement: 'AW2',
    why: 'exported lines have a blank before the line feed',
    edits: [{ file: EXPORT, find: "`${lines.join('\\n')}\\n`", replace: "`${lines.join(' \\n')}\\n`" }],
  },
  {
    id: 'node-unlinked',
    requirement: 'WII7',
    why: 'records of nodes name another root than their instance',
    edits: [
      {
        file: RECORD,
        find: "record_type: 'action',\n        status,\n        execution_id: execution.execution_id,\n        context_id: owner.context_id,",
        replace:
          "record_type: 'action',\n        status,\n        execution_id: execution.execution_id,\n        context_id: 'elsewhere',",
      },
    ],
  },
  {
    id: 'invoked-unlogged',
    requirement: 'WII2',
    why: 'an action is invoked once more, under an id that the log does not know',
    edits: [
      {
        file: STEPS,
        find: 'const reply = await invoke(host, callOf(x),',
        replace:
          'await host.invoke({ ...callOf(x), execution_id: `${x.execution_id}-more` }, new AbortController().signal); const reply = await invoke(host, callOf(x),',
      },
    ],
  },
  {
    id: 'other-action-invoked',
    requirement: 'AN1',
    why: 'another action is invoked than the node names',
    edits: [
      {
        file: STEPS,
        find: 'action_id, version, node_id, instance_id,',
        replace: 'action_id: `${action_id}.x`, version, node_id, instance_id,',
      },
    ],
  },
  {
    id: 'key-by-attempt',
    requirement: 'ID1',
    why: 'every attempt has an idempotency key of its own',
    edits: [
      {
        file: RECORD,
        find: 'return `${instance_id}/${node_id}/${undos}`;',
        replace: 'return `${instance_id}/${node_id}/${undos}/${Math.random()}`;',
      },
    ],
  },
  {
    id: 'state-written-twice',
    requirement: 'CI2',
    why: 'a state change counts as two writes',
    edits: [
      {
        file: WRITE,
        find: 'canonicalize(value), version, writer);',
        replace: 'canonicalize(value), version + 1, writer);',
      },
    ],
  },
  {
    id: 'undone-by-nobody',
    requirement: 'AII2',
    why: 'what was undone does not say by which execution',
    edits: [
      {
        file: RECORD,
        find: 'return actionDraft(original, status, { refers_to: [undo.execution_id] });',
        replace: 'return actionDraft(original, status);',
      },
    ],
  },
  {
    id: 'undone-by-failure',
    requirement: 'AII2',
    why: 'an execution counts as undone although its undo failed',
    edits: [
      {
        file: UNDO,
        find: 'return this.#steps.finish({ records: failed },',
        replace: 'return this.#steps.finish({ records: [...failed, undoneDraft(original, undo)] },',
      },
    ],
  },
  {
    id: 'undone-twice',
    requirement: 'RBI3',
    why: 'requests at one time are each carried out',
    edits: [{ file: REQUEST, find: 'const open = this.#open.get(execution_id);', replace: 'const open = undefined;' }],
  },
  {
    id: 'undo-torn',
    requirement: 'RB5',
    why: 'the original is marked in a step of its own, behind the commit of its undo',
    edits: [
      { file: UNDO, find: 'records: [...first, record, end],', replace: 'records: [...first, record],' },
      {
        file: UNDO,
        find: "this.#steps.pass('committed', undo);",
        replace: "this.#steps.pass('committed', undo); await this.#steps.append([end]);",
      },
    ],
  },
  {
    id: 'undo-for-anybody',
    requirement: 'RB2',
    why: 'an agent can have undone what another one did',
    edits: [{ file: REQUEST, find: 'if (latest.agent_id !== agent_id) {', replace: 'if (false) {' }],
  },
  {
    id: 'undo-undone',
    requirement: 'RBI2',
    why: 'an undo can be undone',
    edits: [
      {
        file: REQUEST,
        find: 'if (undoneBy(latest) !== undefined || latest.purpose !== undefined)',
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'undo-without-outputs',
    requirement: 'RB4',
    why: 'an undo is not given the outputs of its original',
    edits: [{ file: UNDO, find: 'outputs === undefined ? given : { ...given, outputs }', replace: 'given' }],
  },
  {
    id: 'undo-key-new',
    requirement: 'CP3',
    why: 'every invocation that undoes has an idempotency key of its own',
    edits: [{ file: RECORD, find: 'return `undo/${execution_id}`;', replace: 'return `undo/${Math.random()}`;' }],
  },
  {
    id: 'undo-failure-hidden',
    requirement: 'RBI1',
    why: 'whoever asks is told that it was undone, although the undo failed',
    edits: [
      {
        file: REQUEST,
        find: "if (ending?.status === 'committed')",
        replace: 'if (ending !== undefined)',
      },
    ],
  },
  {
    id: 'undo-forgotten',
    requirement: 'CRC1',
    why: 'recovery does not look for interrupted undos of what has committed',
    edits: [
      {
        file: RECOVERY,
        find: "original === undefined || log.latest(original)?.status === 'committed';",
        replace: 'original === undefined;',
      },
    ],
  },
  {
    id: 'undo-redone-once-more',
    requirement: 'CRC2',
    why: 'an undo is redone a fourth time',
    edits: [
      { file: TABLE, find: "redos < MAX_REDOS ? 'redo' : 'close'", replace: "redos <= MAX_REDOS ? 'redo' : 'close'" },
    ],
  },
  {
    id: 'undo-given-up',
    requirement: 'CRC1',
    why: 'an undo that was interrupted twice has failed',
    edits: [{ file: TABLE, find: "redos < MAX_REDOS ? 'redo' : 'close'", replace: "redos < 1 ? 'redo' : 'close'" }],
  },
];
