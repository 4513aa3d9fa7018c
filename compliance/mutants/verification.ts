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

const VERDICT = "verdict: blocking > 0 ? 'FAIL' : warning > 0 ? 'PASS_WITH_WARNINGS' : 'PASS'";
const OUTCOMES = 'const outcomes = new Map(RULES.map(rule => [rule.id, { rule, outcome: rule.check(context) }]));';

/** One change of the file that puts the report together. */
function report(id: string, requirement: string, why: string, find: string, replace: string): Mutant {
  return { id, requirement, why, edits: [{ file: 'verification/index.js', find, replace }] };
}

/** Faults in how a report is put together, in what is asked of it and in what is taken for certain. */
const REPORT_MUTANTS: readonly Mutant[] = [
  report('verdict-lenient', 'VF1', 'a single blocking finding does not count', VERDICT, VERDICT.replace('> 0', '> 1')),
  report(
    'verdict-without-warnings',
    'VF2',
    'warnings do not count',
    VERDICT,
    "verdict: blocking > 0 ? 'FAIL' : 'PASS'",
  ),
  report(
    'verdict-wary',
    'VF3',
    'nothing passes without a warning',
    VERDICT,
    "verdict: blocking > 0 ? 'FAIL' : 'PASS_WITH_WARNINGS'",
  ),
  report(
    'left-out-passes',
    'VF4',
    'what was not evaluated is passed',
    'return reason === undefined ? {',
    'return reason !== 0 ? {',
  ),
  report(
    'first-finding-only',
    'VF5',
    'of each rule the first finding is told',
    'for (const draft of outcome.findings)',
    'for (const draft of outcome.findings.slice(0, 1))',
  ),
  {
    id: 'unknown-is-wrong',
    requirement: 'VF6',
    why: 'members that no schema lists are taken for wrong',
    edits: [
      {
        file: 'verification/values/json-schema-shape.js',
        find: 'return others === undefined ? undefined : { schema: others, root };',
        replace: "return others === undefined ? 'none' : { schema: others, root };",
      },
    ],
  },
  report(
    'order-matters',
    'VII1',
    'what is found depends on the order of the document',
    'findings: inDocumentOrder(findings),',
    "findings: inDocumentOrder(findings).slice((context.graph.nodes[0]?.node_id ?? '') > 'q' ? 1 : 0),",
  ),
  report(
    'stops-at-first-rule',
    'VII2',
    'rules behind one that is broken pass without being evaluated',
    OUTCOMES,
    `let bad = false;
    const outcomes = new Map(RULES.map(rule => {
        const outcome = bad ? { findings: [] } : rule.check(context);
        bad ||= rule.severity === 'blocking' && outcome.findings.length > 0;
        return [rule.id, { rule, outcome }];
    }));`,
  ),
  {
    id: 'failure-counts-as-commit',
    requirement: 'VII3',
    why: 'behind an always edge a node is taken to have committed',
    edits: [
      { file: 'verification/values/certainty.js', find: 'source < 0 || label === ALWAYS ||', replace: 'source < 0 ||' },
    ],
  },
  {
    id: 'default-is-no-answer',
    requirement: 'VII4',
    why: 'a boolean condition needs true and false, whatever else it has',
    edits: [
      {
        file: 'verification/edges/condition-edges.js',
        find: "both || (half && labels.has('default'))",
        replace: 'both',
      },
    ],
  },
  {
    id: 'governance-unasked-for',
    requirement: 'VL1',
    why: 'governance is asked about what verification has denied',
    edits: [
      {
        file: 'governance/passage.js',
        find: "return this.deny('verification', decision, { report, unsupported });",
        replace:
          "return this.allow('governance', { decision: 'allowed', reasons: [] }), this.deny('verification', decision, { report, unsupported });",
      },
    ],
  },
  {
    id: 'phase-b-overruled',
    requirement: 'VL2',
    why: 'what passes verification starts, though the safety gate denies it',
    edits: [
      {
        file: 'governance/gates.js',
        find: "if (safety.decision === 'denied')",
        replace: "if (Object.assign(safety, { decision: 'allowed', reasons: [] }) === undefined)",
      },
    ],
  },
  {
    id: 'verification-learns',
    requirement: 'VG1',
    why: 'the registry that a document is verified with is kept',
    edits: [
      {
        file: 'adapter.js',
        find: 'verify: ({ workflow, registry }) => verify(workflow, registry ?? runtime().registry())',
        replace:
          'verify: async ({ workflow, registry }) => { if (registry !== undefined) await runtime().putRegistry({ actions: registry.actions, workflows: registry.workflows }).catch(() => {}); return verify(workflow, registry ?? runtime().registry()); }',
      },
    ],
  },
  {
    id: 'verification-tries-out',
    requirement: 'VG2',
    why: 'the actions of a document are invoked to see whether they are there',
    edits: [
      {
        file: 'adapter.js',
        find: 'verify: ({ workflow, registry }) => verify(workflow, registry ?? runtime().registry())',
        replace:
          'verify: async ({ workflow, registry }) => { for (const { action_id, version } of workflow.actions ?? []) await host.invoke({ execution_id: `try-${action_id}`, idempotency_key: action_id, action_id, version, attempt: 1, inputs: {}, context: {} }).catch(() => {}); return verify(workflow, registry ?? runtime().registry()); }',
      },
    ],
  },
  {
    id: 'verification-trusts-owner',
    requirement: 'VG3',
    why: 'what the owner starts is not told what is wrong',
    edits: [
      {
        file: 'governance/verification-gate.js',
        find: 'return { decision: denial(reasonsOf(report)), report, unsupported: false };',
        replace:
          "return { decision: denial(arguments[0].agent_id === 'owner' ? [{ code: 'S1', message: 'no', requirement: 'S1' }] : reasonsOf(report)), report, unsupported: false };",
      },
    ],
  },
];

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
  ...REPORT_MUTANTS,
];
