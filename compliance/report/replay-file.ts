import { readFileSync } from 'node:fs';
import { SuiteError } from '../error.js';
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

/** Gives the replay that a file holds; throws `usage` where it cannot be read or is something else. */
export function readReplay(path: string): Replay {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SuiteError('usage', `cannot read the replay '${path}': ${systemReason(error)}`, { cause: error });
  }
  if (!isReplay(value)) {
    throw new SuiteError(
      'usage',
      `'${path}' is no replay file: it needs replay "1.0", property, role, case and command`,
    );
  }
  return value;
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
    Array.isArray(command) &&
    command.every(word => typeof word === 'string')
  );
}
