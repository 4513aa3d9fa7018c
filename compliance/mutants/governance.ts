import type { Mutant } from './mutant.js';

/** Faults in the gates. */
export const GOVERNANCE_MUTANTS: readonly Mutant[] = [
  {
    id: 'permission-ignored',
    requirement: 'G2',
    why: 'governance allows agents what nobody has permitted them',
    edits: [{ file: 'governance/gate.js', find: 'if (missing !== undefined)', replace: 'if (false)' }],
  },
  {
    id: 'verification-ignored',
    requirement: 'WII3',
    why: 'what verification fails is started all the same',
    edits: [{ file: 'governance/gates.js', find: "if (report.verdict === 'FAIL')", replace: 'if (false)' }],
  },
  {
    id: 'gate-unrecorded',
    requirement: 'G1',
    why: 'an instance starts without a record of the governance gate',
    edits: [
      { file: 'execution/permit.js', find: 'if (!passed)', replace: 'if (false)' },
      {
        file: 'governance/gates.js',
        find: "this.#records.push({ ...this.#draft('governance', decision), trust_after });",
        replace:
          "if (decision.decision === 'denied') this.#records.push({ ...this.#draft('governance', decision), trust_after });",
      },
    ],
  },
];
