import { readFileSync } from 'node:fs';
import type { Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { bindInputs, compileInputs } from '../workflow/plan.js';
import { workflowKey } from '../workflow/resolve.js';
import { readDocuments } from '../workspace/document.js';
import { refusalOf } from './system-refusal.js';

/**
 * Gives the inputs that the command line names, as JSON values by name.
 *
 * A pair `name=text` is read as the workflow's schema for the input asks: text for a string, else JSON; where the schema
 * leaves it open, JSON if it parses and text if it does not. Throws `usage` for a pair without `=`, a name given twice,
 * a name that the workflow does not list, or a value that is not the JSON its schema wants.
 */
export function readInputs(workflow: Workflow, pairs: readonly string[], file?: string): Record<string, unknown> {
  const inputs = new Map<string, unknown>(file === undefined ? [] : Object.entries(readInputFile(file)));
  const seen = new Set<string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new ArsError('usage', `--input "${pair}" is not of the form name=value`);
    const name = pair.slice(0, at);
    if (seen.has(name)) throw new ArsError('usage', `--input "${name}" is given twice`);
    seen.add(name);
    inputs.set(name, readValue(workflow, name, pair.slice(at + 1)));
  }
  return Object.fromEntries(inputs);
}

/** The inputs of an instance, defaults included. Throws `invalid_document` where a start would be denied for them. */
export function boundInputs(workflow: Workflow, inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return bindInputs({ workflow, workflow_id: workflowKey(workflow), inputChecks: compileInputs(workflow) }, inputs);
}

function readValue(workflow: Workflow, name: string, text: string): unknown {
  const known = workflow.inputs ?? {};
  if (!Object.hasOwn(known, name)) {
    const names = Object.keys(known);
    const legal = names.length === 0 ? 'it has no inputs' : `its inputs are ${names.map(n => `"${n}"`).join(', ')}`;
    throw new ArsError('usage', `the workflow has no input "${name}"; ${legal}`);
  }
  const types = typesOf(known[name]?.schema);
  if (types.length === 1 && types[0] === 'string') return text;
  try {
    JSON.parse(text);
  } catch (cause) {
    if (types.length === 0 || types.includes('string')) return text;
    throw new ArsError('usage', `input "${name}" wants ${types.join(' or ')}, and "${text}" is not JSON`, { cause });
  }
  const value = readJson(text, `--input "${name}"`);
  if (typeof value === 'string' || types.length === 0 || !types.includes('string')) return value;
  return types.includes(typeName(value)) ? value : text;
}

/** The value of a JSON text. Throws `usage` where it is none, or one that would be altered: repeated keys, large integers. */
function readJson(input: string | Buffer, name: string): unknown {
  const [document] = readDocuments(input, { file: name, format: 'json' });
  const defect = document?.defects[0];
  if (defect === undefined) return document?.value;
  const { line, column } = defect.location;
  throw new ArsError('usage', `${name} cannot be read as JSON: ${defect.message} (${line}:${column})`);
}

function typesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return [];
  const type = schema.type;
  return typeof type === 'string' ? [type] : Array.isArray(type) ? type.filter(t => typeof t === 'string') : [];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function readInputFile(path: string): Record<string, unknown> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (cause) {
    throw new ArsError('usage', `--inputs "${path}" cannot be read: ${refusalOf(cause)}`, { cause });
  }
  return readObject(bytes, `--inputs "${path}"`);
}

/** Gives the JSON object in a text that the command line names. Throws `usage` for anything else. */
export function readObject(text: string | Buffer, name: string): Record<string, unknown> {
  const value = readJson(text, name);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ArsError('usage', `${name} must be a JSON object of values by name`);
  return value as Record<string, unknown>;
}
