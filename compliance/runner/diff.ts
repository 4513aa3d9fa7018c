import * as fc from 'fast-check';
import type { Capability, InitializeResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { sameJson } from '../model/json.js';
import type { AnyComparison } from './comparison.js';
import { noMoreCases } from './shrink.js';
import { propertySeed } from './survey.js';
import type { Worker } from './worker.js';

/** Which two runtimes are compared, and over what. */
export interface DiffOptions {
  readonly a: Worker;
  readonly b: Worker;
  /** The kinds of cases, of which those are drawn that both runtimes claim. */
  readonly comparisons: readonly AnyComparison[];
  readonly seed: number;
  readonly runs: number;
  /** How long the first disagreement may be made smaller, in milliseconds. */
  readonly shrink_ms: number;
  readonly signal: AbortSignal;
  /** Told after every case. */
  readonly onCase?: () => void;
}

/** A case at which two runtimes part, with what was seen of each. */
export interface Disagreement {
  /** The name of its kind. */
  readonly kind: string;
  readonly case: unknown;
  readonly a: Seen;
  readonly b: Seen;
  /** How often the case was made smaller. */
  readonly shrinks: number;
}

/** What was seen of one runtime and what the case decides of it, or how it broke off. */
export type Seen = { readonly evidence: unknown; readonly decisions: unknown } | { readonly error: string };

/** What came of a comparison. */
export interface DiffResult {
  /** For each kind of case that both claim, how many both ran. */
  readonly compared: Readonly<Record<string, number>>;
  /** Cases that one of them refused as unsupported or did not end. */
  readonly passed_over: number;
  readonly disagreement?: Disagreement;
}

/** One drawn case and its kind. */
interface Drawn {
  readonly kind: AnyComparison;
  readonly value: unknown;
}

/**
 * Runs the same generated cases by two runtimes, side by side, until they disagree about anything that a case decides, and
 * makes that case small. The same seed gives the same cases to runtimes that claim the same.
 */
export async function diff(options: DiffOptions): Promise<DiffResult> {
  const shared = sharedBy(await options.a.open(), await options.b.open());
  const kinds = options.comparisons.filter(({ capabilities }) => capabilities.every(one => shared.has(one)));
  const compared = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  let [passed_over, shrinks, steps] = [0, 0, 0];
  let smallest: Disagreement | undefined;
  let deadline = Number.POSITIVE_INFINITY;
  await fc.check(
    fc.asyncProperty(drawn(kinds), async one => {
      if (options.signal.aborted || performance.now() > deadline || steps > MOST_STEPS) throw noMoreCases();
      const [a, b] = await Promise.all([see(options.a, one, shared), see(options.b, one, shared)]);
      options.onCase?.();
      const found = smallest !== undefined;
      if (found) steps += 1;
      if (isOpen(a) || isOpen(b)) {
        if (!found) passed_over += 1;
        return true;
      }
      if (!found) compared[one.kind.name] = (compared[one.kind.name] ?? 0) + 1;
      if (agree(a, b)) return true;
      if (found) shrinks += 1;
      else deadline = performance.now() + options.shrink_ms;
      smallest = { kind: one.kind.name, case: one.value, a, b, shrinks };
      return false;
    }),
    { seed: propertySeed(options.seed, 'diff'), numRuns: options.runs },
  );
  return { compared, passed_over, ...(smallest === undefined ? {} : { disagreement: { ...smallest, shrinks } }) };
}

/** What came of one case that was run again: `open` where one of the two refused it as unsupported or did not end. */
export interface Compared {
  readonly word: 'agree' | 'disagree' | 'open';
  readonly a: Seen;
  readonly b: Seen;
}

/** Runs one case of a kind by two runtimes, side by side; throws `usage` for a kind that is none or is not claimed by both. */
export async function compareCase(
  { a, b, comparisons }: Pick<DiffOptions, 'a' | 'b' | 'comparisons'>,
  name: string,
  value: unknown,
): Promise<Compared> {
  const shared = sharedBy(await a.open(), await b.open());
  const kind = comparisons.find(one => one.name === name);
  if (kind === undefined) {
    const names = comparisons.map(one => `'${one.name}'`).join(', ');
    throw new SuiteError('usage', `no cases are called '${name}'; there are: ${names}`);
  }
  const missing = kind.capabilities.filter(one => !shared.has(one));
  if (missing.length > 0) throw new SuiteError('usage', `not both runtimes claim ${missing.join(', ')}`);
  const [first, second] = await Promise.all([see(a, { kind, value }, shared), see(b, { kind, value }, shared)]);
  if (isOpen(first) || isOpen(second)) return { word: 'open', a: first, b: second };
  return { word: agree(first, second) ? 'agree' : 'disagree', a: first, b: second };
}

/** The most cases that are run to make a disagreement smaller. */
const MOST_STEPS = 200;

function sharedBy(a: InitializeResult, b: InitializeResult): ReadonlySet<Capability> {
  return new Set(a.capabilities.filter(one => b.capabilities.includes(one)));
}

function drawn(kinds: readonly AnyComparison[]): fc.Arbitrary<Drawn> {
  const weighed = kinds.map(kind => ({
    weight: kind.weight,
    arbitrary: kind.cases.map((value): Drawn => ({ kind, value })),
  }));
  const [only] = weighed;
  return only !== undefined && weighed.length === 1 ? only.arbitrary : fc.oneof(...weighed);
}

/** What runs out of time, as on a machine that is busy for a moment, is run once more. */
async function see(worker: Worker, one: Drawn, shared: ReadonlySet<Capability>, again = true): Promise<Seen> {
  const { kind, value } = one;
  try {
    const evidence = await kind.see(worker, value);
    return { evidence, decisions: kind.decisions(value, evidence, shared) };
  } catch (error) {
    if (!(error instanceof SuiteError) || error.code === 'suite_bug') throw error;
    if (again && (error.code === 'timeout' || error.code === 'adapter_start')) return see(worker, one, shared, false);
    return { error: `${error.code}: ${error.message}` };
  }
}

function isOpen(seen: Seen): boolean {
  return 'evidence' in seen && seen.decisions === undefined;
}

function agree(a: Seen, b: Seen): boolean {
  if ('error' in a || 'error' in b) return 'error' in a && 'error' in b;
  return sameJson(a.decisions, b.decisions);
}
