import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { MAX_VALUE_SIZE } from '../state/size.js';
import { type Path, type Placeholder, parseTemplate, type Template } from './mapping-template.js';

export type { Path } from './mapping-template.js';

/** A path that a mapping reads. */
export interface Reference {
  readonly path: Path;
  /** RFC 6901 pointer to the string that holds the reference, from the mapping. */
  readonly pointer: string;
  /** Where the reference begins in that string, in UTF-16 code units. */
  readonly offset: number;
  /** Whether something stands in where the path leads to nothing. */
  readonly hasDefault: boolean;
}

/** What a mapping reads from. */
export interface Scope {
  readonly inputs: unknown;
  readonly context: unknown;
  /** The outputs of a node, undefined where it has none. */
  readonly nodes: (node_id: string) => unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A checked mapping, ready to be evaluated any number of times. */
export interface Mapping {
  readonly references: readonly Reference[];
  /**
   * Returns the value with every reference replaced; parts without references are shared with the mapping.
   *
   * A default stands in where a path leads to nothing; null is a value. Throws `mapping_failed` with details {pointer,
   * path} where a path without a default leads to nothing.
   */
  evaluate(scope: Scope): unknown;
}

type Container = Record<string, unknown> | unknown[];
interface Place {
  readonly template: Template;
  readonly pointer: string;
}
type Places = Map<Container, Map<string, Place>>;

/**
 * Returns a checked mapping: a JSON value whose strings may hold `${path}`.
 *
 * A string that is exactly one reference takes over the type of its value; another one is built from text, with values
 * that are no strings in their canonical form. `$${` stands for the text `${`, `${a ?? b}` gives a default, where b is a
 * path or a JSON literal. Throws `mapping_invalid` with details {pointer, offset, message}.
 *
 * @example compileMapping({ to: '${inputs.email}' }).evaluate(scope)
 */
export function compileMapping(value: unknown): Mapping {
  const places: Places = new Map();
  const references: Reference[] = [];
  const root: Container = [value];
  const stack: { container: Container; pointer: string }[] = [{ container: root, pointer: '' }];
  for (let work = stack.pop(); work !== undefined; work = stack.pop()) {
    const { container, pointer } = work;
    for (const [key, member] of Object.entries(container)) {
      const place = container === root ? '' : `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (typeof member === 'object' && member !== null) stack.push({ container: member as Container, pointer: place });
      if (typeof member !== 'string') continue;
      const template = parseAt(member, place);
      if (template === undefined) continue;
      const own = places.get(container) ?? new Map<string, Place>();
      places.set(container, own.set(key, { template, pointer: place }));
      collect(template, place, references);
    }
  }
  if (places.size === 0) return { references, evaluate: () => value };
  const flat = flatMapping(value, places);
  if (flat !== undefined) return { references, evaluate: scope => fillFlat(flat, scope) };
  return { references, evaluate: scope => (rebuild(root, places, scope) as unknown[])[0] };
}

/** A member of a mapping: what it is, or the place that it is filled at. */
interface FlatMember {
  readonly key: string;
  readonly value: unknown;
  readonly place: Place | undefined;
}

/** The members of a mapping that has no mapping within, as most have none. */
function flatMapping(value: unknown, places: Places): readonly FlatMember[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const own = places.get(value as Container);
  const members = Object.entries(value).map(([key, member]) => ({ key, value: member, place: own?.get(key) }));
  return members.some(member => typeof member.value === 'object' && member.value !== null) ? undefined : members;
}

function fillFlat(members: readonly FlatMember[], scope: Scope): unknown {
  const result: Container = {};
  for (const { key, value, place } of members) set(result, key, place === undefined ? value : fill(place, scope));
  return result;
}

function parseAt(text: string, pointer: string): Template | undefined {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    throw new ArsError('mapping_invalid', `${error.message} (in "${text}")`, {
      details: { ...error.details, pointer },
    });
  }
}

function collect(template: Template, pointer: string, references: Reference[]): void {
  for (const part of template.parts) {
    if (typeof part === 'string') continue;
    const { path, offset, fallback } = part;
    references.push({ path, pointer, offset, hasDefault: fallback !== undefined });
    if (fallback !== undefined && 'path' in fallback)
      references.push({ path: fallback.path, pointer, offset, hasDefault: false });
  }
}

function rebuild(root: Container, places: Places, scope: Scope): unknown {
  const result: Container = [];
  const stack: { from: Container; to: Container }[] = [{ from: root, to: result }];
  for (let work = stack.pop(); work !== undefined; work = stack.pop()) {
    const { from, to } = work;
    const own = places.get(from);
    for (const [key, member] of Object.entries(from)) {
      const place = own?.get(key);
      if (place !== undefined) set(to, key, fill(place, scope));
      else if (typeof member === 'object' && member !== null) {
        const copy: Container = Array.isArray(member) ? [] : {};
        set(to, key, copy);
        stack.push({ from: member as Container, to: copy });
      } else set(to, key, member);
    }
  }
  return result;
}

function set(target: Container, key: string, value: unknown): void {
  if (Array.isArray(target)) target.push(value);
  else if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function fill({ template, pointer }: Place, scope: Scope): unknown {
  const [first] = template.parts;
  if (template.whole && first !== undefined && typeof first !== 'string') return resolve(first, pointer, scope);
  let text = '';
  for (const part of template.parts) {
    if (typeof part === 'string') text += part;
    else {
      const value = resolve(part, pointer, scope);
      const more = typeof value === 'string' ? value : canonicalize(value);
      if (text.length + more.length > MAX_VALUE_SIZE)
        throw new ArsError('mapping_failed', `a text of more than ${MAX_VALUE_SIZE} characters`, {
          details: { pointer },
        });
      text += more;
    }
  }
  return text;
}

function resolve({ path, fallback }: Placeholder, pointer: string, scope: Scope): unknown {
  let value = lookUp(path, scope);
  let last = path;
  if (value === undefined && fallback !== undefined) {
    if ('literal' in fallback) return fallback.literal;
    value = lookUp(fallback.path, scope);
    last = fallback.path;
  }
  if (value !== undefined) return value;
  const written = last.join('.');
  throw new ArsError('mapping_failed', `'${written}' leads to nothing`, { details: { pointer, path: written } });
}

/** Returns the value at a path, undefined where it leads to nothing. */
export function lookUp(path: Path, scope: Scope): unknown {
  const [root, node_id] = path;
  let value: unknown;
  let rest = 1;
  if (root === 'nodes') {
    value = scope.nodes(node_id ?? '');
    rest = 3;
  } else value = scope[root as 'inputs' | 'context' | 'result' | 'error'];
  for (let at = rest; at < path.length; at++) {
    const key = path[at] ?? '';
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^(?:0|[1-9][0-9]*)$/.test(key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
