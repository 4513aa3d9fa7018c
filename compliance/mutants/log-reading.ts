import type { Mutant } from './mutant.js';

const RECORD = 'workflow/workflow-record.js';
const VERIFY = 'const verdict = verifyText(text);\n                if (verdict.ok)';

/** Faults in what a log says of itself, in what it is good for, and in how it is read. */
export const LOG_READING_MUTANTS: readonly Mutant[] = [
  {
    id: 'first-link-lost',
    requirement: 'AC1',
    why: 'the export leaves the first record out',
    edits: [
      {
        file: 'adapter.js',
        find: 'exportPage(runtime().readAs(agent_id), cursor)',
        replace: "exportPage(runtime().readAs(agent_id), cursor ?? '1')",
      },
    ],
  },
  {
    id: 'key-of-commit',
    requirement: 'AC2',
    why: 'a commit is recorded under another idempotency key than its execution',
    edits: [
      {
        file: 'audit/execution-record.js',
        find: 'idempotency_key: execution.idempotency_key,',
        replace: "idempotency_key: execution.idempotency_key + (status === 'committed' ? '/done' : ''),",
      },
    ],
  },
  {
    id: 'gates-one-by-one',
    requirement: 'AC2',
    why: 'the gates of a start are recorded in two steps, between which those of another can come',
    edits: [
      {
        file: 'governance/passage.js',
        find: 'const written = await this.#journal.append({ records: this.#records, documents: this.#documents });',
        replace: `const [first, ...others] = this.#records;
        const written = [...(await this.#journal.append({ records: [first], documents: [] }))];
        if (others.length > 0) written.push(...(await this.#journal.append({ records: others, documents: this.#documents })));`,
      },
    ],
  },
  {
    id: 'reference-to-nothing',
    requirement: 'AC3',
    why: 'a skill node refers to a child that there is not',
    edits: [{ file: RECORD, find: '{ refers_to: [...own] }', replace: '{ refers_to: own.map(id => `${id}-x`) }' }],
  },
  {
    id: 'conflicts-committed',
    requirement: 'AC4',
    why: 'what expected another version of a key commits all the same',
    edits: [
      {
        file: 'state/state.js',
        find: 'if (expected_version !== undefined && expected_version !== actual_version)',
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'governance-under-another-name',
    requirement: 'AC5',
    why: 'the governance gate is recorded as a second verification gate',
    edits: [
      { file: 'execution/permit.js', find: 'if (!passed)', replace: 'if (false)' },
      {
        file: 'governance/passage.js',
        find: "this.#records.push({ ...this.#draft('governance', decision), trust_after });",
        replace:
          "this.#records.push({ ...this.#draft(decision.decision === 'denied' ? 'governance' : 'verification', decision), trust_after });",
      },
    ],
  },
  {
    id: 'outputs-recorded-apart',
    requirement: 'RV1',
    why: 'the end of an instance is recorded with an output that it does not have',
    edits: [{ file: RECORD, find: '{ outputs: end.outputs }', replace: '{ outputs: { ...end.outputs, extra: 1 } }' }],
  },
  {
    id: 'reading-invokes',
    requirement: 'RV2',
    why: 'the actions of a log that is checked are invoked again',
    edits: [
      {
        file: 'adapter.js',
        find: VERIFY,
        replace: `const verdict = verifyText(text);
                for (const line of text.split('\\n')) {
                    if (!line.includes('"status":"pending"')) continue;
                    const { execution_id, idempotency_key, action_id, action_version: version, attempt = 1, inputs = {} } = JSON.parse(line);
                    host.invoke({ execution_id, idempotency_key, action_id, version, attempt, inputs, context: {} }).catch(() => {});
                }
                if (verdict.ok)`,
      },
    ],
  },
  {
    id: 'inputs-recorded-apart',
    requirement: 'RV3',
    why: 'an attempt is recorded with an input that its mapping does not give',
    edits: [
      {
        file: 'audit/execution-record.js',
        find: 'inputs: execution.inputs,',
        replace: 'inputs: { ...execution.inputs, extra: 1 },',
      },
    ],
  },
  {
    id: 'path-untold',
    requirement: 'WF3',
    why: 'a trace leaves out the skill nodes that succeeded',
    edits: [
      {
        file: 'adapter.js',
        find: 'runtime().wait(execution_id, budget_ms)',
        replace:
          "runtime().wait(execution_id, budget_ms).then(result => ({ ...result, trace: result.trace.filter(({ node_id }) => node_id !== 'sk') }))",
      },
    ],
  },
  {
    id: 'last-bad-line',
    requirement: 'VL3',
    why: 'a log is read on behind the line that does not verify, to the last one',
    edits: [
      {
        file: 'adapter.js',
        find: 'first_bad_sequence: verdict.first_bad_sequence,',
        replace: "first_bad_sequence: text.split('\\n').length,",
      },
    ],
  },
];
