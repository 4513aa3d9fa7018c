import type { Finding } from '../../../../schemas/types.js';
import { highestMatch, parseReference } from '../../workflow/resolve.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The part of a picture that stands for a start that is no node. */
export const NAMED_START = '/workflow/start';

/** What of a document says which of its parts a finding is about. */
export interface DocumentParts {
  /** Nodes by their places in the list. */
  readonly nodes: readonly (readonly [index: number, node: JsonObject])[];
  /** The places of the nodes without in-edges. */
  readonly sources: readonly number[];
  readonly actions: readonly (readonly [index: number, action: JsonObject])[];
  /** Whether the start is named, and whether it is a node. */
  readonly start: 'absent' | 'node' | 'unknown';
}

/** Returns the node or edge that a pointer leads to, or into. */
export function partAt(pointer: string): string | undefined {
  return /^\/(?:nodes|edges)\/[0-9]+(?=\/|$)/.exec(pointer)?.[0];
}

/** Finds the parts of a picture that findings are about. */
export class FindingParts {
  readonly #parts: DocumentParts;
  /** By the names of actions: the nodes that refer to it, and the versions that are defined. */
  readonly #users = new Map<string, (readonly [part: string, range: string])[]>();
  readonly #versions = new Map<string, { readonly version: string }[]>();
  readonly #actions: ReadonlyMap<number, JsonObject>;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    for (const [index, { action_def }] of parts.nodes) {
      if (typeof action_def !== 'string') continue;
      const { name, range } = parseReference(action_def);
      push(this.#users, name, [`/nodes/${index}`, range] as const);
    }
    this.#actions = new Map(parts.actions);
    for (const { action_id, version } of this.#actions.values())
      if (typeof action_id === 'string' && typeof version === 'string') push(this.#versions, action_id, { version });
  }

  /**
   * Returns the parts that a finding is about, as pointers: where it stands; of several starts all of them; of a definition
   * the nodes that execute it; else what it names beside. None where it is about a node by name alone, or about nothing that is drawn.
   */
  of({ rule, pointer, node_id, related }: Finding): readonly string[] {
    const { start, sources } = this.#parts;
    const own = partAt(pointer);
    if (own !== undefined) return rule === 'S4' && start === 'absent' ? sources.map(index => `/nodes/${index}`) : [own];
    if (pointer === NAMED_START && start === 'unknown') return [NAMED_START];
    if (node_id !== undefined) return [];
    const [, action] = /^\/actions\/([0-9]+)(?:\/|$)/.exec(pointer) ?? [];
    return action === undefined ? related.flatMap(place => partAt(place.pointer) ?? []) : this.#usersOf(Number(action));
  }

  #usersOf(at: number): string[] {
    const { action_id, version } = this.#actions.get(at) ?? {};
    if (typeof action_id !== 'string') return [];
    const versions = this.#versions.get(action_id) ?? [];
    const users = this.#users.get(action_id) ?? [];
    return users.filter(([, range]) => highestMatch(versions, range)?.version === version).map(([part]) => part);
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
