import { codes, pageStart, table } from './markdown.js';

/** A JSON Schema, as far as the page looks at it. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Conditional[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

interface Conditional {
  readonly if?: Schema;
  readonly then?: Schema;
}

/** Looks up what a reference of the schema leads to. */
export type Resolve = (reference: string) => Schema;

/** Gives `reference/audit-record.md`: the fields of a record, and which of them a record of each type has to carry. */
export function auditRecordPage(schema: object, resolve: Resolve): string {
  const record = schema as Schema;
  const always = new Set(record.required ?? []);
  const fields = Object.entries(record.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    formOf(field, resolve),
    always.has(name) ? 'every record' : 'where it applies',
    field.description ?? (field.$ref === undefined ? '' : (resolve(field.$ref).description ?? '')),
  ]);
  return `${pageStart('The audit record', 'schemas/v1.0/audit-record.schema.json')}
${record.description} [The audit chapter](../spec/v1.0/06-audit.md) says what each record means and when it is written.

## Fields

${table(['field', 'form', 'in', 'meaning'], fields)}

## Types

${table(['`record_type`', '`status`', 'carries, beyond the fields of every record'], typeRows(record))}

## Stub

To a reader without permission a record is this.

${table(
  ['field', 'form', 'meaning'],
  Object.entries(record.$defs?.stub?.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    formOf(field, resolve),
    field.description ?? '',
  ]),
)}
`;
}

function formOf(field: Schema, resolve: Resolve): string {
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum !== undefined) return field.enum.map(value => `\`${value}\``).join(', ');
  if (field.$ref !== undefined) {
    const target = resolve(field.$ref);
    const name = field.$ref.replace(/^.*\//, '').replaceAll('_', ' ');
    return target.enum === undefined && target.const === undefined ? name : formOf(target, resolve);
  }
  if (field.type === 'array') return `list of ${field.items === undefined ? 'values' : formOf(field.items, resolve)}`;
  if (field.type === undefined) return 'any value';
  return typeof field.type === 'string' ? field.type : field.type.join(' or ');
}

/** A row for each type and status, with the fields that the schema requires of it. */
function typeRows(record: Schema): string[][] {
  const rules = (record.allOf ?? []).filter(rule => rule.if !== undefined && rule.then !== undefined);
  const types = record.properties?.record_type;
  const names = (types?.enum ?? record.$defs?.record_type?.enum ?? []) as readonly string[];
  return names.flatMap(type => {
    const statuses = rules.flatMap(rule =>
      isAbout(rule, type, undefined) ? wordsOf(rule.then?.properties?.status) : [],
    );
    const [first = [], ...others] = statuses.map(status => requiredOf(rules, type, status));
    const common = first.filter(name => others.every(fields => fields.includes(name)));
    const rows = statuses.map(status => [
      '',
      `\`${status}\``,
      codes(requiredOf(rules, type, status).filter(name => !common.includes(name))),
    ]);
    return [[`\`${type}\``, 'each', codes(common)], ...rows];
  });
}

function requiredOf(rules: readonly Conditional[], type: string, status: string): readonly string[] {
  return [
    ...new Set(rules.filter(rule => isAbout(rule, type, status)).flatMap(rule => [...(rule.then?.required ?? [])])),
  ];
}

function isAbout(rule: Conditional, type: string, status: string | undefined): boolean {
  const conditions = Object.entries(rule.if?.properties ?? {});
  if (!conditions.some(([name]) => name === 'record_type')) return false;
  return conditions.every(([name, condition]) => {
    const value = name === 'record_type' ? type : name === 'status' ? status : undefined;
    return value !== undefined && wordsOf(condition).includes(value);
  });
}

function wordsOf(schema: Schema | undefined): readonly string[] {
  if (schema?.enum !== undefined) return schema.enum;
  return schema?.const === undefined ? [] : [String(schema.const)];
}
