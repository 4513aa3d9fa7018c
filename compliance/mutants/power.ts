import { join } from 'node:path';
import { SuiteError } from '../error.js';
import type { AdapterCommand } from '../harness/process.js';
import { packageRoot } from '../runner/package.js';
import type { Property } from '../runner/property.js';
import { type Run, runSuite } from '../runner/run.js';
import { EXIT, type InconclusiveReason } from '../runner/verdict.js';
import type { Connect } from '../runner/worker.js';
import type { Mutant } from './mutant.js';
import { planted } from './planted.js';

/** A runtime that the suite must not let through. */
export interface Suspect {
  readonly id: string;
  readonly why: string;
  /** Makes it ready to be started. */
  ready(): { readonly command: AdapterCommand; remove(): void };
  /** What has to turn red; absent for a null adapter, of which nothing may be green. */
  readonly requirement?: string;
}

/** What became of a suspect: `misblamed` means that something else turned red than what it breaks. */
export type Fate = 'killed' | 'misblamed' | 'survived';

/** One line of the kill matrix. */
export interface Conviction {
  readonly suspect: Suspect;
  readonly fate: Fate;
  /** The requirements that turned red. */
  readonly red: readonly string[];
  /** How many requirements were green. */
  readonly green: number;
  readonly exit: number;
  readonly elapsed_ms: number;
  /** Whether not everything was run, so that more may be red than is told. */
  readonly cut: boolean;
  /** Why the run broke off, or said nothing about what the suspect breaks, where that was so. */
  readonly note?: string;
}

/** How the suspects are run. */
export interface PowerOptions {
  readonly suspects: readonly Suspect[];
  readonly properties: readonly Property[];
  readonly connect: (command: AdapterCommand) => Connect;
  readonly seed: number;
  readonly runs: number;
  /** Suspects at one time. */
  readonly jobs: number;
  /** Whether a suspect is run to the end, so that all that it breaks is told; else until it is convicted. */
  readonly full: boolean;
  /** How long one suspect may take, in milliseconds: a runtime that hangs often takes for ever. */
  readonly budget_ms: number;
  readonly signal?: AbortSignal;
  readonly onConviction?: (conviction: Conviction) => void;
}

/** Gives the kill matrix, in the order of the suspects. */
export async function power(options: PowerOptions): Promise<readonly Conviction[]> {
  const convictions = new Array<Conviction>(options.suspects.length);
  const failed = new AbortController();
  const signal = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < options.suspects.length; index = next++) {
      if (signal.aborted) return;
      const conviction = await convict(options.suspects[index] as Suspect, { ...options, signal });
      if (failed.signal.aborted) return;
      convictions[index] = conviction;
      options.onConviction?.(conviction);
    }
  };
  const stopping = (error: unknown) => {
    failed.abort();
    throw error;
  };
  const working = Array.from({ length: Math.min(options.jobs, options.suspects.length) }, () => work().catch(stopping));
  for (const result of await Promise.allSettled(working)) if (result.status === 'rejected') throw result.reason;
  return convictions.filter(conviction => conviction !== undefined);
}

/** Why a run may say nothing about what a suspect breaks, although another one would. */
const BROKEN_OFF: readonly InconclusiveReason[] = ['timeout', 'stopped', 'adapter_exit'];

/** A suspect about whom a run says nothing, as on a machine that was busy for a moment, is run once more. */
async function convict(suspect: Suspect, options: PowerOptions): Promise<Conviction> {
  const started = performance.now();
  const { command, remove } = suspect.ready();
  try {
    const first = await convictStarted(suspect, command, started, options);
    if (!first.open || options.signal?.aborted === true) return first.conviction;
    return (await convictStarted(suspect, command, started, options)).conviction;
  } finally {
    remove();
  }
}

