import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaTypes } from './types.js';

/** The name of a schema: its noun, and below `#` the entry of its $defs, as in `workflow` or `adapter/workflow#start_params`. */
export type SchemaName = keyof SchemaTypes;

/** A JSON Schema as it stands in its file, except that every reference is absolute. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const BASE = 'ars:/v1.0/';
const SUFFIX = '.schema.json';
const loaded = new Map<string, JsonSchema>();
let names: readonly string[] | undefined;

/** Gives the identifier under which a schema is known to the validator. */
export function schemaId(name: string): string {
  const [noun, entry] = name.split('#');
  return `${BASE}${noun}${SUFFIX}${entry === undefined ? '' : `#/$defs/${entry}`}`;
}

/**
 * Gives the schema of that name, parsed. Throws a RangeError where there is none.
 *
 * @example
 * ```ts
 * const { title, description } = loadSchema('workflow');
 * ```
 */
export function loadSchema(name: SchemaName): JsonSchema {
  return resolveSchema(schemaId(name));
}

/** Gives the schema that an absolute reference leads to. Throws a RangeError where there is none. */
export function resolveSchema(id: string): JsonSchema {
  const [file = '', fragment = ''] = id.split('#');
  let found: unknown = fileNames().includes(file.slice(BASE.length)) ? schemaFile(file) : undefined;
  for (const step of fragment.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[step];
  if (found === undefined) throw new RangeError(`There is no schema "${id}"; the files are in schemas/v1.0.`);
  return found as JsonSchema;
}

/** Gives every schema file by its identifier. */
export function schemaFiles(): ReadonlyMap<string, JsonSchema> {
  return new Map(fileNames().map(name => [BASE + name, schemaFile(BASE + name)]));
}

/** Gives the file of that identifier, read once. */
function schemaFile(id: string): JsonSchema {
  const known = loaded.get(id);
  if (known !== undefined) return known;
  const text = readFileSync(join(folderOf('v1.0'), id.slice(BASE.length)), 'utf8');
  const schema = { $id: id, ...(withAbsoluteReferences(JSON.parse(text) as JsonSchema, id) as JsonSchema) };
  loaded.set(id, schema);
  return schema;
}

function fileNames(): readonly string[] {
  names ??= readdirSync(folderOf('v1.0'), { recursive: true, encoding: 'utf8' })
    .map(name => name.split(sep).join('/'))
    .filter(name => name.endsWith(SUFFIX))
    .sort();
  return names;
}

const folders = new Map<string, string>();

/** Gives the path of a folder of schemas: beside this module in the sources, at the root of the package once compiled. */
export function folderOf(name: 'v1.0' | 'validators'): string {
  const known = folders.get(name);
  if (known !== undefined) return known;
  const candidates = [`./${name}/`, `../../schemas/${name}/`].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const folder = candidates.find(path => existsSync(path));
  if (folder === undefined)
    throw new Error(`The schemas are not at ${candidates.join(' or ')}; install the package anew.`);
  folders.set(name, folder);
  return folder;
}

function withAbsoluteReferences(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map(item => withAbsoluteReferences(item, base));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' ? new URL(item, base).href : withAbsoluteReferences(item, base),
    ]),
  );
}
