import { canonicalText, isJsonObject, type JsonObject } from './json.js';
import type { Scope } from './scope.js';

/** What a mapping gives: a value, or why there is none. */
export type Mapped<T = unknown> = { readonly value: T } | { readonly error: string };

type Part = { readonly text: string } | { readonly path: string; readonly fallback?: string };

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
  if (parts === undefined) return { error: `"${template}" has a reference that does not end` };
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

function evaluateReference(part: { readonly path: string; readonly fallback?: string }, scope: Scope): Mapped {
  const found = lookUp(part.path, scope);
  if ('value' in found || part.fallback === undefined) return found;
  if (!/^(?:["[{\-0-9]|(?:true|false|null)$)/.test(part.fallback)) return lookUp(part.fallback, scope);
  try {
    return { value: JSON.parse(part.fallback) as unknown };
  } catch {
    return { error: `"${part.fallback}" is no JSON value` };
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
  } else if (steps[0] === 'inputs' || steps[0] === 'context' || steps[0] === 'result') {
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

/** The parts of a template; undefined where a reference is not closed. */
function parseTemplate(template: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  let text = '';
  let at = 0;
  while (at < template.length) {
    if (template.startsWith('$${', at)) {
      text += '${';
      at += 3;
    } else if (template.startsWith('${', at)) {
      const end = referenceEnd(template, at + 2);
      if (end === -1) return undefined;
      if (text !== '') parts.push({ text });
      text = '';
      const body = template.slice(at + 2, end);
      const split = body.indexOf('??');
      parts.push(
        split === -1
          ? { path: body.trim() }
          : { path: body.slice(0, split).trim(), fallback: body.slice(split + 2).trim() },
      );
      at = end + 1;
    } else {
      text += template.charAt(at);
      at += 1;
    }
  }
  if (text !== '' || parts.length === 0) parts.push({ text });
  return parts;
}

/** Where the closing brace stands; a brace inside a JSON literal or a string of one does not close. */
function referenceEnd(template: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < template.length; at += 1) {
    const char = template.charAt(at);
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return -1;
}
