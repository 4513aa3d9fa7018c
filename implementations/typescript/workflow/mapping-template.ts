import { ArsError } from '../error.js';

/** A path into what a mapping may read; the first segment is the root. */
export type Path = readonly string[];

/** One `${…}`: a path, and what stands in where it leads to nothing. */
export interface Placeholder {
  readonly path: Path;
  /** Where the placeholder begins in its string, in UTF-16 code units. */
  readonly offset: number;
  readonly fallback?: { readonly path: Path } | { readonly literal: unknown };
}

/** A string in pieces: literal text and placeholders; `whole` is true where it is exactly one placeholder. */
export interface Template {
  readonly parts: readonly (string | Placeholder)[];
  readonly whole: boolean;
}

const ROOTS = new Set(['inputs', 'context', 'nodes', 'result', 'error']);
const SPACE = /[ \t\n\r]*/y;
const SEGMENT = /(?:(?!\?\?)[^.{}$ \t\n\r])+/y;
const LITERAL_START = /["[{0-9-]|true|false|null/y;

/**
 * Returns the template that a string spells, or undefined for a string without placeholders and escapes.
 *
 * Throws `mapping_invalid` with details {offset, message}.
 */
export function parseTemplate(text: string): Template | undefined {
  if (!text.includes('${')) return undefined;
  const parts: (string | Placeholder)[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf('$', at);
    if (next === -1) {
      literal += text.slice(at);
      break;
    }
    literal += text.slice(at, next);
    if (text.startsWith('$${', next)) {
      literal += '${';
      at = next + 3;
    } else if (text.startsWith('${', next)) {
      if (literal !== '') parts.push(literal);
      literal = '';
      const { placeholder, end } = parsePlaceholder(text, next);
      parts.push(placeholder);
      at = end;
    } else {
      literal += '$';
      at = next + 1;
    }
  }
  if (literal !== '') parts.push(literal);
  return { parts, whole: parts.length === 1 && typeof parts[0] !== 'string' };
}

function parsePlaceholder(text: string, start: number): { placeholder: Placeholder; end: number } {
  const first = parsePath(text, skipSpace(text, start + 2));
  let at = skipSpace(text, first.end);
  let placeholder: Placeholder = { path: first.path, offset: start };
  if (text.startsWith('??', at)) {
    at = skipSpace(text, at + 2);
    const { fallback, end } = parseFallback(text, at);
    placeholder = { ...placeholder, fallback };
    at = skipSpace(text, end);
  }
  if (text[at] !== '}') {
    const found = at < text.length ? `'${String.fromCodePoint(text.codePointAt(at) ?? 0)}'` : 'the end';
    throw invalid(at, `A '}' is missing: found ${found}; a reference is written \${path} or \${path ?? default}`);
  }
  return { placeholder, end: at + 1 };
}

function parseFallback(text: string, at: number): { fallback: NonNullable<Placeholder['fallback']>; end: number } {
  LITERAL_START.lastIndex = at;
  if (!LITERAL_START.test(text)) {
    if (text[at] === "'") throw invalid(at, 'A text stands in double quotes, not in single ones', { reason: 'quotes' });
    const { path, end } = parsePath(text, at);
    return { fallback: { path }, end };
  }
  const end = literalEnd(text, at);
  try {
    return { fallback: { literal: JSON.parse(text.slice(at, end)) }, end };
  } catch (cause) {
    throw invalid(at, `'${text.slice(at, end)}' is neither a path nor a JSON literal`, {}, cause);
  }
}

/** Where a JSON value ends: after its last bracket or quote, or before a space or the closing brace. */
function literalEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      at++;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      if (depth === 0) return at + 1;
    } else if (char === '[' || char === '{') depth++;
    else if (char === ']' || (char === '}' && depth > 0)) {
      depth--;
      if (depth <= 0) return at + 1;
    } else if (depth === 0 && (char === '}' || /[ \t\n\r]/.test(char ?? ''))) return at;
  }
  return text.length;
}

function parsePath(text: string, start: number): { path: Path; end: number } {
  const path: string[] = [];
  let at = start;
  for (;;) {
    SEGMENT.lastIndex = at;
    const segment = SEGMENT.exec(text)?.[0];
    if (segment === undefined)
      throw invalid(
        at,
        path.length === 0 ? 'A path is missing' : 'A part of the path is empty',
        text[at] === '{' ? { reason: 'braces' } : {},
      );
    path.push(segment);
    at += segment.length;
    if (text[at] !== '.') break;
    at++;
  }
  const [root = ''] = path;
  if (!ROOTS.has(root))
    throw invalid(start, `A path starts with ${[...ROOTS].join(', ')}, not with '${root}'`, { reason: 'root', root });
  if (root === 'nodes' && path[2] !== 'outputs') {
    throw invalid(start, `'${path.join('.')}' does not name outputs; it is written nodes.<node_id>.outputs.<name>`);
  }
  return { path, end: at };
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

/** Why a template cannot be read, where something particular is meant. */
export type TemplateFault =
  | { readonly reason?: undefined }
  | { readonly reason: 'quotes' }
  | { readonly reason: 'braces' }
  | { readonly reason: 'root'; readonly root: string };

function invalid(offset: number, message: string, fault: TemplateFault = {}, cause?: unknown): ArsError {
  return new ArsError('mapping_invalid', message, { details: { offset, message, ...fault }, cause });
}
