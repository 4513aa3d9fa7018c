import type { ErrorObject } from 'ajv';
import { explain } from './explain.js';
import type { JsonSchema } from './load.js';
import { nearest } from './nearest.js';
import { shown } from './words.js';

/** One way in which a value does not fit its schema. */
export interface SchemaDefect {
  /** RFC 6901 pointer into the value: to the offending part, or to the object that lacks something. */
  readonly pointer: string;
  /** What is wrong, with the offending value in quotes and the legal set. */
  readonly message: string;
  /** What to do about it. */
  readonly help: string;
  /** The keyword of JSON Schema that is violated, or `more` for the count of defects left out. */
  readonly keyword: string;
  /** What the keyword was compared with, by names of its own, as `{ missingProperty }`; `{ left }` with `more`. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What an alternative of `anyOf` or `oneOf` says of a value: its errors, or null where it fits. */
export type CheckAlternative = (schema: JsonSchema, value: unknown) => readonly ErrorObject[] | null;

/** The most defects that are told one by one; the rest is counted. */
export const MAX_DEFECTS = 100;

/** Gives one defect for each cause behind the validator's errors, in the validator's order. */
export function defectsOf(errors: readonly ErrorObject[], check: CheckAlternative): SchemaDefect[] {
  const causes = withoutConsequences(expandAlternatives(errors, check));
  const told = causes.slice(0, MAX_DEFECTS).map(explain);
  const left = causes.length - told.length;
  if (left === 0) return told;
  const message = `At least ${left} more defects of form are not listed.`;
  return [
    ...told,
    { pointer: '', message, help: 'Mend those above and check again.', keyword: 'more', params: { left } },
  ];
}

/** An error, and the condition under which the violated part of the schema holds. */
export interface Cause {
  readonly error: ErrorObject;
  /** With an error below `then` or `else`: the properties and values that the condition names. */
  readonly condition?: readonly string[];
  /** With an unknown property: the property that was probably meant. */
  readonly meant?: string;
}

/** Replaces the errors of all alternatives of a value by those of the alternative that comes closest. */
function expandAlternatives(errors: readonly ErrorObject[], check: CheckAlternative): readonly ErrorObject[] {
  const groups = errors.filter(error => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  if (groups.length === 0) return errors;
  const replaced = new Map<string, readonly ErrorObject[]>();
  for (const group of groups) {
    if (!replaced.has(group.instancePath)) replaced.set(group.instancePath, closest(group, check));
  }
  const result: ErrorObject[] = [];
  const done = new Set<string>();
  for (const error of errors) {
    const path = ancestorIn(replaced, error.instancePath);
    if (path === undefined) result.push(error);
    else if (!done.has(path)) {
      done.add(path);
      for (const inner of expandAlternatives(replaced.get(path) ?? [], check)) {
        result.push({ ...inner, instancePath: path + inner.instancePath });
      }
    }
  }
  return result;
}

/** The outermost path of the map that is `path` or above it. */
function ancestorIn(paths: ReadonlyMap<string, unknown>, path: string): string | undefined {
  for (let end = 0; end !== -1; end = path.indexOf('/', end + 1)) {
    const candidate = path.slice(0, end);
    if (paths.has(candidate)) return candidate;
  }
  return paths.has(path) ? path : undefined;
}

/** How much a violated keyword says that another alternative was meant. */
const STRANGENESS: Readonly<Record<string, number>> = { type: 1000, additionalProperties: 4 };

function closest(group: ErrorObject, check: CheckAlternative): readonly ErrorObject[] {
  let best: { readonly errors: readonly ErrorObject[]; readonly score: number } | undefined;
  for (const schema of group.schema as readonly JsonSchema[]) {
    const errors = check(schema, group.data) ?? [];
    const score = errors.reduce(
      (sum, error) => sum + (error.instancePath === '' ? (STRANGENESS[error.keyword] ?? 1) : 0),
      0,
    );
    if (errors.length > 0 && (best === undefined || score < best.score)) best = { errors, score };
  }
  return best?.errors ?? [{ ...group, instancePath: '', keyword: 'not' }];
}

/** Leaves out what only follows from another error at the same place. */
function withoutConsequences(errors: readonly ErrorObject[]): readonly Cause[] {
  const conditions = conditionsOf(errors);
  const missing = new Map<string, string[]>();
  for (const error of errors) {
    if (error.keyword === 'required')
      entryOf<string[]>(missing, error.instancePath, () => []).push(error.params.missingProperty as string);
  }
  const renamed = new Map<string, Set<string>>();
  const forbidden = new Set<string>();
  const causes: Cause[] = [];
  for (const error of errors) {
    if (error.keyword === 'if' || error.keyword === 'propertyNames' || error.schemaPath.includes('/contains/'))
      continue;
    if (error.keyword === 'discriminator' && missing.get(error.instancePath)?.includes(error.params.tag as string))
      continue;
    const condition = conditions.get(conditionKey(error));
    if (condition?.undecided === true) continue;
    if (error.keyword === 'false schema') {
      if (forbidden.has(error.instancePath)) continue;
      forbidden.add(error.instancePath);
    }
    const meant = causes.length < MAX_DEFECTS ? meantProperty(error, missing) : undefined;
    if (meant !== undefined) entryOf(renamed, error.instancePath, () => new Set<string>()).add(meant);
    causes.push({ error, ...(condition && { condition: condition.words }), ...(meant !== undefined && { meant }) });
  }
  const narrowed = new Set(
    causes.filter(cause => cause.condition && isAboutValue(cause)).map(cause => cause.error.instancePath),
  );
  return causes.filter(cause => !isRenamed(cause.error, renamed) && !isBroader(cause, narrowed));
}

interface Condition {
  readonly words: readonly string[];
  /** Whether a property that the condition asks for is missing, so that it holds for no reason. */
  readonly undecided: boolean;
}

/** The conditions of all failed `if`s, by place and by the part of the schema that they guard. */
function conditionsOf(errors: readonly ErrorObject[]): ReadonlyMap<string, Condition> {
  const conditions = new Map<string, Condition>();
  for (const error of errors) {
    if (error.keyword !== 'if') continue;
    const parent = error.parentSchema as { if?: { properties?: Record<string, unknown> } } | undefined;
    const names = Object.keys(parent?.if?.properties ?? {});
    const data = error.data as Record<string, unknown>;
    conditions.set(`${error.instancePath} ${error.schemaPath.replace(/if$/, '')}`, {
      words: names.map(name => `${name} ${shown(data[name])}`),
      undecided: names.some(name => data[name] === undefined),
    });
  }
  return conditions;
}

const GUARDED = /^(.*?\/)(?:then|else)\/(properties\/)?/;

/** The place and the part of the schema whose condition guards the violated keyword. */
function conditionKey(error: ErrorObject): string {
  const guarded = GUARDED.exec(error.schemaPath);
  if (guarded === null) return '';
  const path = error.instancePath;
  return `${guarded[2] === undefined ? path : path.slice(0, path.lastIndexOf('/'))} ${guarded[1]}`;
}

function meantProperty(error: ErrorObject, missing: ReadonlyMap<string, readonly string[]>): string | undefined {
  if (error.keyword !== 'additionalProperties') return undefined;
  const name = error.params.additionalProperty as string;
  const data = error.data as Record<string, unknown>;
  const lacking = nearest(name, missing.get(error.instancePath) ?? []);
  if (lacking !== undefined) return lacking;
  const known = Object.keys((error.parentSchema?.properties ?? {}) as object);
  return nearest(
    name,
    known.filter(candidate => !Object.hasOwn(data, candidate)),
  );
}

/** Whether a required property is there under a name that is nearly right. */
function isRenamed(error: ErrorObject, renamed: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  return (
    error.keyword === 'required' &&
    renamed.get(error.instancePath)?.has(error.params.missingProperty as string) === true
  );
}

/** Whether the legal values are named more narrowly by an error of the same value that holds under a condition. */
function isBroader(cause: Cause, narrowed: ReadonlySet<string>): boolean {
  return cause.condition === undefined && isAboutValue(cause) && narrowed.has(cause.error.instancePath);
}

function isAboutValue({ error }: Cause): boolean {
  return error.keyword === 'enum' || error.keyword === 'const';
}

/** The entry of a map, made where it is missing. */
function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const fresh = make();
  map.set(key, fresh);
  return fresh;
}
