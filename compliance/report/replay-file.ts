import { readFileSync } from 'node:fs';
import { SuiteError } from '../error.js';
import type { Seen } from '../runner/diff.js';
import type { Counterexample, Role } from '../runner/property.js';
import type { Failure } from '../runner/verdict.js';
import { systemReason } from '../system-reason.js';

/** One failing case with all that is needed to run it again. */
export interface Replay {
  readonly replay: '1.0';
  readonly suite_version: string;
  readonly property: string;
  readonly requirement: string;
  readonly role: Role;
  readonly seed: number;
  readonly path?: string;
  readonly case: unknown;
  readonly failure: Failure;
  /** What was seen when it failed. */
  readonly evidence?: unknown;
  /** What started the adapter. */
  readonly command: readonly string[];
}

/** Gives the replay of a counterexample. */
export function toReplay(
  counterexample: Counterexample,
  facts: { readonly suite_version: string; readonly command: readonly string[] },
): Replay {
  return {
    replay: '1.0',
    suite_version: facts.suite_version,
    property: counterexample.property,
    requirement: counterexample.requirement,
    role: counterexample.role,
    seed: counterexample.seed,
    ...(counterexample.path === undefined ? {} : { path: counterexample.path }),
    case: counterexample.case,
    failure: counterexample.failure,
    ...(counterexample.evidence === undefined ? {} : { evidence: counterexample.evidence }),
    command: [...facts.command],
  };
}

/** A case at which two runtimes part, with all that is needed to run it again. */
export interface Difference {
  readonly replay: '1.0';
  readonly suite_version: string;
  /** The name of the kind of case. */
  readonly comparison: string;
  readonly seed: number;
  readonly case: unknown;
  readonly a: Side;
  readonly b: Side;
}

/** One of the two runtimes that part. */
interface Side {
  /** What started its adapter. */
  readonly command: readonly string[];
  /** What was seen of the case when they parted. */
  readonly seen: Seen;
}

/** Gives the place of a difference's file, relative to the folder of `--out`: one for each kind of case. */
export function differencePath(kind: string): string {
  return `replays/diff-${kind.replaceAll(' ', '-')}.json`;
}

/** Gives the replay of a failure that a file holds; throws `usage` where it cannot be read or is something else. */
export function readReplay(path: string): Replay {
  const value = readKept(path);
  if ('comparison' in value) throw new SuiteError('usage', `'${path}' is of two runtimes, not of one that failed`);
  return value;
}

/** Gives what a file holds that can be run again; throws `usage` where it cannot be read or is something else. */
export function readKept(path: string): Replay | Difference {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SuiteError('usage', `cannot read the replay '${path}': ${systemReason(error)}`, { cause: error });
  }
  if (isReplay(value) || isDifference(value)) return value;
  throw new SuiteError(
    'usage',
    `'${path}' is no replay file: it needs replay "1.0", property, role, case and command, or comparison, case, a and b`,
  );
}

function isReplay(value: unknown): value is Replay {
  if (value === null || typeof value !== 'object') return false;
  const { replay, property, requirement, role, seed, command } = value as Partial<Record<keyof Replay, unknown>>;
  return (
    replay === '1.0' &&
    typeof property === 'string' &&
    typeof requirement === 'string' &&
    typeof seed === 'number' &&
    (role === 'control' || role === 'twin' || role === 'generated') &&
    'case' in value &&
    isCommand(command)
  );
}

function isDifference(value: unknown): value is Difference {
  if (value === null || typeof value !== 'object') return false;
  const { replay, comparison, a, b } = value as { [key in keyof Difference]?: unknown };
  const isSide = (side: unknown) =>
    side !== null && typeof side === 'object' && isCommand((side as { command?: unknown }).command);
  return replay === '1.0' && typeof comparison === 'string' && 'case' in value && isSide(a) && isSide(b);
}

function isCommand(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(word => typeof word === 'string');
}
