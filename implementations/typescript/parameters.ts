import { isValid, nearest, validate } from '../../schemas/index.js';
import type { SchemaTypes, Workflow } from '../../schemas/types.js';
import type { RecordQuery } from './audit/log.js';
import type { ReconstructionOptions } from './audit/reconstruction.js';
import { ArsError } from './error.js';
import type { EventQuery } from './events.js';
import { canonicalize } from './state/canonical.js';

/** A copy of the parameters, without members that are undefined. Throws `invalid_document` where they miss their schema. */
export function checked<Name extends keyof SchemaTypes>(name: Name, params: unknown): SchemaTypes[Name] {
  const value = copy(withoutUndefined(params ?? {}));
  const defect = validate(name, value)[0];
  if (defect === undefined) return value as SchemaTypes[Name];
  const { message, pointer } = defect;
  throw new ArsError('invalid_document', message, { details: { pointer } });
}

function withoutUndefined(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params;
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** A member that a method takes: what it has to be, in words, and whether a value is that. */
type Form = readonly [words: string, fits: (value: unknown) => boolean];

const NAME: Form = ['a string that is not empty', value => typeof value === 'string' && value !== ''];
const INSTANT: Form = [
  'a time in UTC with milliseconds, as 2026-03-01T12:00:00.000Z, which toISOString() of a Date writes',
  value => isValid('value#timestamp', value),
];
const FLAG: Form = ['true or false', value => typeof value === 'boolean'];
const COUNT: Form = ['a whole number from 0', value => Number.isSafeInteger(value) && (value as number) >= 0];
const OBJECT: Form = ['an object', isObject];

const QUERY: Readonly<Record<keyof RecordQuery, Form>> = {
  execution_id: NAME,
  context_id: NAME,
  parent_execution_id: NAME,
  from: INSTANT,
  until: INSTANT,
  status: ['a status of a record', value => isValid('audit-record#status', value)],
  record_type: ['a type of record', value => isValid('audit-record#record_type', value)],
  latest: FLAG,
  incomplete: FLAG,
  after: COUNT,
  limit: COUNT,
};
const EVENTS: Readonly<Record<keyof EventQuery, Form>> = {
  execution_id: NAME,
  context_id: NAME,
  parent_execution_id: NAME,
  from: INSTANT,
  status: QUERY.status,
  record_type: QUERY.record_type,
  after: COUNT,
  signal: ['an AbortSignal', value => value instanceof AbortSignal],
};
const RECONSTRUCTION: Readonly<Record<keyof ReconstructionOptions, Form>> = {
  sequence: COUNT,
  snapshot: ['a snapshot', isObject],
};
const RECOVERY: Readonly<Record<'dry_run' | 'by', Form>> = { dry_run: FLAG, by: NAME };
const RISK: Readonly<Record<'workflow' | 'inputs', Form>> = { workflow: OBJECT, inputs: OBJECT };
const FORMS = {
  'query of records': QUERY,
  'query of events': EVENTS,
  reconstruction: RECONSTRUCTION,
  recovery: RECOVERY,
  'question of risk': RISK,
} as const;

/** Throws `invalid_document` where what is given has a member that is none, or one of another form. */
export function checkMembers(of: keyof typeof FORMS, given: unknown): void {
  if (given === undefined) return;
  if (!isObject(given)) throw new ArsError('invalid_document', `A ${of} must be an object, not ${shown(given)}.`);
  const forms: Readonly<Record<string, Form>> = FORMS[of];
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined) {
      const meant = nearest(name, Object.keys(forms));
      const hint = meant === undefined ? `it has ${Object.keys(forms).join(', ')}.` : `did you mean "${meant}"?`;
      throw new ArsError('invalid_document', `"${name}" is not a property of a ${of}; ${hint}`);
    }
    const [words, fits] = form;
    if (value !== undefined && !fits(value))
      throw new ArsError('invalid_document', `"${name}" of a ${of} must be ${words}, not ${shown(value)}.`);
  }
}

/** Throws `invalid_document` where something else is given for a list of keys. */
export function checkKeys(keys: unknown): void {
  if (keys === undefined || (Array.isArray(keys) && keys.every(key => typeof key === 'string'))) return;
  throw new ArsError('invalid_document', `The keys of State come as a list of strings, not as ${shown(keys)}.`);
}

/** Throws `invalid_document` where an argument that is a name is missing, empty or no string. */
export function checkNames(given: Readonly<Record<string, unknown>>): void {
  const [words, fits] = NAME;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) throw new ArsError('invalid_document', `The call needs "${name}".`);
    if (!fits(value)) throw new ArsError('invalid_document', `"${name}" must be ${words}, not ${shown(value)}.`);
  }
}

/** Throws `invalid_document` where something else is given for a whole number from 0, such as a sequence. */
export function checkCount(name: string, value: unknown): void {
  const [words, fits] = COUNT;
  if (!fits(value)) throw new ArsError('invalid_document', `"${name}" must be ${words}, not ${shown(value)}.`);
}

/** Throws `invalid_document` where a wait is given something else than the execution_id of what it is for, and how long. */
export function checkWait(execution_id: unknown, budget_ms: unknown): void {
  checkNames({ execution_id });
  if (typeof budget_ms !== 'number' || Number.isNaN(budget_ms))
    throw new ArsError('invalid_document', `A wait takes a number of milliseconds, not ${shown(budget_ms)}.`);
}

/** Throws `invalid_document` where something is given for a function that is none. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function')
    throw new ArsError('invalid_document', `"${name}" must be a function, not ${shown(value)}.`);
}

/** Throws `invalid_document` where something is given for a workflow that is not even an object. */
export function checkIsDocument(workflow: unknown): void {
  if (typeof workflow === 'object' && workflow !== null) return;
  const hint = typeof workflow === 'string' ? '; readWorkflow(FILE) gives the one in a file' : '';
  throw new ArsError('invalid_document', `A workflow must be an object, not ${shown(workflow)}${hint}.`);
}

/** A workflow that fits its schema. Throws `invalid_document`. */
export function checkedWorkflow(workflow: unknown): Workflow {
  checkIsDocument(workflow);
  const defect = validate('workflow', workflow)[0];
  if (defect === undefined) return workflow as Workflow;
  const { message, pointer } = defect;
  throw new ArsError('invalid_document', `The workflow does not fit its schema: ${message} (at "${pointer}").`, {
    details: { pointer },
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was given, in a word or two. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}…` : value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The value as its canonical form says it, so that nothing its owner changes later reaches an instance. */
export function copy<T>(value: T): T {
  return JSON.parse(canonicalOf(value)) as T;
}

/** The canonical form of a value that somebody gave. Throws `not_canonical`. */
export function canonicalOf(value: unknown): string {
  try {
    return canonicalize(value);
  } catch (cause) {
    if (cause instanceof ArsError) throw cause;
    throw new ArsError('not_canonical', 'The value cannot be read: looking at it throws.', { cause });
  }
}
