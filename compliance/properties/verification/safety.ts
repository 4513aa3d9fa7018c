import type { Safety, SafetyLevel, VerificationReport } from '../../../schemas/types.js';
import { chainOf, risky, type Step } from '../../generators/risks.js';
import { type Known, riskOfNode } from '../../model/closure.js';
import { compareLevels } from '../../model/safety.js';
import { type Zone, zonesOf } from '../../model/zones.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Subject } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { verifyParams } from './rule-property.js';

const step = (deed: Step['deed'], handling: Step['handling'] = 'fail'): Step => ({ deed, handling, jumps: false });
/** How many effects of one zone a report names. */
const MOST_NAMED = 8;

/** The report says of each node how risky it is, and the highest of the whole. */
export const safetyLevels = caseProperty<Known, VerificationReport>({
  id: 'verification/levels',
  title: 'a report tells the level of every node and of the whole, by everything that they can lead to',
  kind: 'message',
  requirements: ['RS1', 'RS2', 'RS3', 'RS4', 'RS5', 'SC1', 'SC2', 'SC3'],
  capabilities: ['verification'],
  cases: risky,
  weight: 3,
  examples: [
    ...(['random', 'asked', 'posted', 'gap', 'final'] as const).map(deed => chainOf([step(deed)])),
    chainOf([step('final'), step('missing')]),
    chainOf([step('missing')]),
  ],
  control: {
    title: 'an action of each level',
    case: chainOf([step('gap'), step('posted'), step('leads-far'), step('trip'), step('final')]),
  },
  twins: ['RS1', 'RS2', 'RS3', 'RS4', 'RS5', 'SC1', 'SC2', 'SC3'].map(requirement => ({
    requirement,
    title: `a report that calls everything ${requirement === 'SC3' ? 'nothing' : 'SAFE'}`,
    tamper: (report: VerificationReport) => (requirement === 'SC3' ? withoutLevel(report) : allSafe(report)),
  })),
  examine,
  judge: judgeLevels,
});

/** The report says what a failure leaves behind. */
export const zones = caseProperty<Known, VerificationReport>({
  id: 'verification/zones',
  title: 'a report tells of each node what stays behind when it fails, and what handles the failure',
  kind: 'message',
  requirements: ['PFZ1', 'PFZ2', 'PFZ3'],
  capabilities: ['verification'],
  cases: risky,
  weight: 5,
  examples: [
    chainOf([step('asked'), step('plain'), step('final'), step('plain')]),
    chainOf([step('asked'), step('plain', 'undo'), step('trip', 'retry-undo'), step('plain', 'ref')]),
    chainOf(
      Array.from({ length: 12 }, () => step('reverted', 'none')),
      3,
    ),
  ],
  control: {
    title: 'two effects, one of which is undone',
    case: chainOf([step('final'), step('asked'), step('plain', 'rollback'), step('plain')]),
  },
  twins: [
    { requirement: 'PFZ1', title: 'a report without its first zone', tamper: withoutZone },
    { requirement: 'PFZ2', title: 'a report with one effect too many', tamper: withEffect },
    { requirement: 'PFZ3', title: 'a report with its zones in another order', tamper: withTurnedZones },
  ],
  examine,
  judge: judgeZones,
});

async function examine(subject: Subject, { workflow, actions, workflows }: Known) {
  return { evidence: await subject.verify(verifyParams(workflow, { actions, workflows })), kills: 0 };
}

function judgeLevels(known: Known, report: VerificationReport): readonly Check[] {
  const checks: Check[] = [];
  const { safety } = report;
  const check = (requirement: string, failure: Failure | undefined): void => {
    checks.push({ requirement, reached: true, ...(failure === undefined ? {} : { failure }) });
  };
  let highest: SafetyLevel = 'SAFE';
  let isOpen = false;
  for (const node of known.workflow.nodes) {
    const { level, at_least, requirements } = riskOfNode(node, known);
    if (compareLevels(at_least, highest) > 0) highest = at_least;
    if (level === 'UNKNOWN') isOpen = true;
    const said = safety?.nodes.find(({ node_id }) => node_id === node.node_id);
    const isLow = compareLevels(said?.at_least ?? 'SAFE', at_least) < 0;
    const isRight = (said?.level ?? 'SAFE') === level && (said?.at_least ?? 'SAFE') === at_least;
    const failure: Failure = {
      message: 'the level of a node is not that of what it can lead to',
      expected: { level, at_least },
      observed: said ?? 'not named, so SAFE',
      node_id: node.node_id,
    };
    for (const requirement of new Set(['SC1', ...(isLow || said !== undefined ? requirements : [])]))
      check(requirement, isRight ? undefined : failure);
  }
  const whole = { level: isOpen && highest !== 'IRREVERSIBLE' ? 'UNKNOWN' : highest, at_least: highest };
  const isWhole = safety?.at_least === whole.at_least;
  check('SC2', isWhole ? undefined : wrong('the level of the whole is not the highest of its nodes', whole, safety));
  const stated = whole.level === 'UNKNOWN' ? undefined : whole.level;
  const states =
    safety !== undefined &&
    (safety.level === 'UNKNOWN') === (stated === undefined) &&
    report.safety_level === (isWhole ? stated : report.safety_level);
  check(
    'SC3',
    states
      ? undefined
      : wrong('the level is not stated where it is known, or is where it is not', stated ?? 'UNKNOWN', {
          level: safety?.level,
          safety_level: report.safety_level,
        }),
  );
  return checks;
}

