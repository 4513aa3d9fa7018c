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
  {
    id: 'level-service',
    requirement: 'RS3',
    why: 'effects on an external service are taken for safe',
    edits: [{ file: 'verification/risk.js', find: "if (effects.includes('external_service'))", replace: 'if (false)' }],
  },
  {
    id: 'level-without-undo',
    requirement: 'SC1',
    why: 'how risky the undo of an action is does not count',
    edits: [{ file: 'verification/closure.js', find: '[executors, undone]', replace: '[executors]' }],
  },
  {
    id: 'level-of-last',
    requirement: 'SC2',
    why: 'the level of the whole is that of one of its nodes',
    edits: [
      {
        file: 'verification/levels.js',
        find: 'at_least = higherLevel(at_least, safety.at_least)',
        replace: 'at_least = safety.at_least',
      },
    ],
  },
  {
    id: 'level-unknown-safe',
    requirement: 'SC3',
    why: 'what is not known counts as safe',
    edits: [
      {
        file: 'verification/levels.js',
        find: "if (reason === '' || at_least === 'IRREVERSIBLE')",
        replace: 'if (true)',
      },
    ],
  },
  {
    id: 'zone-handled',
    requirement: 'PFZ1',
    why: 'any handled failure is taken to undo what was done',
    edits: [{ file: 'verification/zones.js', find: "handlingOf(context, ending) === 'undo'", replace: 'ending >= 0' }],
  },
  {
    id: 'zone-undone',
    requirement: 'PFZ2',
    why: 'effects that are undone are said to stay',
    edits: [{ file: 'verification/zones.js', find: "handlingOf(context, ending) === 'undo'", replace: 'false' }],
  },
  {
    id: 'zone-without-effect',
    requirement: 'PFZ2',
    why: 'actions without side effects are said to leave some',
    edits: [
      {
        file: 'verification/closure.js',
        find: 'return action?.side_effects !== undefined && action.side_effects.length > 0;',
        replace: 'return action !== undefined;',
      },
    ],
  },
  {
    id: 'zones-unordered',
    requirement: 'PFZ3',
    why: 'zones come as the nodes come',
    edits: [
      {
        file: 'verification/zones.js',
        find: 'return zones.sort((a, b) => compareNames(a.node_id, b.node_id));',
        replace: 'return zones;',
      },
    ],
  },
];