async function convictStarted(
  suspect: Suspect,
  command: AdapterCommand,
  started: number,
  options: PowerOptions,
): Promise<{ readonly conviction: Conviction; readonly open: boolean }> {
  const elapsed = () => Math.round(performance.now() - started);
  const budget = AbortSignal.timeout(options.budget_ms);
  let run: Run;
  try {
    run = await runSuite({
      connect: options.connect(command),
      properties: accusersFirst(options.properties, suspect.requirement),
      seed: options.seed,
      runs: options.runs,
      jobs: 1,
      shrink_ms: 0,
      max_bad: 1,
      enough: ({ contributions }) =>
        !options.full && contributions.some(c => c.requirement === suspect.requirement && c.verdict.verdict === 'FAIL'),
      signal: options.signal === undefined ? budget : AbortSignal.any([options.signal, budget]),
    });
  } catch (error) {
    if (!(error instanceof SuiteError) || (error.code !== 'adapter_start' && error.code !== 'protocol')) throw error;
    // A mutant that does not even start shows nothing; of a null adapter nothing was green.
    const fate = suspect.requirement === undefined ? 'killed' : 'survived';
    const note = error.message;
    const seen = { red: [], green: 0, exit: EXIT.adapter, elapsed_ms: elapsed(), cut: false };
    return { conviction: { suspect, fate, ...seen, note }, open: fate === 'survived' };
  }
  const ids = (word: string) => run.verdicts.filter(({ verdict }) => verdict.verdict === word);
  const red = ids('FAIL').map(({ requirement }) => requirement);
  const green = ids('PASS').length;
  const fate = fateOf(suspect, red, green);
  const cut = run.outcomes.length < options.properties.length || run.interrupted;
  const conviction = { suspect, fate, red, green, exit: run.exit, elapsed_ms: elapsed(), cut };
  if (fate === 'killed') return { conviction, open: false };
  const said = run.verdicts.find(({ requirement }) => requirement === suspect.requirement)?.verdict;
  if (said?.verdict !== 'INCONCLUSIVE') return { conviction, open: false };
  const note = `${suspect.requirement} is inconclusive: ${said.reason}`;
  return { conviction: { ...conviction, note }, open: BROKEN_OFF.includes(said.reason) };
}

/**
 * The properties that judge a requirement before all others: of those the ones that kill nothing first, as they are quick,
 * and then the ones that are about the fewest requirements, as they look at this one hardest.
 */
function accusersFirst(properties: readonly Property[], requirement: string | undefined): readonly Property[] {
  if (requirement === undefined) return properties;
  const accuses = (property: Property) => property.requirements.includes(requirement);
  const accusers = properties
    .filter(accuses)
    .sort(
      (a, b) => Number(a.kind === 'kill') - Number(b.kind === 'kill') || a.requirements.length - b.requirements.length,
    );
  return [...accusers, ...properties.filter(property => !accuses(property))];
}

function fateOf(suspect: Suspect, red: readonly string[], green: number): Fate {
  if (suspect.requirement === undefined) return green === 0 ? 'killed' : 'survived';
  if (red.includes(suspect.requirement)) return 'killed';
  return red.length > 0 ? 'misblamed' : 'survived';
}

/** Gives the folder of the compiled code in the package. */
function compiledCode(root: string = packageRoot()): string {
  return join(root, 'dist');
}

/** Gives the suspect that a mutant is: a copy of the compiled reference runtime with the fault in it. */
export function mutantSuspect(mutant: Mutant, code: string = compiledCode()): Suspect {
  const { id, why, requirement } = mutant;
  return {
    id,
    why,
    requirement,
    ready() {
      const { adapter, remove } = planted(mutant, code);
      return { command: { command: process.execPath, args: [adapter] }, remove };
    },
  };
}

/** The adapters that do nothing right, in mutants/null. */
const NULL_ADAPTERS = {
  'answers-nothing': 'reads and stays silent',
  'always-ok': 'answers everything with success',
  'always-refuses': 'answers everything with an error',
  echo: 'sends back what it gets',
} as const;

/** Gives the null adapters as suspects: whatever they do, nothing may be green. */
export function nullSuspects(code: string = compiledCode()): readonly Suspect[] {
  return Object.entries(NULL_ADAPTERS).map(([id, why]) => ({
    id: `null/${id}`,
    why,
    ready: () => ({
      command: { command: process.execPath, args: [join(code, 'compliance', 'mutants', 'null', `${id}.js`)] },
      remove() {},
    }),
  }));
}
