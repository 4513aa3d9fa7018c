import type { VerificationContext } from '../context.js';
import type { FindingDraft } from '../rule.js';
import { memberSchema, type SchemaPart, typesOfSchema } from './json-schema-shape.js';
import { executedBy, mappingOf } from './known-values.js';
import { pathText } from './path-text.js';
import type { Read } from './reads.js';

/** The least value of each type, by which a default is shown; a value that may be null has that. */
const LEAST: readonly (readonly [type: string, literal: string])[] = [
  ['null', 'null'],
  ['string', '""'],
  ['integer', '0'],
  ['number', '0'],
  ['boolean', 'false'],
  ['array', '[]'],
  ['object', '{}'],
];
/** Keywords of a schema that keep no least value out. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'default', 'examples', '$comment', 'deprecated', 'readOnly', 'writeOnly'],
  ...['items', 'properties', 'additionalProperties', 'maxLength', 'maxItems', 'maxProperties', 'multipleOf'],
]);
const SOMETHING = '…';

/** Returns the literal that can stand in for what a mapping reads, as it is written behind `??`; … where that is not known. */
export function standInFor(context: VerificationContext, read: Read): string {
  if (read.place !== 'input_mapping' || read.reader < 0) return 'null';
  const place = `${context.nodePointer(read.reader)}/input_mapping/`;
  const names = read.pointer
    .slice(place.length)
    .split('/')
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  let value = mappingOf(context.node(read.reader), 'input_mapping');
  for (const name of names) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (typeof value === 'string' && !/^\$\{[^}]*\}$/.test(value)) return '""';
  let part = takenAs(context, read.reader, names[0] ?? '');
  for (const name of names.slice(1)) {
    const member = part === undefined ? undefined : memberSchema(part, name);
    part = member === 'none' ? undefined : member;
  }
  return part === undefined ? 'null' : leastOf(part);
}

/** Returns help that offers a default for what a mapping reads. */
export function offerDefault(context: VerificationContext, read: Read, more = ''): FindingDraft['help'] {
  const literal = standInFor(context, read);
  const written = `\${${pathText(read.path, read.place)} ?? ${literal}}`;
  return literal === SOMETHING
    ? `Give it a default that fits the schema: ${written}${more}.`
    : `Give it a default: ${written}${more}.`;
}

/** The schema of what the action or skill of a node takes under a name. */
function takenAs(context: VerificationContext, reader: number, name: string): SchemaPart | undefined {
  const subject = context.node(executedBy(context, reader) ?? reader);
  if (subject.type === 'skill') {
    const inputs = context.skills.resolve(subject.workflow_ref)?.inputs ?? {};
    const schema = Object.hasOwn(inputs, name) ? inputs[name]?.schema : undefined;
    return schema === undefined ? undefined : { schema, root: schema };
  }
  const schema = context.actions.ofNode(reader)?.input_schema;
  const member = schema === undefined ? undefined : memberSchema({ schema, root: schema }, name);
  return member === 'none' ? undefined : member;
}

function leastOf(part: SchemaPart): string {
  const { schema } = part;
  if (typeof schema !== 'object' || schema === null) return schema === false ? SOMETHING : 'null';
  if ('const' in schema) return JSON.stringify(schema.const);
  if ('enum' in schema && Array.isArray(schema.enum) && schema.enum.length > 0)
    return JSON.stringify(schema.enum.includes(null) ? null : schema.enum[0]);
  const keywords = Object.keys(schema);
  if (keywords.some(keyword => !HARMLESS.has(keyword))) return SOMETHING;
  const types: ReadonlySet<string> | undefined = typesOfSchema(part);
  if (types === undefined) return keywords.includes('type') ? SOMETHING : 'null';
  return LEAST.find(([type]) => types.has(type))?.[1] ?? SOMETHING;
}
