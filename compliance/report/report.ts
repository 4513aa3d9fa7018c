import type {
  ComplianceFailure,
  ComplianceProperty,
  ComplianceReport,
  ComplianceRequirement,
} from '../../schemas/types.js';
import type { Profile } from '../runner/profile.js';
import type { Counterexample } from '../runner/property.js';
import type { Outcome, Run } from '../runner/run.js';
import type { Tally, Verdict } from '../runner/verdict.js';

/** What a report tells beside the run itself. */
export interface RunFacts {
  readonly suite_version: string;
  readonly command: readonly string[];
  readonly jobs: number;
  readonly profile: Profile;
  /** The requirements that were asked for; absent: all of the profile. */
  readonly asked?: readonly string[];
  /** By what limits of time were multiplied. */
  readonly scale: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
}

/** Gives the document that a run is reported by; it fits `compliance-report.schema.json`. */
export function toReport(run: Run, facts: RunFacts): ComplianceReport {
  const { identity } = run;
  return {
    schema_version: '1.0',
    suite_version: facts.suite_version,
    runtime: identity.runtime,
    spec_version: identity.spec_version,
    capabilities: identity.capabilities,
    ...(identity.fault_points === undefined ? {} : { fault_points: identity.fault_points }),
    durable_scope: identity.durable_scope,
    crash_evidence: 'kill9-process',
    command: [...facts.command],
    ...(facts.profile === 'full' ? {} : { profile: facts.profile }),
    ...(facts.asked === undefined ? {} : { asked: [...facts.asked] }),
    ...(facts.scale === 1 ? {} : { scale: facts.scale }),
    seed: run.seed,
    runs: run.runs,
    jobs: facts.jobs,
    started_at: facts.started_at,
    elapsed_ms: run.elapsed_ms,
    interrupted: run.interrupted,
    exit_code: run.exit as ComplianceReport['exit_code'],
    cases: run.outcomes.reduce((count, outcome) => count + outcome.cases, 0),
    kills: run.outcomes.reduce((count, outcome) => count + outcome.kills, 0),
    refused: run.outcomes.reduce((count, outcome) => count + outcome.refused, 0),
    missing: run.missing.map(missing => ({ ...missing })),
    requirements: run.verdicts.map(({ requirement, verdict, tally, properties }) =>
      toRequirement(requirement, verdict, tally, properties),
    ),
    properties: run.outcomes.map(toProperty),
    failures: run.outcomes.flatMap(outcome => outcome.counterexamples.map(toFailure)),
  };
}

/** Gives the place of a counterexample's replay file, relative to the report. */
export function replayPath(counterexample: Counterexample): string {
  return `replays/${counterexample.requirement}-${counterexample.property.replaceAll('/', '-')}.json`;
}

/** Gives why a verdict is not PASS or FAIL, in a word or a text. */
export function reasonOf(verdict: Verdict): string | undefined {
  if ('reason' in verdict) return verdict.reason;
  return 'capability' in verdict ? verdict.capability : undefined;
}

function toRequirement(
  requirement: string,
  verdict: Verdict,
  tally: Tally,
  properties: readonly string[],
): ComplianceRequirement {
  const reason = reasonOf(verdict);
  return {
    requirement,
    verdict: verdict.verdict,
    ...(reason === undefined ? {} : { reason }),
    ...tally,
    properties: [...properties],
  };
}

function toProperty(outcome: Outcome): ComplianceProperty {
  const { definition } = outcome;
  return {
    property: definition.id,
    title: definition.title,
    family: definition.family,
    kind: definition.kind,
    control: definition.control,
    twin: definition.twin,
    cases: outcome.cases,
    kills: outcome.kills,
    refused: outcome.refused,
    elapsed_ms: outcome.elapsed_ms,
    requirements: outcome.contributions.map(({ requirement, verdict, tally }) =>
      toRequirement(requirement, verdict, tally, [definition.id]),
    ),
    notes: [...outcome.notes],
  };
}

function toFailure(counterexample: Counterexample): ComplianceFailure {
  const { failure } = counterexample;
  return {
    requirement: counterexample.requirement,
    property: counterexample.property,
    role: counterexample.role,
    message: failure.message,
    ...(failure.expected === undefined ? {} : { expected: failure.expected }),
    ...(failure.observed === undefined ? {} : { observed: failure.observed }),
    ...(failure.node_id === undefined ? {} : { node_id: failure.node_id }),
    seed: counterexample.seed,
    ...(counterexample.path === undefined ? {} : { path: counterexample.path }),
    shrinks: counterexample.shrinks,
    reproduced: counterexample.reproduced,
    replay: replayPath(counterexample),
  };
}
