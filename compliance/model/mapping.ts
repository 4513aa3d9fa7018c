import { canonicalText, isJsonObject, type JsonObject } from './json.js';
import type { Scope } from './scope.js';

/** What a mapping gives: a value, or why there is none. */
export type Mapped<T = unknown> =
  | { readonly value: T }
  /** `malformed`: whatever the scope is, the mapping is none. */
  | { readonly error: string; readonly malformed?: true };

interface Reference {
  readonly path: string;
  readonly fallback?: string;
  /** Whether the default is a JSON value and not a path. */
  readonly literal?: boolean;
}

type Part = { readonly text: string } | Reference;

/**
 * The value of a mapping in a scope (Ch7, mappings). A string that is exactly one reference keeps the type of what it
 * names; any other string is built, with what is not a string in its canonical text.
 */
export function evaluateMapping(mapping: unknown, scope: Scope): Mapped {
  if (typeof mapping === 'string') return evaluateTemplate(mapping, scope);
  if (Array.isArray(mapping)) {
    const values: unknown[] = [];
    for (const item of mapping) {
      const mapped = evaluateMapping(item, scope);
      if ('error' in mapped) return mapped;
      values.push(mapped.value);
    }
    return { value: values };
  }
  return isJsonObject(mapping) ? evaluateObjectMapping(mapping, scope) : { value: mapping };
}

/** The same for a mapping that is an object, so that its value is one too. */
export function evaluateObjectMapping(mapping: JsonObject, scope: Scope): Mapped<JsonObject> {
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(mapping)) {
    const mapped = evaluateMapping(item, scope);
    if ('error' in mapped) return mapped;
    entries.push([key, mapped.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function evaluateTemplate(template: string, scope: Scope): Mapped {
  const parts = parseTemplate(template);
  if (parts === undefined) return { error: `"${template}" has a reference that is none`, malformed: true };
  const only = parts[0];
  if (parts.length === 1 && only !== undefined && 'path' in only) return evaluateReference(only, scope);
  let built = '';
  for (const part of parts) {
    if ('text' in part) {
      built += part.text;
      continue;
    }
    const mapped = evaluateReference(part, scope);
    if ('error' in mapped) return mapped;
    built += typeof mapped.value === 'string' ? mapped.value : canonicalText(mapped.value);
  }
  return { value: built };
}

function evaluateReference(reference: Reference, scope: Scope): Mapped {
  const found = lookUp(reference.path, scope);
  if ('value' in found || reference.fallback === undefined) return found;
  if (reference.literal !== true) return lookUp(reference.fallback, scope);
  try {
    return { value: JSON.parse(reference.fallback) as unknown };
  } catch {
    return { error: `"${reference.fallback}" is no JSON value`, malformed: true };
  }
}

function lookUp(path: string, scope: Scope): Mapped {
  const steps = path.split('.');
  const missing = { error: `"${path}" names nothing` };
  let at: unknown;
  let rest: readonly string[];
  if (steps[0] === 'nodes') {
    if (steps[2] !== 'outputs') return missing;
    at = scope.nodes?.get(steps[1] ?? '');
    rest = steps.slice(3);
  } else if (steps[0] === 'inputs' || steps[0] === 'context' || steps[0] === 'result' || steps[0] === 'error') {
    at = scope[steps[0]];
    rest = steps.slice(1);
  } else return missing;
  for (const step of rest) {
    if (Array.isArray(at) && /^(?:0|[1-9][0-9]*)$/.test(step)) at = at[Number(step)] as unknown;
    else if (isJsonObject(at) && Object.hasOwn(at, step)) at = at[step];
    else return missing;
  }
  return at === undefined ? missing : { value: at };
}

const PATH = /(?:[^.{}$ \t\n\r?]|\?(?!\?))+(?:\.(?:[^.{}$ \t\n\r?]|\?(?!\?))+)*/y;
const JSON_START = /["[{\-0-9]|true|false|null/y;

/** The parts of a template; undefined where a `${` begins no reference. */
function parseTemplate(template: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  let text = '';
  for (let at = 0; at < template.length; ) {
    if (template.startsWith('$${', at)) {
      text += '${';
      at += 3;
    } else if (template.startsWith('${', at)) {
      const reference = parseReference(template, at + 2);
      if (reference === undefined) return undefined;
      if (text !== '') parts.push({ text });
      text = '';
      parts.push(reference.part);
      at = reference.end;
    } else {
      text += template.charAt(at);
      at += 1;
    }
  }
  if (text !== '' || parts.length === 0) parts.push({ text });
  return parts;
}

/** The reference whose `${` ends before a place, and where it ends. */
function parseReference(template: string, from: number): { part: Part; end: number } | undefined {
  const path = sticky(PATH, template, skipSpaces(template, from));
  if (path === undefined) return undefined;
  const next = skipSpaces(template, path.end);
  if (template.charAt(next) === '}') return { part: { path: path.text }, end: next + 1 };
  if (!template.startsWith('??', next)) return undefined;
  const start = skipSpaces(template, next + 2);
  const literal = sticky(JSON_START, template, start) !== undefined;
  const length = literal ? jsonLength(template, start) : (sticky(PATH, template, start)?.text.length ?? 0);
  const end = skipSpaces(template, start + length);
  if (length === 0 || template.charAt(end) !== '}') return undefined;
  return { part: { path: path.text, fallback: template.slice(start, start + length), literal }, end: end + 1 };
}

function sticky(pattern: RegExp, text: string, from: number): { text: string; end: number } | undefined {
  pattern.lastIndex = from;
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : { text: found, end: from + found.length };
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

/** How long the JSON value at a place is: up to the brace that closes the reference, outside strings and brackets. */
function jsonLength(template: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < template.length; at += 1) {
    const char = template.charAt(at);
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (depth > 0 && (char === '}' || char === ']')) depth -= 1;
    else if (char === '}') return template.slice(from, at).trimEnd().length;
  }
  return 0;
}
