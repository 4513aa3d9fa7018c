import type { ErrorObject } from 'ajv';
import type { Cause, SchemaDefect } from './defects.js';
import { type JsonSchema, resolveSchema } from './load.js';
import { nearest } from './nearest.js';
import { alternatives, capital, noun, quoted, shown, typeWord } from './words.js';

type Part = Pick<SchemaDefect, 'message' | 'help'> & { readonly pointer?: string };

/** What each keyword's violation means to a reader. */
const EXPLANATIONS: Readonly<Record<string, (error: ErrorObject, cause: Cause) => Part>> = {
  additionalProperties: unknownProperty,
  required: missingProperty,
  discriminator: unknownKind,
  type: wrongType,
  enum: notOneOf,
  const: notOneOf,
  pattern: wrongForm,
  uniqueItems: repeatedItem,
  not: notAllowed,
  'false schema': forbidden,
  dependentRequired: missingCompanion,
  contains: lackingItem,
  minimum: outOfBounds,
  maximum: outOfBounds,
  minLength: outOfBounds,
  maxLength: outOfBounds,
  minItems: outOfBounds,
  maxItems: outOfBounds,
};

/** Gives the defect behind one cause. */
export function explain(cause: Cause): SchemaDefect {
  const { error, condition } = cause;
  const part = (EXPLANATIONS[error.keyword] ?? otherwise)(error, cause);
  const given = condition === undefined || condition.length === 0 ? '' : `With ${condition.join(' and ')}: `;
  return {
    pointer: part.pointer ?? error.instancePath,
    message: given === '' ? capital(part.message) : given + part.message,
    help: part.help,
    keyword: error.keyword === 'false schema' ? 'not' : error.keyword,
    params: error.params,
  };
}

