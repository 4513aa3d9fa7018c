import type { Mutant } from './mutant.js';

const WHY: Readonly<Record<string, string>> = {
  S1: 'cycles are accepted',
  S2: 'unreachable nodes are accepted',
  S3: 'dead ends are accepted',
  S4: 'several starts are accepted',
  S5: 'edges that do not fit their source are accepted',
  S6: 'undeclared joins are passed over',
  S7: 'references to actions may lead to nothing',
  S8: 'mappings and expressions are not judged',
  S9: 'any number of retries is accepted',
  S10: 'contracts may contradict themselves',
  S11: 'side effects need not be declared',
  S12: 'skills need not exist',
  S13: 'any version of a skill will do, with any interface',
  S14: 'a workflow may contain itself',
  S15: 'failures that nothing takes up are passed over',
  S16: 'what cannot be compensated is accepted',
  S17: 'irreversible nodes need no mark',
};

/** Where the findings of a rule begin. */
const CHECK: Readonly<Record<string, readonly [string, string]>> = {
  S12: ["check: context => checkSkills(context, 'name')", 'check: context => ({ findings: context ? [] : [] })'],
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
        find: CHECK[rule]?.[0] ?? '    check(context) {',
        replace: CHECK[rule]?.[1] ?? '    check(context) {\n        if (context) return { findings: [] };',
      },
    ],
  })),
];
