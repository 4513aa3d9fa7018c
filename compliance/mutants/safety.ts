import type { Mutant } from './mutant.js';

/** Faults in what is said of risks and of what a failure leaves behind. */
export const SAFETY_MUTANTS: readonly Mutant[] = [
  {
    id: 'level-random',
    requirement: 'RS1',
    why: 'what may turn out differently is taken for safe',
    edits: [
      { file: 'verification/risk.js', find: "if (action.determinism === 'non_deterministic')", replace: 'if (false)' },
    ],
  },
  {
    id: 'level-remote',
    requirement: 'RS2',
    why: 'effects on a remote server are taken for safe',
    edits: [{ file: 'verification/risk.js', find: "if (effects.includes('remote_server'))", replace: 'if (false)' }],
  },
  {
    id: 'level-gap',
    requirement: 'RS4',
    why: 'a compensation gap is not taken for risky',
    edits: [
      {
        file: 'verification/risk.js',
        find: "if (action.rollback === 'compensatable' && !canUndo(undo))",
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'level-irreversible',
    requirement: 'RS5',
    why: 'what is irreversible is taken for less',
    edits: [{ file: 'verification/risk.js', find: "if (action.rollback === 'irreversible')", replace: 'if (false)' }],
  },
];
