import type { Mutant } from './mutant.js';

const RECOVERY = 'audit/recovery.js';
const PROTOCOL = 'audit/commit-protocol.js';
const CONFLICTS = 'return this.#refuseResult(x, CONFLICT, refused_as, watch);';

/** Faults in what recovery finishes of the work of an earlier incarnation. */
export const RECOVERING_MUTANTS: readonly Mutant[] = [
  {
    id: 'undo-redone-unmarked',
    requirement: 'PR-S',
    why: 'an undo that recovery does again forgets that a soft precondition of it did not hold',
    edits: [{ file: RECOVERY, find: '...(degraded === true ? { degraded } : {}),', replace: '' }],
  },
  {
    id: 'undo-probed-unmarked',
    requirement: 'EC2',
    why: 'an undo that recovery commits with what its probe answers is never marked degraded',
    edits: [
      {
        file: RECOVERY,
        find: 'const degraded = undo.degraded === true || (after.ok && after.degraded);',
        replace: 'const degraded = false;',
      },
    ],
  },
  {
    id: 'redone-unmarked',
    requirement: 'PR-S',
    why: 'an action that recovery does again forgets that a soft precondition of it did not hold',
    edits: [
      {
        file: 'workflow/node-execution.js',
        find: '...(degraded === true ? { degraded } : {}),',
        replace: '',
      },
    ],
  },
  {
    id: 'probed-unmarked',
    requirement: 'EC2',
    why: 'a soft postcondition is not evaluated of what a probe answers',
    edits: [
      {
        file: PROTOCOL,
        find: 'return this.#commit(x, result, after.ok && after.degraded, [decided]',
        replace: 'return this.#commit(x, result, false, [decided]',
      },
    ],
  },
  {
    id: 'redone-once-more',
    requirement: 'CRC2',
    why: 'an action that was interrupted after three redos is redone a fourth time',
    edits: [
      {
        file: 'audit/recovery-table.js',
        find: 'circumstances.redos >= MAX_REDOS',
        replace: 'circumstances.redos > MAX_REDOS',
      },
    ],
  },
  {
    id: 'conflict-closed',
    requirement: 'CRC1',
    why: 'what has an effect and cannot be committed for a conflict is closed, and nothing undone',
    edits: [
      {
        file: PROTOCOL,
        find: 'const decision = decideUncommittable(',
        replace: "const decision = error === CONFLICT ? 'close' : decideUncommittable(",
      },
    ],
  },
  {
    id: 'conflict-otherwise',
    requirement: 'CRC1',
    why: 'what a probe answered and conflicts fails as what was before the conflict',
    edits: [
      {
        file: PROTOCOL,
        find: CONFLICTS,
        replace: "return this.#refuseResult(x, refused_as === 'partial' ? INTERRUPTED : CONFLICT, refused_as, watch);",
      },
    ],
  },
  {
    id: 'conflict-probed',
    requirement: 'CRC1',
    why: 'a conflict is taken for an error result, and the probe asked',
    edits: [
      {
        file: PROTOCOL,
        find: CONFLICTS,
        replace:
          "return refused_as === 'partial' ? this.#refuseResult(x, CONFLICT, refused_as, watch) : this.#afterError(x, CONFLICT, watch);",
      },
    ],
  },
];
