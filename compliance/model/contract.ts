import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { linearPattern } from '../../schemas/pattern/index.js';
import type { Action, ErrorClass, Node, RetryPolicy } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { compareVersionTexts, satisfiesRange } from './range.js';

/** The retries that an error class gets where no policy says less (Ch5). */
export const CLASS_RETRIES: Readonly<Record<ErrorClass, number>> = { E0: 1, E1: 3, E2: 0, E3: 0, E4: 0, E5: 0 };

/** The most retries that a determinism allows (Ch5). */
export const DETERMINISM_BOUND: Readonly<Record<Action['determinism'], number>> = {
  deterministic: 3,
  conditionally_deterministic: 2,
  non_deterministic: 0,
};

/** How many retries an error of a class may have had before it, for a node with this action. */
export function retryLimit(errorClass: ErrorClass, action: Action, node: Node): number {
  const policy = node.type === 'action' ? (node.retry_policy?.max_retries ?? Number.POSITIVE_INFINITY) : 0;
  return Math.min(CLASS_RETRIES[errorClass], policy, DETERMINISM_BOUND[action.determinism]);
}

/** The wait in milliseconds before the k-th retry of a node, from 1 (Ch5). */
export function waitBefore(k: number, policy: RetryPolicy = { max_retries: 0 }): number {
  const { backoff_ms = 0, backoff_factor = 1, max_backoff_ms = Number.POSITIVE_INFINITY } = policy;
  return Math.min(Math.floor(backoff_ms * backoff_factor ** (k - 1)), max_backoff_ms);
}

/** The definition that a name@range means: those in place come first, and of each source the highest match. */
export function resolveAction(reference: string, program: Program): Action | undefined {
  const split = reference.indexOf('@');
  const id = reference.slice(0, split);
  const range = reference.slice(split + 1);
  for (const source of [program.workflow.actions ?? [], program.registry?.actions ?? []]) {
    const named = source.filter(action => action.action_id === id && satisfiesRange(action.version, range));
    const highest = named.reduce<Action | undefined>(
      (best, action) => (best === undefined || compareVersionTexts(action.version, best.version) > 0 ? action : best),
      undefined,
    );
    if (highest !== undefined) return highest;
  }
  return undefined;
}

export function hasSideEffects(action: Action): boolean {
  return (action.side_effects ?? []).length > 0;
}

let compiler: Ajv2020 | undefined;
const compiled = new WeakMap<object, (value: unknown) => boolean>();

/** Whether outputs fit the schema of the action; any do where it has none. */
export function fitsSchema(schema: object | undefined, value: unknown): boolean {
  if (schema === undefined) return true;
  let validate = compiled.get(schema);
  if (validate === undefined) {
    compiler ??= newCompiler();
    const compiledSchema = compiler.compile(schema);
    validate = candidate => compiledSchema(candidate) === true;
    compiled.set(schema, validate);
  }
  return validate(value);
}

/** Loaded when it is first needed: most commands start quicker without it. Regular expressions take linear time. */
function newCompiler(): Ajv2020 {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const regExp = Object.assign((source: string) => linearPattern(source, 'u'), { code: 'linearPattern' });
  return new Ajv2020({ strict: false, code: { regExp } });
}
