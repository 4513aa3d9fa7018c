import * as fc from 'fast-check';
import type { VerificationReport } from '../../../schemas/types.js';
import { PAIRS } from '../../generators/pairs/index.js';
import { type Together, together, togetherDocument } from '../../generators/pairs/together.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Subject } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { WARNING_RULES } from './pair-property.js';
import { verifyParams } from './rule-property.js';

/** The reports on a document with blocking and other defects, with the others alone, and with none. */
type Stages = readonly VerificationReport[];

const warned = fc
  .constantFrom(...PAIRS.filter(({ rule, alone }) => WARNING_RULES.has(rule) && alone === undefined))
  .map(({ rule, name }) => ({ rule, pair: name }));

/** The verdict follows from the findings alone. */
export const verdicts = caseProperty<Together, Stages>({
  id: 'verification/verdicts',
  title: 'the verdict is FAIL, PASS_WITH_WARNINGS or PASS by what was found',
  kind: 'message',
  requirements: ['VF1', 'VF2', 'VF3'],
  capabilities: ['verification'],
  cases: fc.tuple(together(true), warned).map(([{ plantings }, warning]) => ({ plantings: [...plantings, warning] })),
  control: {
    title: 'a dead end beside a failure that nothing handles',
    case: {
      plantings: [
        { rule: 'S3', pair: 'a node that only failure leaves' },
        { rule: 'S15', pair: 'a skill whose failure nothing handles' },
      ],
    },
  },
  twins: (['VF1', 'VF2', 'VF3'] as const).map((requirement, stage) => ({
    requirement,
    title: `a report with the verdict of another document`,
    tamper: (reports: Stages) => turned(reports, stage),
  })),
  examine: async (subject, value) => ({ evidence: await stagesOf(subject, value), kills: 0 }),
  judge: (_value, reports) => reports.map(judgeVerdict),
});

async function stagesOf(subject: Subject, { plantings }: Together): Promise<Stages> {
  const reports: VerificationReport[] = [];
  for (const mends of [() => false, (rule: string) => !WARNING_RULES.has(rule), () => true]) {
    const stage = plantings.map(planting => (mends(planting.rule) ? { ...planting, mended: true as const } : planting));
    const { workflow, registry } = togetherDocument({ plantings: stage });
    reports.push(await subject.verify(verifyParams(workflow, registry)));
  }
  return reports;
}

/** The reports with the verdict of one of them given to another. */
function turned(reports: Stages, at: number): Stages {
  const verdict = reports[(at + 1) % reports.length]?.verdict ?? 'PASS';
  return reports.map((report, stage) => (stage === at ? { ...report, verdict } : report));
}

/** What a report says about VF1, VF2 and VF3: whether its verdict and its counts follow from its findings. */
function judgeVerdict({ verdict, findings, counts, rules }: VerificationReport): Check {
  const blocking = findings.filter(({ severity }) => severity === 'blocking').length;
  const warning = findings.length - blocking;
  const [requirement, expected] =
    blocking > 0
      ? (['VF1', 'FAIL'] as const)
      : warning > 0
        ? (['VF2', 'PASS_WITH_WARNINGS'] as const)
        : (['VF3', 'PASS'] as const);
  const statuses = rules.filter(({ rule, status }) => {
    const own = findings.filter(finding => finding.rule === rule);
    if (own.length === 0) return status === 'fail' || status === 'warn';
    return status !== (own.some(({ severity }) => severity === 'blocking') ? 'fail' : 'warn');
  });
  const isRight =
    rules.length > 0 && verdict === expected && counts.blocking === blocking && counts.warning === warning;
  const failure: Failure = {
    message: 'verdict, counts or statuses do not follow from the findings',
    expected: { verdict: expected, counts: { blocking, warning } },
    observed: { verdict, counts, statuses },
  };
  return { requirement, reached: true, ...(isRight && statuses.length === 0 ? {} : { failure }) };
}
