import type { Mutant } from './mutant.js';

const WHY: Readonly<Record<string, string>> = {
  S1: 'cycles are accepted',
  S2: 'unreachable nodes are accepted',
  S3: 'dead ends are accepted',
  S4: 'several starts are accepted',
  S5: 'edges that do not fit their source are accepted',
  S6: 'undeclared joins are passed over',
};

/** Faults in static verification: each rule in turn finds nothing, and one finds what is not there. */
export const VERIFICATION_MUTANTS: readonly Mutant[] = [
  ...Object.entries(WHY).map(([rule, why]) => ({
    id: `${rule.toLowerCase()}-blind`,
    requirement: rule,
    why,
    edits: [
      {
        file: `verification/rules/${rule.toLowerCase()}.js`,
        find: '    check(context) {',
        replace: '    check(context) {\n        if (context) return { findings: [] };',
      },
    ],
  })),
];
