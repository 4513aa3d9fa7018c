import type { VerificationReport } from '../../../schemas/types.js';
import { type Together, together, togetherDocument, togetherPlaces } from '../../generators/pairs/together.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { keyOf, severe, told } from './pair-property.js';
import { verifyParams } from './rule-property.js';

/** A document with several defects of which none hides another one. */
export const several = caseProperty<Together, VerificationReport>({
  id: 'verification/several',
  title: 'every defect of several is found once, and nothing else is',
  kind: 'message',
  requirements: ['VF5', 'VII4'],
  capabilities: ['verification'],
  cases: together(),
  weight: 2,
  control: {
    title: 'a reference that leads to nothing beside a dead end and a failure that nothing handles',
    case: {
      plantings: [
        { rule: 'S7', pair: 'an action that is defined nowhere' },
        { rule: 'S3', pair: 'a node that only failure leaves' },
        { rule: 'S15', pair: 'two nodes whose failures nothing handles' },
      ],
    },
  },
  twins: [
    {
      requirement: 'VF5',
      title: 'a report without its last finding',
      tamper: report => ({ ...report, findings: report.findings.slice(0, -1) }),
    },
    {
      requirement: 'VII4',
      title: 'a report with a finding of what is no defect',
      tamper: report => ({ ...report, findings: report.findings.map(finding => ({ ...finding, node_id: 'which' })) }),
    },
  ],
  examine: async (subject, value) => {
    const { workflow, registry } = togetherDocument(value);
    return { evidence: await subject.verify(verifyParams(workflow, registry)), kills: 0 };
  },
  judge: judgeFindings,
});

function judgeFindings(value: Together, { findings }: VerificationReport): readonly Check[] {
  const wanted = togetherPlaces(value).map(place => keyOf(severe(place)));
  const seen = findings.map(keyOf);
  const missing = without(wanted, seen);
  const extra = without(seen, wanted);
  const wrong = (message: string): Failure => ({ message, expected: wanted.sort(), observed: told(findings) });
  const isFound = missing.length === 0;
  return [
    {
      requirement: 'VF5',
      reached: wanted.length > 1,
      ...(isFound ? {} : { failure: wrong('a finding is not in the report') }),
    },
    {
      requirement: 'VII4',
      reached: true,
      ...(isFound && extra.length === 0
        ? {}
        : { failure: wrong(isFound ? 'what is no defect was found' : 'a defect was missed') }),
    },
  ];
}

/** Gives what of a list another one does not hold as often. */
export function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter(text => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
