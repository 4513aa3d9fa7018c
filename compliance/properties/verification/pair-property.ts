import type { Finding, VerificationReport } from '../../../schemas/types.js';
import type { Pair, Place } from '../../generators/pairs/pair.js';
import { BARE, documentOf, type Planting, pairOf, plantings } from '../../generators/pairs/setting.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Property } from '../../runner/property.js';
import type { Failure } from '../../runner/verdict.js';
import { verifyParams } from './rule-property.js';

/** The reports on a document with a defect and on the same without it. */
export interface PairSeen {
  readonly broken: VerificationReport;
  readonly sound: VerificationReport;
}

/** Which rules warn only. */
export const WARNING_RULES: ReadonlySet<string> = new Set(['S6', 'S11', 'S15', 'S17']);

/** What is particular to a property about pairs. */
export interface PairProperty {
  readonly id: `verification/${string}`;
  readonly title: string;
  /** What the document without the defect shows; the one with it shows its rule. */
  readonly requirement: string;
  readonly pairs: readonly Pair[];
}

/** Gives the property that the defect of each pair is found once and at its place, and nothing where it is not. */
export function pairProperty({ id, title, requirement, pairs }: PairProperty): Property {
  const [first, ...others] = pairs.map(({ rule, name }): Planting => ({ rule, pair: name, setting: BARE }));
  return caseProperty<Planting, PairSeen>({
    id,
    title,
    kind: 'message',
    requirements: [requirement],
    capabilities: ['verification'],
    cases: plantings(pairs),
    weight: 0.5,
    examples: others,
    control: { title: first?.pair ?? '', case: first as Planting },
    twins: [
      {
        requirement: pairs[0]?.rule ?? requirement,
        title: 'a report on the defect without its finding',
        tamper: seen => ({ ...seen, broken: { ...seen.broken, findings: [] } }),
      },
      {
        requirement,
        title: 'a report with the finding on the document without the defect',
        tamper: seen => ({ ...seen, sound: { ...seen.sound, findings: seen.broken.findings } }),
      },
    ],
    examine: async (subject, planting) => {
      const reports = [];
      for (const broken of [true, false]) {
        const { workflow, registry } = documentOf(planting, broken);
        reports.push(await subject.verify(verifyParams(workflow, registry)));
      }
      const [broken, sound] = reports as [VerificationReport, VerificationReport];
      return { evidence: { broken, sound }, kills: 0 };
    },
    judge: (planting, seen) => {
      const [alarm, missed] = [alarmed(seen.sound), misjudged(planting, seen.broken)];
      const { rule } = planting;
      // Whoever finds nothing anywhere takes nothing for right either.
      const isBlind = seen.broken.findings.length === 0;
      const own = alarm ?? (rule === requirement || isBlind ? missed : undefined);
      return [
        { requirement, reached: true, ...(own === undefined ? {} : { failure: own }) },
        ...(rule === requirement || missed === undefined
          ? []
          : [{ requirement: rule, reached: true, failure: missed }]),
      ];
    },
  });
}

function alarmed({ findings }: VerificationReport): Failure | undefined {
  if (findings.length === 0) return undefined;
  return {
    message: 'a document without a defect was found fault with',
    expected: 'no finding',
    observed: told(findings),
  };
}

function misjudged(planting: Planting, { findings }: VerificationReport): Failure | undefined {
  const { rule, found } = pairOf(planting);
  const wanted = found.map(place => keyOf(severe({ rule, ...place }))).sort();
  const seen = findings.map(keyOf).sort();
  if (JSON.stringify(wanted) === JSON.stringify(seen)) return undefined;
  const message = findings.length === 0 ? 'the defect was not found' : 'the findings are not those of the defect';
  return { message: `${planting.pair}: ${message}`, expected: wanted, observed: told(findings) };
}

/** Gives a place with the severity that its rule has. */
export function severe(
  place: Place & { readonly rule: string },
): Pick<Finding, 'rule' | 'severity' | 'node_id' | 'edge'> {
  return { ...place, severity: WARNING_RULES.has(place.rule) ? 'warning' : 'blocking' };
}

/** Gives what two implementations have to agree in of a finding, as text. */
export function keyOf({
  rule,
  severity,
  node_id,
  edge,
}: Pick<Finding, 'rule' | 'severity' | 'node_id' | 'edge'>): string {
  const at = edge === undefined ? '' : ` ${edge.from_node} –${edge.label}→ ${edge.to_node}`;
  return `${rule} ${severity}${node_id === undefined ? '' : ` at ${node_id}`}${at}`;
}

/** Gives findings in words. */
export function told(findings: readonly Finding[]): readonly string[] {
  return findings.map(finding => `${keyOf(finding)}: ${finding.message}`);
}
