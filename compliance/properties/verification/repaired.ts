import * as fc from 'fast-check';
import type { VerificationReport } from '../../../schemas/types.js';
import { type Together, together, togetherDocument } from '../../generators/pairs/together.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check } from '../../runner/verdict.js';
import { keyOf, told, WARNING_RULES } from './pair-property.js';
import { verifyParams } from './rule-property.js';
import { without } from './several.js';

/** Several defects, of which one is then mended. */
interface Repair extends Together {
  /** Which; taken modulo what there is. */
  readonly mend: number;
}

interface Repaired {
  readonly before: VerificationReport;
  readonly after: VerificationReport;
}

/** Mending a defect makes nothing else wrong. */
export const repaired = caseProperty<Repair, Repaired>({
  id: 'verification/repaired',
  title: 'without one of its defects a document has no other blocking finding of a rule that had been evaluated',
  kind: 'message',
  requirements: ['VII2'],
  capabilities: ['verification'],
  cases: fc.tuple(together(true), fc.nat(4)).map(([value, mend]) => ({ ...value, mend })),
  weight: 2,
  control: {
    title: 'a reference that leads to nothing is mended, and too many retries are left',
    case: {
      plantings: [
        { rule: 'S7', pair: 'an action that is defined nowhere' },
        { rule: 'S9', pair: 'policy and error node together' },
      ],
      mend: 0,
    },
  },
  twins: [
    {
      requirement: 'VII2',
      title: 'a report after the repair with a finding that was not there before',
      tamper: ({ before, after }) => ({
        before,
        after: { ...after, findings: after.findings.map(finding => ({ ...finding, node_id: 'which' })) },
      }),
    },
  ],
  examine: async (subject, repair) => {
    const [before, after] = [documentOf(repair, false), documentOf(repair, true)];
    const evidence = {
      before: await subject.verify(verifyParams(before.workflow, before.registry)),
      after: await subject.verify(verifyParams(after.workflow, after.registry)),
    };
    return { evidence, kills: 0 };
  },
  judge: (repair, seen) => [judgeRepair(repair, seen)],
});

function mendedOf({ plantings, mend }: Repair): number {
  return mend % Math.max(1, plantings.length);
}

function documentOf(repair: Repair, isMended: boolean) {
  const at = mendedOf(repair);
  const plantings = repair.plantings.map((one, index) =>
    isMended && index === at ? { ...one, mended: true as const } : one,
  );
  return togetherDocument({ plantings });
}

function judgeRepair(repair: Repair, { before, after }: Repaired): Check {
  const evaluated = new Set(
    before.rules
      .filter(({ status, reason }) => status !== 'not_evaluated' && reason === undefined)
      .map(({ rule }) => rule),
  );
  const blocking = ({ findings }: VerificationReport) =>
    findings.filter(({ rule, severity }) => severity === 'blocking' && evaluated.has(rule));
  const added = without(blocking(after).map(keyOf), blocking(before).map(keyOf));
  const rule = repair.plantings[mendedOf(repair)]?.rule ?? '';
  const failure = {
    message: 'mending a defect gave a finding that was not there before',
    expected: told(before.findings),
    observed: added,
  };
  const reached = !WARNING_RULES.has(rule) && before.findings.length > 1;
  return { requirement: 'VII2', reached, ...(added.length === 0 ? {} : { failure }) };
}
