import * as fc from 'fast-check';
import { SuiteError } from '../error.js';
import { comparedPrograms } from '../generators/compared.js';
import { decided } from '../model/decided.js';
import { sameJson } from '../model/json.js';
import type { Observation, Program } from '../program.js';
import { propertySeed } from './survey.js';
import type { Worker } from './worker.js';

/** Which two runtimes are compared, and over what. */
export interface DiffOptions {
  readonly a: Worker;
  readonly b: Worker;
  readonly seed: number;
  readonly runs: number;
  /** How long the first disagreement may be made smaller, in milliseconds. */
  readonly shrink_ms: number;
  readonly signal: AbortSignal;
  /** Told after every program. */
  readonly onProgram?: () => void;
}

/** A program at which two runtimes part, with what was seen of each. */
export interface Disagreement {
  readonly program: Program;
  readonly a: Seen;
  readonly b: Seen;
  /** How often the program was made smaller. */
  readonly shrinks: number;
}

/** What was seen of one runtime, or how it broke off. */
export type Seen = { readonly observation: Observation } | { readonly error: string };

/** What came of a comparison. */
export interface DiffResult {
  /** Programs that both ran. */
  readonly compared: number;
  /** Programs that one of them refused as unsupported or did not end, or at which both stopped in doubt. */
  readonly passed_over: number;
  readonly disagreement?: Disagreement;
}

/**
 * Runs the same generated programs by two runtimes, side by side, until they disagree about anything that the program and
 * the results of its actions decide, and makes that program small. The same seed gives the same programs.
 */
export async function diff(options: DiffOptions): Promise<DiffResult> {
  let [compared, passed_over, shrinks, steps] = [0, 0, 0, 0];
  let smallest: Disagreement | undefined;
  let deadline = Number.POSITIVE_INFINITY;
  await fc.check(
    fc.asyncProperty(comparedPrograms, async program => {
      if (options.signal.aborted || performance.now() > deadline || steps > MOST_STEPS) return true;
      const [a, b] = await Promise.all([see(options.a, program), see(options.b, program)]);
      options.onProgram?.();
      const found = smallest !== undefined;
      if (found) steps += 1;
      if (incomparable(a) || incomparable(b) || (inDoubt(a) && inDoubt(b))) {
        if (!found) passed_over += 1;
        return true;
      }
      if (!found) compared += 1;
      if (agree(program, a, b)) return true;
      if (found) shrinks += 1;
      else deadline = performance.now() + options.shrink_ms;
      smallest = { program, a, b, shrinks };
      return false;
    }),
    { seed: propertySeed(options.seed, 'diff'), numRuns: options.runs },
  );
  return { compared, passed_over, ...(smallest === undefined ? {} : { disagreement: { ...smallest, shrinks } }) };
}

/** The most programs that are run to make a disagreement smaller. */
const MOST_STEPS = 200;

/** Which siblings had started when an instance stops in doubt is decided by time. */
function inDoubt(seen: Seen): boolean {
  return 'observation' in seen && seen.observation.wait?.status === 'in_doubt';
}

async function see(worker: Worker, program: Program): Promise<Seen> {
  try {
    return { observation: await worker.observe(program) };
  } catch (error) {
    if (error instanceof SuiteError && error.code !== 'suite_bug') return { error: `${error.code}: ${error.message}` };
    throw error;
  }
}

/** Whether a runtime says that it does not run such programs, or is still at it. */
function incomparable(seen: Seen): boolean {
  if ('error' in seen) return false;
  const { start, wait } = seen.observation;
  return 'error' in start ? start.error.kind === 'unsupported' : wait === undefined || wait.status === 'running';
}

function agree(program: Program, a: Seen, b: Seen): boolean {
  if ('error' in a || 'error' in b) return 'error' in a && 'error' in b;
  return sameJson(decisions(program, a.observation), decisions(program, b.observation));
}

/** Gives what two runtimes are compared by. */
export function decisions(program: Program, observation: Observation): unknown {
  return decided(observation, new Set(Object.keys(program.script.actions ?? {})));
}
