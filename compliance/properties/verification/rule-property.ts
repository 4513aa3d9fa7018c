import type { Finding, VerificationReport, Workflow, WorkflowVerifyParams } from '../../../schemas/types.js';
import { planted } from '../../generators/defects.js';
import type { Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Property } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';

/** The rules that the suite judges, with the severity of their findings. */
export const RULES = {
  S1: 'blocking',
  S2: 'blocking',
  S3: 'blocking',
  S4: 'blocking',
  S5: 'blocking',
  S6: 'warning',
} as const;

/** One of the rules that the suite judges. */
export type Rule = keyof typeof RULES;

/** A workflow with exactly one defect, and where a finding has to point. */
export interface Planted {
  readonly workflow: Workflow;
  readonly registry?: Program['registry'];
  readonly rule: Rule;
  /** Present where the workflow is the twin, which has no defect. */
  readonly sound?: true;
  /** The nodes of which the finding may name any; absent where the finding is about none. */
  readonly nodes?: readonly string[];
  /** The edges of which the finding may name any. */
  readonly edges?: readonly { readonly from_node: string; readonly to_node: string; readonly label: string }[];
}

/** What is particular to the property of one rule. */
export interface RuleProperty {
  readonly rule: Rule;
  readonly title: string;
  readonly control: { readonly title: string; readonly case: Planted };
  /** The same workflow without the defect. */
  readonly twin: { readonly title: string; readonly workflow: Workflow };
}

/** Gives the property that a planted defect is found, blamed on its rule and place, and nothing else is. */
export function ruleProperty({ rule, title, control, twin }: RuleProperty): Property {
  return caseProperty<Planted, VerificationReport>({
    id: `verification/${rule.toLowerCase()}`,
    title,
    kind: 'message',
    requirements: [rule],
    capabilities: ['verification'],
    cases: planted(rule).map(({ program, defect: { node_id, edge } }) => ({
      workflow: program.workflow,
      ...(program.registry === undefined ? {} : { registry: program.registry }),
      rule,
      ...(node_id === undefined ? {} : { nodes: [node_id] }),
      ...(edge === undefined ? {} : { edges: [edge] }),
    })),
    weight: 1.5,
    control,
    twins: [
      {
        requirement: rule,
        title: twin.title,
        case: { rule, workflow: twin.workflow, sound: true },
        contrast: (_control, report) => falseAlarm(rule, report),
      },
    ],
    examine: async (subject, { workflow, registry }) => ({
      evidence: await subject.verify(verifyParams(workflow, registry)),
      kills: 0,
    }),
    judge: (subject, report) => [judge(subject, report)],
  });
}

/** Gives the request that verifies a workflow with the definitions that it refers to. */
export function verifyParams(workflow: Workflow, registry: Program['registry']): WorkflowVerifyParams {
  const { actions = [], workflows = [] } = registry ?? {};
  return {
    workflow: { ...workflow },
    ...(registry === undefined
      ? {}
      : { registry: { schema_version: '1.0', actions: [...actions], workflows: [...workflows] } }),
  };
}

function judge(subject: Planted, report: VerificationReport): Check {
  const { rule } = subject;
  if (subject.sound === true) return { requirement: rule, reached: false };
  const failure = missed(subject, report) ?? blamedElsewhere(rule, report) ?? wrongVerdict(rule, report);
  return { requirement: rule, reached: true, ...(failure === undefined ? {} : { failure }) };
}

function missed({ rule, nodes, edges }: Planted, { findings }: VerificationReport): Failure | undefined {
  const own = findings.filter(finding => finding.rule === rule);
  const [finding] = own;
  const expected = `one ${RULES[rule]} finding of ${rule}`;
  if (finding === undefined) return { message: 'the planted defect was not found', expected, observed: told(findings) };
  if (own.length > 1) return { message: 'one defect gave several findings', expected, observed: told(own) };
  if (finding.severity !== RULES[rule]) {
    return { message: 'the finding has another severity', expected, observed: finding.severity };
  }
  const { node_id, edge } = finding;
  const right =
    (nodes === undefined || (node_id !== undefined && nodes.includes(node_id))) &&
    (edges === undefined || (edge !== undefined && edges.some(wanted => sameEdge(wanted, edge))));
  if (right) return undefined;
  return {
    message: 'the finding points elsewhere',
    expected: { ...(nodes ? { node_id: nodes } : {}), ...(edges ? { edge: edges } : {}) },
    observed: { node_id: node_id ?? null, edge: edge ?? null },
    ...(node_id === undefined ? {} : { node_id }),
  };
}

function blamedElsewhere(rule: Rule, { findings }: VerificationReport): Failure | undefined {
  const others = findings.filter(finding => finding.rule !== rule && finding.severity === 'blocking');
  if (others.length === 0) return undefined;
  return { message: 'the one defect was blamed on other rules too', expected: `${rule} alone`, observed: told(others) };
}

function wrongVerdict(rule: Rule, { verdict, counts }: VerificationReport): Failure | undefined {
  const expected = RULES[rule] === 'blocking' ? 'FAIL' : 'PASS_WITH_WARNINGS';
  if (verdict === expected && counts.blocking === (RULES[rule] === 'blocking' ? 1 : 0)) return undefined;
  return { message: 'the verdict does not follow from the findings', expected, observed: verdict };
}

/** Gives what is wrong where a sound workflow has a finding of the rule, or a blocking one at all. */
export function falseAlarm(rule: Rule | undefined, { findings, verdict }: VerificationReport): Failure | undefined {
  const alarms = findings.filter(finding => finding.rule === rule || finding.severity === 'blocking');
  if (alarms.length === 0 && verdict !== 'FAIL') return undefined;
  return {
    message: 'a sound workflow was found fault with',
    expected: `no blocking finding${rule === undefined ? '' : ` and none of ${rule}`}`,
    observed: alarms.length > 0 ? told(alarms) : verdict,
  };
}

function sameEdge(a: NonNullable<Planted['edges']>[number], b: NonNullable<Finding['edge']>): boolean {
  return a.from_node === b.from_node && a.to_node === b.to_node && a.label === b.label;
}

function told(findings: readonly Finding[]): unknown {
  return findings.map(
    ({ rule, node_id, message }) => `${rule}${node_id === undefined ? '' : ` ${node_id}`}: ${message}`,
  );
}
