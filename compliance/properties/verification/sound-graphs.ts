import type { VerificationReport } from '../../../schemas/types.js';
import type { Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import { anyProgram } from '../cases.js';
import { diamond } from '../drawn.js';
import { falseAlarm, RULES, verifyParams } from './rule-property.js';

const REQUIREMENTS = Object.keys(RULES);

/** A graph that is valid by construction has no blocking finding. */
export const soundGraphs = caseProperty<Program, VerificationReport>({
  id: 'verification/sound-graphs',
  title: 'no blocking finding on a workflow that is valid by construction',
  kind: 'message',
  requirements: REQUIREMENTS,
  capabilities: ['verification'],
  cases: anyProgram,
  weight: 3,
  control: { title: 'a split and a join', case: diamond('AND') },
  twins: REQUIREMENTS.map(requirement => ({
    requirement,
    title: `a report with a blocking finding of ${requirement}`,
    tamper: report => withFinding(report, requirement),
  })),
  examine: async (subject, { workflow, registry }) => ({
    evidence: await subject.verify(verifyParams(workflow, registry)),
    kills: 0,
  }),
  judge: (_program, report) =>
    REQUIREMENTS.map(requirement => {
      const own = report.findings.filter(({ rule }) => rule === requirement);
      const explained = report.findings.some(({ severity }) => severity === 'blocking');
      const failure = falseAlarm(undefined, { ...report, findings: own, verdict: explained ? 'PASS' : report.verdict });
      return { requirement, reached: evaluated(report, requirement), ...(failure === undefined ? {} : { failure }) };
    }),
});

function evaluated({ rules }: VerificationReport, requirement: string): boolean {
  return rules.some(({ rule, status }) => rule === requirement && status !== 'not_evaluated');
}

function withFinding(report: VerificationReport, rule: string): VerificationReport {
  const finding = { rule, severity: 'blocking' as const, pointer: '', message: 'a defect', related: [], help: 'none' };
  return { ...report, verdict: 'FAIL', findings: [...report.findings, finding] };
}
