import type { InitializeResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { METHODS, type RequestName } from '../wire/methods.js';
import type { Property, Result, Unserved } from './property.js';
import {
  type Contribution,
  EXIT,
  exitCode,
  type RequirementVerdict,
  requirementVerdicts,
  type Verdict,
} from './verdict.js';
import { type Connect, Worker } from './worker.js';

/** What to run, and how. */
export interface RunOptions {
  readonly connect: Connect;
  readonly properties: readonly Property[];
  /** Only these are judged; absent means all that the properties judge. */
  readonly requirements?: readonly string[];
  readonly seed: number;
  /** Generated cases for each property of weight 1. */
  readonly runs: number;
  /** Sessions at one time. */
  readonly jobs: number;
  readonly shrink_ms: number;
  /** After so many bad cases the rest of a property is not examined; absent means 4. */
  readonly max_bad?: number;
  /** Told of each outcome; true ends the run, and what has not begun is inconclusive. */
  readonly enough?: (outcome: Outcome) => boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Told of what happens as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** What a run tells while it goes on. */
export type RunEvent =
  | { readonly event: 'runtime'; readonly identity: InitializeResult }
  | { readonly event: 'property_started'; readonly property: string }
  | {
      readonly event: 'property_ended';
      readonly property: string;
      readonly cases: number;
      readonly kills: number;
      readonly elapsed_ms: number;
      readonly contributions: readonly Contribution[];
      /** The violated requirements. */
      readonly violated: readonly string[];
      readonly notes: readonly string[];
    };

/** How far a run is. */
export interface Progress {
  readonly properties: number;
  readonly done: number;
  readonly cases: number;
  readonly kills: number;
  readonly failed: number;
  /** The properties under way. */
  readonly current: readonly string[];
}

/** A property with what it found. */
export interface Outcome extends Result {
  readonly definition: Property;
  readonly elapsed_ms: number;
}

/** A finished run. */
export interface Run {
  readonly identity: InitializeResult;
  readonly seed: number;
  readonly runs: number;
  /** In the order in which the properties were given. */
  readonly outcomes: readonly Outcome[];
  readonly verdicts: readonly RequirementVerdict[];
  /** The methods of what the runtime claims that it does not serve. */
  readonly missing: readonly Unserved[];
  readonly elapsed_ms: number;
  readonly interrupted: boolean;
  readonly exit: number;
}

/**
 * Gives the verdicts of all properties against one runtime, running as many at one time as there are jobs.
 *
 * Every property draws from a seed of its own, so what it examines doesn't depend on the order. Rejects with
 * `adapter_start` or `protocol` where the runtime cannot be started.
 */
export async function runSuite(options: RunOptions): Promise<Run> {
  const started = performance.now();
  const failed = new AbortController();
  const signal = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
  const first = new Worker(options.connect, signal);
  try {
    return await runFrom(first, started, { ...options, signal }, () => failed.abort());
  } finally {
    await first.close();
  }
}

/**
 * The same, from a worker that the caller closes. Where one worker fails, `stopAll` ends what the others do, and what went
 * wrong first is told.
 */
async function runFrom(first: Worker, started: number, options: RunOptions, stopAll: () => void): Promise<Run> {
  const identity = await first.open();
  options.onEvent?.({ event: 'runtime', identity });
  const progress = new ProgressCount(options);
  const touched = await unservedBy(first, options);
  const outcomes = new Array<Outcome | undefined>(options.properties.length);
  let next = 0;
  const failures: unknown[] = [];
  const work = async (worker: Worker): Promise<void> => {
    try {
      for (let index = next++; index < options.properties.length; index = next++) {
        const property = options.properties[index] as Property;
        options.onEvent?.({ event: 'property_started', property: property.id });
        const outcome = await runProperty(property, worker, identity, options, progress);
        options.onEvent?.(endOf(outcome));
        outcomes[index] = outcome;
        if (options.enough?.(outcome) === true) next = options.properties.length;
      }
    } catch (error) {
      next = options.properties.length;
      failures.push(error);
      stopAll();
      throw error;
    } finally {
      await worker.close();
    }
  };
  const workers = [first];
  while (workers.length < Math.min(options.jobs, options.properties.length))
    workers.push(new Worker(options.connect, options.signal));
  const settled = await Promise.allSettled(workers.map(work));
  if (failures.length > 0) throw failures[0];
  for (const result of settled) if (result.status === 'rejected') throw result.reason;

  const done = withoutEchoes(outcomes.filter(outcome => outcome !== undefined));
  const verdicts = requirementVerdicts(done);
  const missing = allMissing(touched, done);
  const interrupted = options.signal?.aborted === true;
  return {
    identity,
    seed: options.seed,
    runs: options.runs,
    outcomes: done,
    verdicts,
    missing,
    elapsed_ms: Math.round(performance.now() - started),
    interrupted,
    exit: interrupted ? EXIT.interrupted : exitOf(verdicts, missing),
  };
}

function endOf({ property, cases, kills, elapsed_ms, contributions, counterexamples, notes }: Outcome): RunEvent {
  const violated = counterexamples.map(({ requirement }) => requirement);
  return { event: 'property_ended', property, cases, kills, elapsed_ms, contributions, violated, notes };
}

/** What a runtime claims and does not serve; a run that is cut short by its first find does not look. */
async function unservedBy(worker: Worker, options: RunOptions): Promise<readonly Unserved[]> {
  if (options.enough !== undefined || options.signal?.aborted === true) return [];
  try {
    return await worker.touch();
  } catch (error) {
    // Whatever keeps the runtime from being asked keeps it from being judged too, and is told there.
    if (error instanceof SuiteError && error.code !== 'suite_bug') return [];
    throw error;
  }
}

/** What was found missing when asked, and in the cases. */
function allMissing(touched: readonly Unserved[], outcomes: readonly Outcome[]): readonly Unserved[] {
  const known = new Set(touched.map(({ method }) => method));
  const met = new Set(outcomes.flatMap(({ unserved }) => unserved).filter(method => !known.has(method)));
  const more = [...met].map((method): Unserved => {
    const { capability } = METHODS[method as RequestName] ?? { capability: 'core' };
    return { method, capability, how: 'unsupported' };
  });
  return [...touched, ...more];
}

/** What is claimed has to be served: else the runtime does not conform, whatever could be judged. */
function exitOf(verdicts: readonly RequirementVerdict[], missing: readonly Unserved[]): number {
  const code = exitCode(verdicts.map(({ verdict }) => verdict));
  if (missing.length === 0 || code === EXIT.suite_bug || code === EXIT.nonconforming) return code;
  return missing.some(({ how }) => how === 'unsupported') ? EXIT.nonconforming : EXIT.adapter;
}

/** Of violations that properties met by the way, only those that no property found that is about them, each once. */
function withoutEchoes(outcomes: readonly Outcome[]): readonly Outcome[] {
  const own = (outcome: Outcome, requirement: string) => outcome.definition.requirements.includes(requirement);
  const told = new Set(
    outcomes.flatMap(outcome =>
      outcome.contributions.flatMap(({ requirement, verdict }) =>
        verdict.verdict === 'FAIL' && own(outcome, requirement) ? [requirement] : [],
      ),
    ),
  );
  return outcomes.map(outcome => {
    const kept = new Set(
      outcome.contributions
        .map(({ requirement }) => requirement)
        .filter(requirement => own(outcome, requirement) || !told.has(requirement)),
    );
    for (const requirement of kept) told.add(requirement);
    const keeps = ({ requirement }: { readonly requirement: string }) => kept.has(requirement);
    return {
      ...outcome,
      contributions: outcome.contributions.filter(keeps),
      counterexamples: outcome.counterexamples.filter(keeps),
    };
  });
}

async function runProperty(
  property: Property,
  worker: Worker,
  identity: InitializeResult,
  options: RunOptions,
  progress: ProgressCount,
): Promise<Outcome> {
  const missing = inapplicable(property, identity);
  if (missing !== undefined) return only(options.requirements, without(property, missing));
  if (options.signal?.aborted === true) {
    return only(options.requirements, without(property, { verdict: 'INCONCLUSIVE', reason: 'stopped' }));
  }
  const started = performance.now();
  progress.start(property.id);
  await worker.open();
  const result = await property.run({
    subject: worker,
    seed: options.seed,
    runs: options.runs,
    shrink_ms: options.shrink_ms,
    ...(options.max_bad === undefined ? {} : { max_bad: options.max_bad }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onCase: kills => progress.count(kills),
  });
  progress.end(property.id, result.counterexamples.length > 0);
  if (result.contributions.length === 0) throw new SuiteError('suite_bug', `${property.id} judges nothing`);
  return only(options.requirements, {
    ...result,
    definition: property,
    elapsed_ms: Math.round(performance.now() - started),
  });
}

function only(requirements: readonly string[] | undefined, outcome: Outcome): Outcome {
  if (requirements === undefined) return outcome;
  const others = outcome.contributions
    .filter(({ requirement, verdict }) => verdict.verdict === 'FAIL' && !requirements.includes(requirement))
    .map(({ requirement }) => requirement);
  return {
    ...outcome,
    notes:
      others.length === 0 ? outcome.notes : [...outcome.notes, `violated too, but not asked for: ${others.join(', ')}`],
    contributions: outcome.contributions.filter(({ requirement }) => requirements.includes(requirement)),
    counterexamples: outcome.counterexamples.filter(({ requirement }) => requirements.includes(requirement)),
  };
}

/** Gives why a property says nothing about a runtime, or undefined where it does. */
export function inapplicable(property: Property, identity: InitializeResult): Verdict | undefined {
  const capability = property.capabilities.find(wanted => !identity.capabilities.includes(wanted));
  if (capability !== undefined) return { verdict: 'NOT_APPLICABLE', capability };
  const point = property.points.find(wanted => !(identity.fault_points ?? []).includes(wanted));
  return point === undefined ? undefined : { verdict: 'NOT_APPLICABLE', capability: 'fault_point' };
}

function without(property: Property, verdict: Verdict): Outcome {
  const tally = { planned: 0, reached: 0, passed: 0 };
  return {
    property: property.id,
    definition: property,
    contributions: property.requirements.map(requirement => ({ requirement, tally, verdict })),
    counterexamples: [],
    cases: 0,
    kills: 0,
    refused: 0,
    unserved: [],
    notes: [],
    elapsed_ms: 0,
  };
}

class ProgressCount {
  readonly #options: RunOptions;
  readonly #current = new Set<string>();
  #done = 0;
  #cases = 0;
  #kills = 0;
  #failed = 0;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  start(id: string): void {
    this.#current.add(id);
    this.#tell();
  }

  count(kills: number): void {
    this.#cases += 1;
    this.#kills += kills;
    this.#tell();
  }

  end(id: string, failed: boolean): void {
    this.#current.delete(id);
    this.#done += 1;
    if (failed) this.#failed += 1;
    this.#tell();
  }

  #tell(): void {
    this.#options.onProgress?.({
      properties: this.#options.properties.length,
      done: this.#done,
      cases: this.#cases,
      kills: this.#kills,
      failed: this.#failed,
      current: [...this.#current],
    });
  }
}
