import type { VerificationReport } from '../../../schemas/types.js';
import { reordered } from '../../generators/orders.js';
import { type Together, together, togetherDocument } from '../../generators/pairs/together.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';
import { keyOf } from './pair-property.js';
import { verifyParams } from './rule-property.js';

interface Same {
  readonly first: VerificationReport;
  readonly again: VerificationReport;
  readonly reordered: VerificationReport;
}

/** One document, asked about again and in other orders. */
export const same = caseProperty<Together, Same>({
  id: 'verification/same',
  title: 'verifying again, and with keys, nodes, edges and definitions in another order, gives the same findings',
  kind: 'message',
  requirements: ['VII1'],
  capabilities: ['verification'],
  cases: together(true),
  weight: 2,
  control: {
    title: 'two nodes that name what there is not, and a cycle',
    case: {
      plantings: [
        { rule: 'S7', pair: 'one text twice, told of the first node that names it' },
        { rule: 'S1', pair: 'a cycle' },
        { rule: 'S17', pair: 'neither marked nor the last' },
      ],
    },
  },
  twins: [
    {
      requirement: 'VII1',
      title: 'a report on the other order that names another node',
      tamper: seen => ({ ...seen, reordered: { ...seen.reordered, findings: seen.reordered.findings.slice(1) } }),
    },
  ],
  examine: async (subject, value) => {
    const document = togetherDocument(value);
    const other = reordered(document);
    const ask = () => subject.verify(verifyParams(document.workflow, document.registry));
    const evidence = {
      first: await ask(),
      again: await ask(),
      reordered: await subject.verify(verifyParams(other.workflow, other.registry)),
    };
    return { evidence, kills: 0 };
  },
  judge: (_value, { first, again, reordered: other }) => {
    const failure = differs(first, again, 'a second time') ?? differs(first, other, 'in another order');
    return [{ requirement: 'VII1', reached: first.findings.length > 0, ...(failure === undefined ? {} : { failure }) }];
  },
});

/** Gives how two reports on one document differ, but for texts, pointers and positions; undefined where they agree. */
export function differs(one: VerificationReport, other: VerificationReport, how: string): Failure | undefined {
  const [expected, observed] = [agreed(one), agreed(other)];
  if (JSON.stringify(expected) === JSON.stringify(observed)) return undefined;
  return { message: `verified ${how} the workflow has another report`, expected, observed };
}

/** Gives what reports on one document have to agree in. */
export function agreed({ verdict, counts, rules, findings, safety }: VerificationReport): unknown {
  const nodes = (safety?.nodes ?? []).map(({ node_id, level, at_least }) => [node_id, level, at_least]);
  const zones = (safety?.zones ?? []).map(({ node_id, handling, remains }) => [
    node_id,
    handling,
    remains.map(effect => [effect.node_id, effect.action, effect.reason]),
  ]);
  return {
    verdict,
    counts: [counts.blocking, counts.warning],
    rules: rules.map(({ rule, status }) => `${rule} ${status}`),
    findings: findings.map(keyOf).sort(),
    safety: [safety?.level, safety?.at_least, nodes, zones],
  };
}
