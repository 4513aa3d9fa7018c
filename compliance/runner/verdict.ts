/** What one case says about one requirement. */
export interface Check {
  readonly requirement: string;
  /** Whether the case exercised the requirement; a check that was not reached says nothing. */
  readonly reached: boolean;
  /** Present where the requirement was violated. */
  readonly failure?: Failure;
}

/** How a requirement was violated. */
export interface Failure {
  readonly message: string;
  readonly expected?: unknown;
  readonly observed?: unknown;
  readonly node_id?: string;
}

/** Why nothing can be said about a requirement. */
export type InconclusiveReason =
  | 'not_reached'
  | 'thin'
  | 'unserved'
  | 'timeout'
  | 'protocol'
  | 'adapter_exit'
  | 'stopped';

/** How many cases were to judge a requirement, how many exercised it, and how many of these it held in. */
export interface Tally {
  readonly planned: number;
  readonly reached: number;
  readonly passed: number;
}

/** The word on one requirement. */
export type Verdict =
  | { readonly verdict: 'PASS' }
  | { readonly verdict: 'FAIL' }
  | { readonly verdict: 'INCONCLUSIVE'; readonly reason: InconclusiveReason }
  /** A capability, or another thing that the runtime says it does not have. */
  | { readonly verdict: 'NOT_APPLICABLE'; readonly capability: string }
  | { readonly verdict: 'HARNESS_ERROR'; readonly reason: string };

/** What one property found out about one requirement. */
export interface Contribution {
  readonly requirement: string;
  readonly tally: Tally;
  readonly verdict: Verdict;
}

/** A requirement's verdict over all properties that judge it. */
export interface RequirementVerdict {
  readonly requirement: string;
  readonly verdict: Verdict;
  readonly tally: Tally;
  readonly properties: readonly string[];
}

const WEIGHT = { FAIL: 4, HARNESS_ERROR: 3, INCONCLUSIVE: 2, PASS: 1, NOT_APPLICABLE: 0 } as const;

/**
 * Gives the verdict over several contributions: a failure outweighs an error of the suite, which outweighs inconclusive,
 * which outweighs a pass; a property that does not apply counts only where none applies.
 */
export function combine(verdicts: readonly Verdict[]): Verdict {
  let worst: Verdict = { verdict: 'INCONCLUSIVE', reason: 'not_reached' };
  let weight = -1;
  for (const verdict of verdicts) {
    if (WEIGHT[verdict.verdict] > weight) {
      worst = verdict;
      weight = WEIGHT[verdict.verdict];
    }
  }
  return worst;
}

/** Gives the sum of tallies. */
export function sum(tallies: readonly Tally[]): Tally {
  let [planned, reached, passed] = [0, 0, 0];
  for (const tally of tallies) {
    planned += tally.planned;
    reached += tally.reached;
    passed += tally.passed;
  }
  return { planned, reached, passed };
}

/** So many cases that exercise a requirement carry a pass, however many were planned. */
export const CARRIES = 4;

/** Tells whether fewer than a quarter of the planned cases exercised the requirement. */
export function reachesFew({ planned, reached }: Tally): boolean {
  return 4 * reached < planned;
}

/** A pass on few of the planned cases, and on few altogether, is none: most of what was to be tried never came about. */
function carried(verdict: Verdict, tally: Tally): Verdict {
  const thin = verdict.verdict === 'PASS' && tally.reached < CARRIES && reachesFew(tally);
  return thin ? { verdict: 'INCONCLUSIVE', reason: 'thin' } : verdict;
}

/** Gives one verdict for each requirement, in the order of first mention. */
export function requirementVerdicts(
  results: readonly { readonly property: string; readonly contributions: readonly Contribution[] }[],
): RequirementVerdict[] {
  const byId = new Map<string, { verdicts: Verdict[]; tallies: Tally[]; properties: string[] }>();
  for (const { property, contributions } of results) {
    for (const { requirement, verdict, tally } of contributions) {
      const entry = byId.get(requirement) ?? { verdicts: [], tallies: [], properties: [] };
      byId.set(requirement, entry);
      entry.verdicts.push(verdict);
      entry.tallies.push(tally);
      entry.properties.push(property);
    }
  }
  return [...byId].map(([requirement, { verdicts, tallies, properties }]) => {
    const tally = sum(tallies);
    return { requirement, verdict: carried(combine(verdicts), tally), tally, properties };
  });
}

/** What a run says by its exit code. */
export const EXIT = {
  conforms: 0,
  nonconforming: 1,
  usage: 2,
  adapter: 3,
  inconclusive: 4,
  suite_bug: 5,
  interrupted: 130,
} as const;

/**
 * Gives the exit code of a run: 0 only where something was checked, everything that applies passed and nothing was left
 * open.
 */
export function exitCode(verdicts: readonly Verdict[]): number {
  const has = (word: Verdict['verdict']) => verdicts.some(({ verdict }) => verdict === word);
  if (has('HARNESS_ERROR')) return EXIT.suite_bug;
  if (has('FAIL')) return EXIT.nonconforming;
  const broken = verdicts.some(
    verdict =>
      verdict.verdict === 'INCONCLUSIVE' && (verdict.reason === 'protocol' || verdict.reason === 'adapter_exit'),
  );
  if (broken) return EXIT.adapter;
  if (has('INCONCLUSIVE') || !has('PASS')) return EXIT.inconclusive;
  return EXIT.conforms;
}
