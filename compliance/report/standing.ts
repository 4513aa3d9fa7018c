import type { Capability, ComplianceReport, ComplianceRequirement } from '../../schemas/types.js';
import type { Mutant } from '../mutants/mutant.js';
import { capabilitiesOf, isOf, PROFILES, type Profile } from '../runner/profile.js';
import type { Property } from '../runner/property.js';
import { type Contribution, requirementVerdicts, type Verdict } from '../runner/verdict.js';
import type { Clause } from './clause.js';

/** What is known of the suite itself, whatever it was run against. */
export interface Background {
  readonly clauses: ReadonlyMap<string, Clause>;
  readonly properties: readonly Property[];
  readonly mutants: readonly Mutant[];
}

/** The word on a profile; only the first two are claims, and the second lists its gaps. */
export type Standing = 'conforms' | 'conforms_with_gaps' | 'does_not_conform' | 'not_claimed' | 'not_run';

/** How a runtime stands by one profile. */
export interface ProfileStanding {
  readonly profile: Profile;
  readonly standing: Standing;
  readonly capabilities: readonly Capability[];
  /** Capabilities of the profile that the runtime does not declare. */
  readonly undeclared: readonly Capability[];
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Requirements of the profile that were judged and neither passed nor failed. */
  readonly open: readonly string[];
  /** Requirements that a property of the profile judges and that were not looked at. */
  readonly left_out: readonly string[];
}

/** Gives how the runtime of a report stands by each profile, of which every one is judged by its own properties only. */
export function standings(report: ComplianceReport, properties: readonly Property[]): ProfileStanding[] {
  return PROFILES.map(profile => standing(report, properties, profile));
}

function standing(report: ComplianceReport, properties: readonly Property[], profile: Profile): ProfileStanding {
  const capabilities = capabilitiesOf(profile);
  const undeclared = capabilities.filter(
    wanted => !report.capabilities.includes(wanted) && isJudged(wanted, properties),
  );
  // audit.append belongs to no profile: a runtime without a door for foreign records has nothing to refuse.
  const own = properties.filter(property => isOf(property, profile) && !property.capabilities.includes('audit.append'));
  const ran = new Map(report.properties.map(({ property, requirements }) => [property, requirements]));
  const verdicts = requirementVerdicts(
    own.map(({ id }) => ({ property: id, contributions: (ran.get(id) ?? []).map(toContribution) })),
  );
  const having = (...words: readonly Verdict['verdict'][]) =>
    verdicts.filter(({ verdict }) => words.includes(verdict.verdict)).map(({ requirement }) => requirement);
  const looked = new Set(verdicts.map(({ requirement }) => requirement));
  const left_out = [...new Set(own.flatMap(({ requirements }) => requirements))].filter(id => !looked.has(id));
  const facts = {
    ...{ profile, capabilities, undeclared, left_out },
    ...{ passed: having('PASS'), failed: having('FAIL') },
    open: having('INCONCLUSIVE', 'NOT_APPLICABLE', 'HARNESS_ERROR'),
  };
  return { ...facts, standing: word(report, facts) };
}

/** A capability that nothing asks for yet keeps no runtime from a profile. */
function isJudged(capability: Capability, properties: readonly Property[]): boolean {
  return capability === 'core' || properties.some(({ capabilities }) => capabilities.includes(capability));
}

function word(report: ComplianceReport, facts: Omit<ProfileStanding, 'standing'>): Standing {
  if (facts.undeclared.length > 0) return 'not_claimed';
  const missing = report.missing.some(({ capability }) => facts.capabilities.includes(capability));
  if (facts.failed.length > 0 || missing) return 'does_not_conform';
  if (facts.left_out.length > 0 || report.interrupted || facts.passed.length === 0) return 'not_run';
  return facts.open.length > 0 ? 'conforms_with_gaps' : 'conforms';
}

function toContribution(row: ComplianceRequirement): Contribution {
  const { requirement, planned, reached, passed, verdict, reason } = row;
  const more = verdict === 'NOT_APPLICABLE' ? { capability: reason } : reason === undefined ? {} : { reason };
  return { requirement, tally: { planned, reached, passed }, verdict: { verdict, ...more } as Verdict };
}

/** What is known of one requirement of the specification after a run. */
export interface Judged {
  readonly id: string;
  readonly clause?: Clause;
  /** The row of the report; absent where the run did not look at it. */
  readonly row?: ComplianceRequirement;
  /** Which properties of the suite are about it, whether or not they were run. */
  readonly judges: readonly string[];
  /** Which planted faults break it. */
  readonly mutants: readonly string[];
}

/** Gives every requirement of the specification, in its order, and what the report says of others. */
export function judged(report: ComplianceReport | undefined, background: Background): Judged[] {
  const { clauses, properties, mutants } = background;
  const rows = new Map((report?.requirements ?? []).map(row => [row.requirement, row]));
  const ids = [...clauses.keys(), ...[...rows.keys()].filter(id => !clauses.has(id))];
  return ids.map(id => {
    const [clause, row] = [clauses.get(id), rows.get(id)];
    return {
      id,
      ...(clause === undefined ? {} : { clause }),
      ...(row === undefined ? {} : { row }),
      judges: properties.filter(({ requirements }) => requirements.includes(id)).map(property => property.id),
      mutants: mutants.filter(({ requirement }) => requirement === id).map(mutant => mutant.id),
    };
  });
}

/** How much of the specification a run judged. */
export interface Reach {
  readonly total: number;
  /** With PASS or FAIL. */
  readonly decided: readonly string[];
  /** Looked at, and neither passed nor failed. */
  readonly open: readonly string[];
  /** A property is about them, and the run left them out. */
  readonly left_out: readonly string[];
  /** A test could show them, and the suite has no property for them. */
  readonly unjudged: readonly string[];
  /** No test from outside can show them. */
  readonly untestable: readonly string[];
}

/** Gives how much of the specification was judged, every requirement in exactly one list. */
export function reach(all: readonly Judged[]): Reach {
  const parts = { decided: [] as string[], open: [] as string[], left_out: [] as string[] };
  const rest = { unjudged: [] as string[], untestable: [] as string[] };
  for (const { id, clause, row, judges } of all) {
    if (row !== undefined) parts[row.verdict === 'PASS' || row.verdict === 'FAIL' ? 'decided' : 'open'].push(id);
    else if (judges.length > 0) parts.left_out.push(id);
    else rest[clause?.untestable === undefined ? 'unjudged' : 'untestable'].push(id);
  }
  return { total: all.length, ...parts, ...rest };
}

/** Gives what {@link reach} found, in one sentence and one more for each part that was not judged. */
export function reachText({ total, decided, open, left_out, unjudged, untestable }: Reach): string {
  const parts = [
    [open, 'could not be decided or do not apply'],
    [left_out, 'were left out of this run'],
    [unjudged, 'no property judges yet'],
    [untestable, 'no test can show'],
  ] as const;
  const rest = parts.filter(([ids]) => ids.length > 0).map(([ids, words]) => `${ids.length} ${words}`);
  const sentence = `${decided.length} of the ${total} requirements were judged`;
  return rest.length === 0 ? `${sentence}.` : `${sentence}; ${rest.join(', ')}.`;
}
