import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { compile } from 'json-schema-to-typescript';
import { type Generated, listFiles, ROOT } from './project.js';

const FOLDER = 'schemas/v1.0';
const ROOT_TYPE = 'AllSchemas';
const BANNER = '// Generated from schemas/v1.0 by `npm run generate`. Do not edit.';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** What the types say nothing of: relations between properties. Only the validator knows them. */
const WITHOUT_TYPE = new Set([
  '$schema',
  '$defs',
  'if',
  'then',
  'else',
  'allOf',
  'not',
  'propertyNames',
  'contains',
  'minItems',
  'maxItems',
]);
const SHAPING = new Set(['type', 'enum', 'const', 'oneOf', 'anyOf', 'properties', 'additionalProperties', 'items']);

/**
 * Gives the text of `schemas/types.ts`: one type for each schema with a title, and `SchemaTypes`, which tells the type of
 * each schema name.
 *
 * A reference becomes the name of the type it leads to, so that every schema is compiled once, under its own title.
 */
export async function generateTypes(): Promise<Generated> {
  const files = new Map(
    listFiles(FOLDER, '.schema.json').map(path => [
      path.slice(FOLDER.length + 1),
      JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as JsonObject,
    ]),
  );
  const titles = new Map<string, string>();
  const definitions: JsonObject = {};
  const schemas = [...files].flatMap(([file, document]) => schemasOf(file, document));
  for (const { name, file, schema } of schemas) {
    const title = titleOf(files, file, schema);
    titles.set(name, title);
    if (schema.$ref !== undefined) continue;
    if (definitions[title] !== undefined) throw new Error(`The title "${title}" of ${name} is used twice; rename one.`);
    definitions[title] = withNames(files, file, schema);
  }
  const references = Object.keys(definitions).map(title => [title, { $ref: `#/definitions/${title}` }]);
  const bundle = { title: ROOT_TYPE, type: 'object', properties: Object.fromEntries(references), definitions };
  const text = await compile(bundle as never, ROOT_TYPE, {
    bannerComment: '',
    additionalProperties: true,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 120, arrowParens: 'avoid' },
  });
  const body = text.replace(new RegExp(`^export interface ${ROOT_TYPE} \\{\\n[\\s\\S]*?^\\}\\n`, 'm'), '').trim();
  const names = [...body.matchAll(/^export (?:type|interface) (\w+)/gm)].map(match => match[1] ?? '');
  const numbered = names.find(name => /\d$/.test(name) && names.includes(name.replace(/\d+$/, '')));
  if (numbered !== undefined) throw new Error(`"${numbered}" stands for a title that is used twice; rename one.`);
  const commented = withDescriptions(`${body}\n\n${schemaTypes(titles)}`, descriptionsIn(definitions));
  return { files: { 'schemas/types.ts': `${BANNER}\n\n${commented}` }, problems: [] };
}

/** The description of every schema that is titled, however deep, by its title. */
function descriptionsIn(definitions: JsonObject): Map<string, string> {
  const found = new Map<string, string>();
  const left: Json[] = Object.entries(definitions).map(([title, schema]) => ({ ...(schema as JsonObject), title }));
  for (let schema = left.pop(); schema !== undefined; schema = left.pop()) {
    if (schema === null || typeof schema !== 'object') continue;
    if (!Array.isArray(schema) && typeof schema.title === 'string' && typeof schema.description === 'string')
      found.set(schema.title, schema.description);
    left.push(...Object.values(schema));
  }
  return found;
}

/** Gives a member without a comment, whose schema says no more than which other one it is, the description of that one. */
function withDescriptions(text: string, descriptions: ReadonlyMap<string, string>): string {
  const lines = text.split('\n');
  return lines
    .flatMap((line, at) => {
      const [, indent = '', title = ''] = /^( +)\S+: (\w+);$/.exec(line) ?? [];
      const description = lines[at - 1]?.endsWith('*/') ? undefined : descriptions.get(title);
      return description === undefined ? [line] : [`${indent}/**`, `${indent} * ${description}`, `${indent} */`, line];
    })
    .join('\n');
}

/** The document itself where it describes a value, and every entry of its $defs. */
function schemasOf(file: string, document: JsonObject): { name: string; file: string; schema: JsonObject }[] {
  const noun = file.replace(/\.schema\.json$/, '');
  const own = 'type' in document || 'oneOf' in document ? [{ name: noun, file, schema: document }] : [];
  const defs = Object.entries((document.$defs ?? {}) as JsonObject).map(([key, schema]) => ({
    name: `${noun}#${key}`,
    file,
    schema: schema as JsonObject,
  }));
  return [...own, ...defs];
}

function titleOf(files: ReadonlyMap<string, JsonObject>, file: string, schema: JsonObject): string {
  if (typeof schema.title === 'string' && schema.$ref === undefined) return schema.title;
  if (typeof schema.$ref !== 'string') throw new Error(`A schema of ${file} has no title: ${JSON.stringify(schema)}`);
  const [path, fragment] = schema.$ref.split('#') as [string, string?];
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  let found: Json | undefined = files.get(target);
  for (const step of (fragment ?? '').split('/').slice(1)) found = (found as JsonObject | undefined)?.[step];
  if (found === undefined) throw new Error(`${file}: "${schema.$ref}" leads to nothing.`);
  return titleOf(files, target, found as JsonObject);
}

/** A copy of a schema in which each reference is the name of a type, and what no type can say is left out. */
function withNames(files: ReadonlyMap<string, JsonObject>, file: string, schema: JsonObject): JsonObject {
  const described = schema.description === undefined ? {} : { description: schema.description };
  if (schema.$ref !== undefined) return { ...described, tsType: titleOf(files, file, schema) };
  const copy = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !WITHOUT_TYPE.has(key))
      .map(([key, value]) => [key, keywordWithNames(files, file, key, value)]),
  );
  return Object.keys(copy).some(key => SHAPING.has(key)) ? copy : { ...copy, tsType: 'unknown' };
}

function keywordWithNames(files: ReadonlyMap<string, JsonObject>, file: string, key: string, value: Json): Json {
  const convert = (schema: Json): Json =>
    schema !== null && typeof schema === 'object' && !Array.isArray(schema) ? withNames(files, file, schema) : schema;
  if (key === 'properties') {
    return Object.fromEntries(Object.entries(value as JsonObject).map(([name, schema]) => [name, convert(schema)]));
  }
  if (key === 'oneOf' || key === 'anyOf') return (value as Json[]).map(convert);
  return key === 'items' || key === 'additionalProperties' ? convert(value) : value;
}

function schemaTypes(titles: ReadonlyMap<string, string>): string {
  const lines = [...titles].map(([name, title]) => `  ${/^\w+$/.test(name) ? name : `'${name}'`}: ${title};`);
  return `/**\n * The type that each schema describes, by the name of the schema.\n */\nexport interface SchemaTypes {\n${lines.join('\n')}\n}\n`;
}
