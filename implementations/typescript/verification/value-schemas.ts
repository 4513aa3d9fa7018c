import type { ErrorObject } from 'ajv';
import { metaSchemaErrors, nearest, type SchemaDefect } from '../../../schemas/index.js';
import { PatternError } from '../../../schemas/pattern/index.js';
import type { Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { compileSchema, isTooDeep, SCHEMA_DEPTH } from '../execution/json-schema.js';

const TYPES = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];
const HELP = 'Write a JSON Schema 2020-12 that refers to nothing outside itself.';
const HELP_ON_PATTERNS =
  'Write it as ECMA-262 with the flag u has it, without back-references and without long repetitions of groups.';

/** Returns what is wrong with the JSON Schemas that a workflow brings along, one defect for each schema. */
export function schemaDefects(workflow: Workflow): SchemaDefect[] {
  const defects: SchemaDefect[] = [];
  const judged = new Map<string, InnerDefect | undefined>();
  for (const [pointer, schema] of schemasOf(workflow)) {
    const defect = defectOnce(judged, schema);
    if (defect === undefined) continue;
    const { inner, ...rest } = defect;
    defects.push({ ...rest, pointer: pointer + inner });
  }
  return defects;
}

/** A defect whose place is told from the schema. */
type InnerDefect = Omit<SchemaDefect, 'pointer'> & { readonly inner: string };

/** Equal schemas are judged once. */
function defectOnce(judged: Map<string, InnerDefect | undefined>, schema: object): InnerDefect | undefined {
  if (isTooDeep(schema)) {
    const message = `The JSON Schema is nested more than ${SCHEMA_DEPTH} levels deep`;
    return { inner: '', message, help: HELP, keyword: 'depth', params: {} };
  }
  const text = JSON.stringify(schema);
  if (!judged.has(text)) judged.set(text, defectOf(schema));
  return judged.get(text);
}

function* schemasOf({ inputs = {}, actions = [] }: Workflow): Generator<[pointer: string, schema: object]> {
  for (const [name, { schema }] of Object.entries(inputs))
    if (typeof schema === 'object') yield [`/inputs/${name}/schema`, schema];
  for (const [at, action] of actions.entries()) {
    for (const field of ['input_schema', 'output_schema'] as const) {
      const schema = action[field];
      if (schema !== undefined) yield [`/actions/${at}/${field}`, schema];
    }
  }
}

function defectOf(schema: object): InnerDefect | undefined {
  const error = mostTelling(metaSchemaErrors({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' }));
  if (error !== undefined) {
    const { data, instancePath } = error;
    const told = JSON.stringify(data) ?? '';
    const shown = told.length > 60 ? `${told.slice(0, 59)}…` : told;
    if (instancePath.endsWith('/type') && typeof data === 'string') {
      const meant = nearest(data, TYPES);
      const help = meant === undefined ? `The types are ${TYPES.join(', ')}.` : `Did you mean "${meant}"?`;
      return { inner: instancePath, message: `${shown} is no type of JSON Schema`, help, keyword: 'type', params: {} };
    }
    const message = `The JSON Schema is ill-formed: ${shown} ${error.message ?? 'does not fit'}`;
    return { inner: instancePath, message, help: HELP, keyword: error.keyword, params: {} };
  }
  try {
    if ('$schema' in schema || needsCompiling(schema))
      compileSchema(schema as Record<string, unknown>, 'schema, value');
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ArsError)) throw cause;
    if (cause.cause instanceof PatternError)
      return {
        inner: '',
        message: capitalized(cause.cause.message),
        help: HELP_ON_PATTERNS,
        keyword: 'pattern',
        params: {},
      };
    return { inner: '', message: capitalized(String(cause.details.reason)), help: HELP, keyword: '$ref', params: {} };
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The deepest error; of several the first. */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  let best: ErrorObject | undefined;
  for (const error of errors) if (best === undefined || depth(error) > depth(best)) best = error;
  return best;
}

/** Keywords of whose values only compiling shows whether they name or lead to a schema, or are a regular expression. */
const NEED_COMPILING = ['$ref', '$dynamicRef', '$id', '$anchor', '$dynamicAnchor', 'pattern', 'patternProperties'];

/** Whether only compiling a schema shows whether it can be used. */
function needsCompiling(schema: object): boolean {
  const open: unknown[] = [schema];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    if (NEED_COMPILING.some(key => Object.hasOwn(at, key))) return true;
    for (const member of Object.values(at)) open.push(member);
  }
  return false;
}