function judgeZones(known: Known, { safety }: VerificationReport): readonly Check[] {
  const wanted = zonesOf(known);
  const said = safety?.zones ?? [];
  const ids = said.map(({ node_id }) => node_id);
  const isOrdered =
    ids.every((id, at) => at === 0 || (ids[at - 1] as string) < id) &&
    said.every(zone => isAscending(zone.remains.map(({ node_id }) => node_id)));
  const extra = said.flatMap(zone => {
    const zoneWanted = wanted.find(({ node_id }) => node_id === zone.node_id);
    return zone.remains
      .filter(({ node_id }) => zoneWanted?.remains.some(effect => effect.node_id === node_id) !== true)
      .map(({ node_id }) => `${zone.node_id} leaves ${node_id}`);
  });
  const lacking = wanted.filter(zone => !said.some(one => agrees(zone, one)));
  const judged = wanted.length > 0 || said.length > 0;
  return [
    {
      requirement: 'PFZ1',
      reached: judged,
      ...(lacking.length === 0 ? {} : { failure: wrong('a zone is missing, or another one', lacking, said) }),
    },
    {
      requirement: 'PFZ2',
      reached: judged,
      ...(extra.length === 0 ? {} : { failure: wrong('an effect is named that does not stay', [], extra) }),
    },
    {
      requirement: 'PFZ3',
      reached: wanted.length > 1 || safety === undefined,
      ...(safety !== undefined && isOrdered
        ? {}
        : { failure: wrong('the zones are not there in order of node_id', [...ids].sort(), ids) }),
    },
  ];
}

function agrees({ node_id, handling, handled_by, remains }: Zone, said: Safety['zones'][number]): boolean {
  if (said.node_id !== node_id || said.handling !== handling || said.handled_by !== handled_by) return false;
  const named = new Set(said.remains.map(effect => JSON.stringify([effect.node_id, effect.action, effect.reason])));
  return (
    remains
      .slice(0, MOST_NAMED)
      .every(effect => named.has(JSON.stringify([effect.node_id, effect.action, effect.reason]))) &&
    (said.more === true) === remains.length > MOST_NAMED
  );
}

function isAscending(ids: readonly string[]): boolean {
  return ids.every((id, at) => at === 0 || (ids[at - 1] as string) < id);
}

function wrong(message: string, expected: unknown, observed: unknown): Failure {
  return { message, expected, observed: observed ?? null };
}

const EMPTY: Safety = { level: 'SAFE', at_least: 'SAFE', nodes: [], zones: [] };

function allSafe(report: VerificationReport): VerificationReport {
  return {
    ...report,
    safety_level: 'SAFE',
    safety: { ...(report.safety ?? EMPTY), level: 'SAFE', at_least: 'SAFE', nodes: [] },
  };
}

function withoutLevel(report: VerificationReport): VerificationReport {
  return { ...report, safety: { ...(report.safety ?? EMPTY), level: 'UNKNOWN' } };
}

function withZones(
  report: VerificationReport,
  change: (zones: Safety['zones']) => Safety['zones'],
): VerificationReport {
  const { safety = EMPTY } = report;
  return { ...report, safety: { ...safety, zones: change(safety.zones) } };
}

function withoutZone(report: VerificationReport): VerificationReport {
  return withZones(report, all => all.slice(1));
}

function withTurnedZones(report: VerificationReport): VerificationReport {
  return withZones(report, all => [...all].reverse());
}

function withEffect(report: VerificationReport): VerificationReport {
  return withZones(report, ([first, ...others]) => {
    if (first === undefined) return others;
    const effect = { node_id: first.node_id, action: 'plain@1.0.0', reason: 'not_undone' } as const;
    return [{ ...first, remains: [...first.remains, effect] }, ...others];
  });
}
