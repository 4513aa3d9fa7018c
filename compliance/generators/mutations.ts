import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import { hashOf } from '../history/chain.js';

/** A change of an exported log that a reader has to notice. Places are taken modulo what there is. */
export interface Mutation {
  readonly kind: 'flip' | 'drop' | 'swap' | 'splice' | 'truncate' | 'duplicate' | 'rehash';
  readonly line: number;
  readonly column: number;
  readonly character: string;
}

/** All kinds of changes. What only a head kept elsewhere shows, such as the loss of the last lines, is not among them. */
export const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('flip', 'drop', 'swap', 'splice', 'truncate', 'duplicate', 'rehash'),
  line: fc.nat(9999),
  column: fc.nat(9999),
  character: fc.constantFrom('0', 'a', '}', '"', ' ', 'é', '\u0000'),
});

/**
 * The text with one change, or undefined where the change needs more lines than there are. `other` is another log, from
 * which a splice takes its line.
 */
export function mutate(text: string, mutation: Mutation, other: string): string | undefined {
  const lines = linesOf(text);
  const at = mutation.line % Math.max(1, lines.length);
  const inner = mutation.line % Math.max(1, lines.length - 1);
  const line = lines[at];
  if (line === undefined) return undefined;
  const changed = (index: number, count: number, ...put: string[]) => lines.toSpliced(index, count, ...put).join('');
  switch (mutation.kind) {
    case 'flip':
      return changed(at, 1, flip(line, mutation));
    case 'drop':
      return lines.length < 2 ? undefined : changed(inner, 1);
    case 'swap':
      return lines.length < 2 ? undefined : changed(inner, 2, lines[inner + 1] ?? '', lines[inner] ?? '');
    case 'splice':
      return different(changed(at, 1, linesOf(other)[at] ?? other), text);
    case 'truncate':
      return text.slice(0, lines.slice(0, at).join('').length + 1 + (mutation.column % (line.length - 1)));
    case 'duplicate':
      return changed(at, 0, line);
    case 'rehash':
      return lines.length < 2 ? undefined : changed(inner, 1, rehash(lines[inner] ?? ''));
  }
}

function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

function different(changed: string, text: string): string | undefined {
  return changed === text ? undefined : changed;
}

function flip(line: string, { column, character }: Mutation): string {
  const at = column % line.length;
  const put = line.charAt(at) === character ? '#' : character;
  return line.slice(0, at) + put + line.slice(at + 1);
}

/** The record with another agent and a hash that fits; what follows it still points to the old one. */
function rehash(line: string): string {
  const record = { ...(JSON.parse(line) as Record<string, unknown>), agent_id: 'someone-else' };
  return `${canonicalize({ ...record, hash: hashOf(record) })}\n`;
}