/** Gives the last name of a pointer, unescaped, or undefined at the root. */
function lastStep(pointer: string): string | undefined {
  const step = pointer.slice(pointer.lastIndexOf('/') + 1);
  return pointer === '' ? undefined : step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function below(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** How a message calls the value that an error is about. */
function subject(error: ErrorObject): string {
  const step = lastStep(error.instancePath);
  if (step === undefined) return noun(error.parentSchema);
  if (!/^\d+$/.test(step)) return quoted(step);
  return `entry ${step} of ${quoted(lastStep(error.instancePath.slice(0, error.instancePath.lastIndexOf('/'))) ?? 'the list')}`;
}

function unknownProperty(error: ErrorObject, { meant }: Cause): Part {
  const name = error.params.additionalProperty as string;
  const known = Object.keys((error.parentSchema?.properties ?? {}) as object);
  const message = `${quoted(name)} is not a property of ${noun(error.parentSchema)}`;
  const pointer = below(error.instancePath, name);
  if (meant !== undefined) {
    return {
      pointer,
      message: `${message}; did you mean ${quoted(meant)}?`,
      help: `Rename ${quoted(name)} to ${quoted(meant)}.`,
    };
  }
  const owner = ownerOf(name, error.parentSchema);
  if (owner !== undefined)
    return {
      pointer,
      message: `${message}; it belongs in ${quoted(owner)}`,
      help: `Move it there: ${owner}: { ${name}: … }.`,
    };
  if (/\s/.test(name))
    return {
      pointer,
      message,
      help: `Put the text before it in quotes if it goes on here, or remove ${quoted(name)}.`,
    };
  if (known.length === 0) return { pointer, message, help: `Remove ${quoted(name)}; no property is allowed here.` };
  return { pointer, message, help: `Remove ${quoted(name)}, or use one of ${alternatives(known)}.` };
}

/** The one property of an object that has a property of this name itself. */
function ownerOf(name: string, parent: JsonSchema | undefined): string | undefined {
  const owners = Object.entries((parent?.properties ?? {}) as Record<string, JsonSchema>).filter(([, property]) => {
    const schema = typeof property.$ref === 'string' ? resolveSchema(property.$ref) : property;
    return Object.hasOwn((schema.properties ?? {}) as object, name);
  });
  return owners.length === 1 ? owners[0]?.[0] : undefined;
}

function missingProperty(error: ErrorObject, { condition }: Cause): Part {
  const name = error.params.missingProperty as string;
  const property = (error.parentSchema?.properties as Record<string, JsonSchema> | undefined)?.[name];
  const description = descriptionOf(property);
  const message =
    condition === undefined ? `${noun(error.parentSchema)} needs ${quoted(name)}` : `${quoted(name)} is missing`;
  const values = allowedValues(property);
  const choices = values === undefined || description === undefined ? '' : ` It is ${alternatives(values)}.`;
  return { message, help: `Add ${quoted(name)}${description === undefined ? '.' : `: ${description}`}${choices}` };
}

function unknownKind(error: ErrorObject): Part {
  const tag = error.params.tag as string;
  const value = error.params.tagValue as unknown;
  const branches = (error.parentSchema?.oneOf ?? []) as readonly JsonSchema[];
  const kinds = branches.map(branch => {
    const schema = typeof branch.$ref === 'string' ? resolveSchema(branch.$ref) : branch;
    return (schema.properties as Record<string, { const: string }>)[tag]?.const ?? '';
  });
  return { ...choice(quoted(tag), value, kinds), pointer: below(error.instancePath, tag) };
}

function notOneOf(error: ErrorObject): Part {
  const schema = error.parentSchema as { const?: unknown; enum?: readonly unknown[] } | undefined;
  return choice(subject(error), error.data, error.keyword === 'const' ? [schema?.const] : (schema?.enum ?? []));
}

/** What other languages of workflows call the types of nodes. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  action: ['task', 'step', 'activity', 'tool', 'call', 'job'],
  condition: ['choice', 'switch', 'if', 'if-else', 'branch', 'decision', 'gateway'],
  skill: ['workflow', 'subworkflow', 'subflow', 'sub-workflow', 'run'],
  error: ['catch', 'fail', 'raise'],
  terminal: ['end', 'stop', 'succeed', 'finish', 'exit'],
};

/** The type of a node that another language calls so, where the words are those types. */
function typeElsewhere(value: string, words: readonly string[]): string | undefined {
  if (Object.keys(ELSEWHERE).some(type => !words.includes(type))) return undefined;
  return words.find(word => ELSEWHERE[word]?.includes(value.toLowerCase()));
}

function choice(what: string, value: unknown, legal: readonly unknown[]): Part {
  const words = legal.filter(item => typeof item === 'string');
  const set = alternatives(legal);
  if (typeof value !== 'string') {
    const plain = typeof value === 'number' || typeof value === 'boolean';
    const text = plain ? words.find(word => word === String(value) || Number(word) === value) : undefined;
    return {
      message: `${what} must be ${set}, not ${shown(value)}`,
      help: text === undefined ? `Write ${set}.` : `Write it in quotes: ${JSON.stringify(text)}.`,
    };
  }
  const meant = nearest(value, words) ?? typeElsewhere(value, words);
  const suggestion = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
  return {
    message: `${what} must be ${set}, not ${quoted(value)}${suggestion}`,
    help: `Write ${meant === undefined ? set : quoted(meant)}.`,
  };
}

function wrongType(error: ErrorObject): Part {
  const types = [error.params.type as string | readonly string[]].flat();
  const value = error.data as unknown;
  const message = `${subject(error)} must be ${types.map(typeWord).join(' or ')}, not ${shown(value)}`;
  return { message, help: typeHelp(types, value, lastStep(error.instancePath), error.parentSchema) };
}

function typeHelp(
  types: readonly string[],
  value: unknown,
  name: string | undefined,
  schema: JsonSchema | undefined,
): string {
  const example = EXAMPLES[String(schema?.title)];
  const key = name === undefined || /^\d+$/.test(name) || !/^\w+$/.test(name) ? '' : `${name}: `;
  if (types.includes('string') && (typeof value === 'boolean' || typeof value === 'number')) {
    const fits = typeof schema?.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(String(value));
    return fits || example === undefined ? `Quote it: ${key}"${value}".` : `Write it like this: ${key}${example}`;
  }
  if (value === null && name !== undefined) return 'Give it a value, or leave the property out.';
  if (types.includes('array')) return 'Write a list: in YAML each entry starts with "- ", in JSON the list is in [ ].';
  if (
    (types.includes('integer') || types.includes('number')) &&
    typeof value === 'string' &&
    value.trim() !== '' &&
    Number.isFinite(Number(value))
  ) {
    return `Write it without quotes: ${key}${value.trim().slice(0, 30)}.`;
  }
  if (types.includes('object') && example !== undefined) return `Write an object here, for example ${example}.`;
  if (types.includes('boolean')) {
    const meant = typeof value === 'string' ? BOOLEAN_WORDS.get(value.toLowerCase()) : undefined;
    return `Write ${key}${meant ?? 'true or false'}.`;
  }
  return `Write ${types.map(typeWord).join(' or ')} here.`;
}

/** The words of older YAML, and texts, that mean a boolean. */
const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({ true: true, yes: true, on: true, y: true, false: false, no: false, off: false, n: false }),
);

/** A value of each form, for those whose form is easier shown than described. */
const EXAMPLES: Readonly<Record<string, string>> = {
  Digest: `sha256:${'0'.repeat(64)}`,
  ExecutionId: '0198c0de-7a11-7000-8000-000000000001',
  Identifier: 'fetch.order',
  Name: 'order_id',
  NodeId: 'fetch_order',
  Reference: 'fetch.order@^1.0.0',
  Timestamp: '2026-01-31T09:30:00.000Z',
  Version: '1.0.0',
  WorkflowHeader: '{ name: deploy, version: 1.0.0 }',
  WorkflowInput: '{ schema: { type: string } }',
};

function wrongForm(error: ErrorObject): Part {
  const name = error.propertyName;
  const title = typeof error.parentSchema?.title === 'string' ? error.parentSchema.title : '';
  const form = title === '' ? `a text like ${quoted(String(error.params.pattern))}` : noun(error.parentSchema);
  const example = EXAMPLES[title];
  const description = descriptionOf(error.parentSchema as JsonSchema | undefined);
  return {
    ...(name !== undefined && { pointer: below(error.instancePath, name) }),
    message:
      name === undefined
        ? `${subject(error)} must be ${form}, not ${shown(error.data)}`
        : `${quoted(name)} is not allowed as a name here`,
    help:
      [description, example === undefined ? undefined : `For example ${quotedWhole(example)}.`]
        .filter(text => text !== undefined)
        .join(' ') || `It has to match ${String(error.params.pattern)}.`,
  };
}

function quotedWhole(text: string): string {
  return JSON.stringify(text);
}

function outOfBounds(error: ErrorObject): Part {
  const limit = String(error.params.limit);
  const bound = error.keyword.startsWith('min') ? 'at least' : 'at most';
  const unit = error.keyword.endsWith('Length') ? ' characters' : error.keyword.endsWith('Items') ? ' entries' : '';
  if (error.data === '' && limit === '1') {
    return { message: `${subject(error)} must not be empty`, help: 'Give it a value.' };
  }
  const what = error.propertyName === undefined ? subject(error) : `the name ${quoted(error.propertyName)}`;
  const value = error.propertyName ?? (error.data as unknown);
  const verb = unit === '' ? 'must be' : 'must have';
  return {
    message: `${what} ${verb} ${bound} ${limit}${unit}, not ${amount(value)}`,
    help: `Keep it ${bound} ${limit}${unit}.`,
  };
}

function amount(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value === '' ? 'none' : String([...value].length);
  return Array.isArray(value) ? String(value.length) : shown(value);
}

function repeatedItem(error: ErrorObject): Part {
  const at = error.params.i as number;
  const first = error.params.j as number;
  const value = (error.data as readonly unknown[])[at];
  return {
    pointer: `${error.instancePath}/${at}`,
    message: `${shown(value)} is in ${subject(error)} twice, as entry ${first} and as entry ${at}`,
    help: 'Remove one of the two.',
  };
}

function lackingItem(error: ErrorObject): Part {
  const wanted = (error.schema as { const?: unknown } | undefined)?.const;
  if (wanted === undefined) return otherwise(error);
  return { message: `${subject(error)} must contain ${shown(wanted)}`, help: `Add ${shown(wanted)}.` };
}

function notAllowed(error: ErrorObject): Part {
  const required = (error.schema as { required?: readonly string[] } | undefined)?.required?.[0];
  if (required === undefined) return otherwise(error);
  return {
    pointer: below(error.instancePath, required),
    message: `${quoted(required)} must not be there`,
    help: `Remove ${quoted(required)}.`,
  };
}

function forbidden(error: ErrorObject): Part {
  return { message: `${subject(error)} must not be there`, help: `Remove ${subject(error)}.` };
}

function missingCompanion(error: ErrorObject): Part {
  const { property, missingProperty } = error.params as { readonly property: string; readonly missingProperty: string };
  return {
    message: `${quoted(missingProperty)} is missing, which goes with ${quoted(property)}`,
    help: `Add ${quoted(missingProperty)}, or remove ${quoted(property)}.`,
  };
}

function otherwise(error: ErrorObject): Part {
  const description = descriptionOf(error.parentSchema as JsonSchema | undefined);
  return {
    message: `${subject(error)} ${error.message ?? `violates ${error.keyword}`}, but it is ${shown(error.data)}`,
    help: description ?? 'Change it so that it fits the schema.',
  };
}

/** The description of a schema, or of the one that it refers to. */
function descriptionOf(schema: JsonSchema | undefined): string | undefined {
  if (typeof schema?.description === 'string') return schema.description;
  return typeof schema?.$ref === 'string' ? descriptionOf(resolveSchema(schema.$ref)) : undefined;
}

/** The values of a schema that lists them, or of the one that it refers to. */
function allowedValues(schema: JsonSchema | undefined): readonly unknown[] | undefined {
  if (Array.isArray(schema?.enum)) return schema.enum as readonly unknown[];
  return typeof schema?.$ref === 'string' ? allowedValues(resolveSchema(schema.$ref)) : undefined;
}
