import type { Mutant } from './mutant.js';

const CONTRACT = 'execution/contract.js';
const RECORD = 'audit/execution-record.js';
const S10 = 'verification/rules/s10.js';

/** Faults in what an attempt makes of its contract, in its limit of time, in evidence, and in what contracts may promise. */
export const CONTRACT_MUTANTS: readonly Mutant[] = [
  {
    id: 'conflict-first',
    requirement: 'EC2',
    why: 'a version conflict is told where a condition failed before it',
    edits: [
      {
        file: 'audit/commit-protocol.js',
        find: "await this.#refuseResult(x, after.error, 'unknown', watch);",
        replace:
          "await this.#refuseResult(x, isContested(reply) && after.error.error_class === 'E4' ? CONFLICT : after.error, 'unknown', watch);",
      },
    ],
  },
  {
    id: 'hard-as-soft',
    requirement: 'PR-H',
    why: 'a hard precondition that does not hold marks degraded, like a soft one',
    edits: [{ file: CONTRACT, find: "if (kind === 'hard')", replace: "if (kind === 'hard' && moment === 'post')" }],
  },
  {
    id: 'soft-unmarked',
    requirement: 'PR-S',
    why: 'no record says that a soft precondition did not hold',
    edits: [{ file: CONTRACT, find: 'degraded = true;', replace: "degraded = moment === 'post';" }],
  },
  {
    id: 'exit-code-ignored',
    requirement: 'PC1',
    why: 'a process that ended with an error counts as successful',
    edits: [{ file: CONTRACT, find: 'return exit_code === undefined || exit_code === 0 ?', replace: 'return true ?' }],
  },
  {
    id: 'success-in-error',
    requirement: 'PC1',
    why: 'a success condition that ends with an error counts as one that holds',
    edits: [
      {
        file: CONTRACT,
        find: 'return answer === true ? undefined : `the success condition',
        replace: "return answer !== 'false' ? undefined : `the success condition",
      },
    ],
  },
  {
    id: 'limit-ignored',
    requirement: 'EC3',
    why: 'an answer is waited for beyond the limit of time',
    edits: [
      {
        file: 'execution/attempt.js',
        find: 'if (timeout_ms !== undefined) {',
        replace: 'if (timeout_ms > 1000) {',
      },
    ],
  },
  {
    id: 'answer-still-wanted',
    requirement: 'EC3',
    why: 'no host is told that an attempt has run out of time',
    edits: [
      {
        file: 'execution/attempt.js',
        find: "settle({ kind: 'timeout' });\n                own?.abort(new Error('timeout'));",
        replace: "settle({ kind: 'timeout' });",
      },
    ],
  },
  {
    id: 'evidence-too-long',
    requirement: 'EC4',
    why: 'evidence is measured in characters, not in bytes of its canonical form',
    edits: [
      {
        file: RECORD,
        find: 'if (Buffer.byteLength(canonicalize(evidence)) <= INLINE_EVIDENCE_BYTES)',
        replace: 'if (canonicalize(evidence).length <= INLINE_EVIDENCE_BYTES)',
      },
    ],
  },
  {
    id: 'evidence-lost',
    requirement: 'PC2',
    why: 'evidence that is too large for its record is stored nowhere',
    edits: [
      {
        file: RECORD,
        find: "documents: [{ kind: 'evidence', id: checksum, value: evidence }]",
        replace: 'documents: []',
      },
    ],
  },
  {
    id: 'evidence-text-digested',
    requirement: 'SO2',
    why: 'the checksum of evidence is not that of its canonical form',
    edits: [
      {
        file: RECORD,
        find: 'const checksum = digest(evidence);',
        replace: 'const checksum = digest(JSON.stringify(evidence));',
      },
    ],
  },
  {
    id: 'check-recorded',
    requirement: 'ID2',
    why: 'asking what the gates would say leaves records',
    edits: [
      {
        file: 'adapter.js',
        find: 'check: params => runtime().check(params)',
        replace:
          'check: async params => { await runtime().start({ ...params, dry_run: true }); return runtime().check(params); }',
      },
    ],
  },
  {
    id: 'effects-not-needed',
    requirement: 'IH1',
    why: 'an action without side effects may be compensatable',
    edits: [
      {
        file: S10,
        find: "if (rollback !== 'rollbackable')\n            yield",
        replace: "if (rollback === 'irreversible')\n            yield",
      },
    ],
  },
  {
    id: 'changes-restored',
    requirement: 'IH2',
    why: 'an action that changes something existing may be rollbackable',
    edits: [{ file: S10, find: 'else if (modifies_existing === true)', replace: 'else if (false)' }],
  },
  {
    id: 'service-rolled-back',
    requirement: 'IH3',
    why: 'what a remote service did may be rollbackable',
    edits: [{ file: S10, find: "if (side_effects.includes('remote_server'))", replace: 'if (false)' }],
  },
  {
    id: 'letter-called-back',
    requirement: 'IH4',
    why: 'what no service undoes may be compensatable',
    edits: [{ file: S10, find: "if (rollback !== 'irreversible')", replace: "if (rollback === 'rollbackable')" }],
  },
];
