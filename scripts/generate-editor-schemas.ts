import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Generated, ROOT } from './project.js';

const FOLDER = 'schemas/v1.0';
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const COMMENT = 'Generated from schemas/v1.0 by `npm run generate`. Do not edit.';

/** What people write in an editor. */
const DOCUMENTS = ['workflow', 'registry', 'verifier-config'];

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
    const [path = '', fragment = ''] = reference.split('#');
    const target = `${path === '' ? from : posix.join(posix.dirname(from), path)}#${fragment}`;
    const name = nameOf(target);
    if (target === `${file}#`) return '#';
    if (!definitions.has(name)) {
      definitions.set(name, null);
      open.push(target);
    }
    return `#/$defs/${name}`;
  };
  const root = withReferences(lookUp(`${file}#`), reference => take(reference, file)) as JsonObject;
  for (let target = open.pop(); target !== undefined; target = open.pop()) {
    const from = target.slice(0, target.indexOf('#'));
    definitions.set(
      nameOf(target),
      withReferences(lookUp(target), reference => take(reference, from)),
    );
  }
  const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  return { $schema: DIALECT, $comment: COMMENT, ...root, $defs: Object.fromEntries(sorted) };
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
