import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Generated, ROOT } from './project.js';

const FOLDER = 'schemas/v1.0';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const COMMENT = 'Generated from schemas/v1.0 by `npm run generate`. Do not edit.';

/** What people write in an editor. */
const DOCUMENTS = ['workflow', 'registry', 'verifier-config'];

/** What an editor offers where any string may stand. */
const OFFERED: Readonly<Record<string, Record<string, Json[]>>> = {
  'workflow.schema.json#/$defs/edge': { label: ['success', 'failure', 'always', 'true', 'false', 'default'] },
};

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/**
 * Gives `schemas/editor`: for each kind of document that people write one schema that refers to nothing outside itself, so
 * that an editor needs one file.
 */
export function generateEditorSchemas(): Generated {
  const files = Object.fromEntries(
    DOCUMENTS.map(noun => [
      `schemas/editor/${noun}.schema.json`,
      `${JSON.stringify(bundle(`${noun}.schema.json`), null, 2)}\n`,
    ]),
  );
  return { files, problems: [] };
}

/** The schema of a file with every definition that it leads to, under names of one level. */
function bundle(file: string): JsonObject {
  const definitions = new Map<string, Json>();
  const open: string[] = [];
  const take = (reference: string, from: string): string => {
    const target = full(reference, from);
    const name = nameOf(target);
    if (target === `${file}#`) return '#';
    if (!definitions.has(name)) {
      definitions.set(name, null);
      open.push(target);
    }
    return `#/$defs/${name}`;
  };
  const root = withReferences(forEditors(`${file}#`), reference => take(reference, file)) as JsonObject;
  for (let target = open.pop(); target !== undefined; target = open.pop()) {
    const from = target.slice(0, target.indexOf('#'));
    definitions.set(
      nameOf(target),
      withReferences(forEditors(target), reference => take(reference, from)),
    );
  }
  const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  return { $schema: DIALECT, $comment: COMMENT, ...root, $defs: Object.fromEntries(sorted) };
}

/** A reference of a file, with the file that it leads to. */
function full(reference: string, from: string): string {
  const [path = '', fragment = ''] = reference.split('#');
  return `${path === '' ? from : posix.join(posix.dirname(from), path)}#${fragment}`;
}

/** The schema that a file and a fragment lead to, without the parts that are definitions of their own. */
function lookUp(target: string): Json {
  const [file = '', fragment = ''] = target.split('#');
  let found = JSON.parse(readFileSync(join(ROOT, FOLDER, file), 'utf8')) as Json;
  for (const step of fragment.split('/').slice(1)) found = (found as JsonObject)[step] ?? null;
  if (found === null) throw new Error(`"${target}" leads to nothing.`);
  if (fragment !== '' || typeof found !== 'object' || Array.isArray(found)) return found;
  const { $defs: _, ...document } = found;
  return document;
}

/** The same schema in a form in which a language service tells one defect once. */
function forEditors(target: string): Json {
  const schema = lookUp(target);
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema;
  if (schema.discriminator !== undefined) return byKind(schema, target.slice(0, target.indexOf('#')));
  return withConditionsOnWhatIsThere(withOffers(schema, OFFERED[target] ?? {}));
}

function withOffers(schema: JsonObject, offered: Record<string, Json[]>): JsonObject {
  const properties = { ...(schema.properties as Record<string, JsonObject> | undefined) };
  for (const [name, examples] of Object.entries(offered)) properties[name] = { ...properties[name], examples };
  return schema.properties === undefined ? schema : { ...schema, properties };
}

/**
 * The kinds of an object as conditions on the property that tells them apart: of a `oneOf` a language service shows what is
 * wrong with a value as any of the kinds, or as the one that it guesses. What all kinds require is judged beside them; each
 * kind demands only that it is there, and has the examples that are filled in.
 */
function byKind({ discriminator, oneOf, required, ...rest }: JsonObject, file: string): JsonObject {
  const property = (discriminator as JsonObject).propertyName as string;
  const kinds = (oneOf as JsonObject[]).map(({ $ref }) => lookUp(full($ref as string, file)) as Kind);
  const noun = String(rest.title).toLowerCase();
  const shared = (required as string[])
    .filter(name => name !== property)
    .map(name => ({ name, ...judgedAndOffered(kinds[0]?.properties[name] ?? {}, file) }));
  return {
    ...rest,
    required: [property],
    properties: {
      ...Object.fromEntries(shared.map(({ name, judged }) => [name, judged])),
      [property]: {
        description: `The kind of ${noun}. It decides which other properties the ${noun} has.`,
        enum: kinds.map(kind => wordOf(kind, property)),
      },
    },
    allOf: kinds.map(kind => {
      const { description, properties } = kind;
      const { type: _, ...form } = withConditionsOnWhatIsThere(kind);
      const left = shared.map(({ name, offered }) => [name, offered]);
      return conditional(
        { required: [property], properties: { [property]: { description, const: wordOf(kind, property) } } },
        { ...form, properties: { ...properties, ...Object.fromEntries(left) } },
      );
    }),
  };
}

function judgedAndOffered({ $ref, ...rest }: JsonObject, file: string): { judged: JsonObject; offered: JsonObject } {
  const { examples = [], ...form } = lookUp(full($ref as string, file)) as JsonObject;
  return { judged: { ...form, ...rest }, offered: { ...rest, examples } };
}

type Kind = JsonObject & { description: string; properties: Record<string, JsonObject> };

function wordOf(kind: Kind, property: string): Json {
  return kind.properties[property]?.const ?? null;
}

/** Conditions on a required property do not hold where it is absent: that it is missing is told already. */
function withConditionsOnWhatIsThere(schema: JsonObject): JsonObject {
  const { allOf, required } = schema as { allOf?: JsonObject[]; required?: string[] };
  if (allOf === undefined || required === undefined) return schema;
  const guarded = allOf.map(({ if: condition, then: consequence, ...part }) => {
    const { properties } = (condition ?? {}) as { properties?: JsonObject };
    const tested = Object.keys(properties ?? {}).filter(name => required.includes(name));
    return { ...part, ...conditional({ required: tested, ...(condition as JsonObject) }, consequence ?? true) };
  });
  return { ...schema, allOf: guarded };
}

function conditional(condition: JsonObject, consequence: Json): JsonObject {
  return Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ]);
}

/** `workflow.schema.json#/$defs/node` is `workflow.node`. */
function nameOf(target: string): string {
  const [file = '', fragment = ''] = target.split('#');
  const noun = file.replace(/\.schema\.json$/, '').replaceAll('/', '.');
  return fragment === '' ? noun : `${noun}.${fragment.split('/').slice(2).join('.')}`;
}

function withReferences(schema: Json, rename: (reference: string) => string): Json {
  if (schema === null || typeof schema !== 'object') return schema;
  if (Array.isArray(schema)) return schema.map(item => withReferences(item, rename));
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== '$schema' || typeof value !== 'string')
      .map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string' ? rename(value) : withReferences(value, rename),
      ]),
  );
}
