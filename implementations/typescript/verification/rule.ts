import type { Finding, RelatedPlace, Severity } from '../../../schemas/types.js';
import type { VerificationContext } from './context.js';
import type { ReferenceUser, UsedDefinition } from './references.js';

/** A finding before the rule that made it is written into it; one of many has the place for that from the start. */
export type FindingDraft = Omit<Finding, 'rule' | 'severity' | 'location'> &
  Partial<Pick<Finding, 'rule' | 'severity'>>;

/** What a rule says of a workflow. */
export interface RuleOutcome {
  readonly findings: readonly FindingDraft[];
  /** Why the rule, or a part of it, was not evaluated; absent where all of it was. */
  readonly notEvaluated?: string;
}

/** One way in which a rule can be broken. */
export interface FindingKind {
  /** The example of it is `examples/invalid/<rule>-<id>.yaml`; mended, it is in `examples/valid/`. */
  readonly id: string;
  /** What is wrong, in a few words. */
  readonly summary: string;
  /** What the message of such a finding looks like, and that of no other kind of the rule. */
  readonly message: RegExp;
}

/** One rule of static verification. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** The exact meaning, in one sentence. */
  readonly requirement: string;
  /** What goes wrong where the rule is broken. */
  readonly why: string;
  /** What to do about a finding, in general. */
  readonly help: string;
  /** Every way in which it can be broken. */
  readonly kinds: readonly FindingKind[];
  /** Nodes and edges in YAML: a workflow that breaks the rule, and the same one mended. */
  readonly failing: string;
  readonly passing: string;
  check(context: VerificationContext): RuleOutcome;
}

/** Returns a name as a segment of a pointer. */
export function pointerSegment(name: string): string {
  return name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

/** Returns a related place at a node. */
export function atNode(context: VerificationContext, node: number, message: string): RelatedPlace {
  return { pointer: context.nodePointer(node), node_id: context.node(node).node_id, message };
}

/** Returns a related place at an edge. */
export function atEdge(context: VerificationContext, edge: number, message: string): RelatedPlace {
  return { pointer: context.edgePointer(edge), message };
}

/** Returns the edge as findings carry it. */
export function findingEdge(context: VerificationContext, edge: number): NonNullable<Finding['edge']> {
  const { from_node, to_node, label } = context.edge(edge);
  return { from_node, to_node, label: typeof label === 'string' ? label : '' };
}

/** Returns an edge in words: "a" –success→ "b". */
export function edgeText(context: VerificationContext, edge: number): string {
  const { from_node, to_node, label } = context.edge(edge);
  const arrow = label === undefined ? '→' : `–${labelText(label)}→`;
  return `"${from_node}" ${arrow} "${to_node}"`;
}

/**
 * Returns a label in words. That of an ill-formed edge can be any value: a list or an object is not asked for its text, which
 * it need not have, as with a member `toString`.
 */
export function labelText(label: unknown): string {
  if (Array.isArray(label)) return '[…]';
  return typeof label === 'object' && label !== null ? '{…}' : String(label);
}

/** How many users of one thing a finding points at. */
const USERS_SHOWN = 4;

/** Returns the related places of those that use what a finding is about. */
export function usersOf(users: readonly ReferenceUser[]): RelatedPlace[] {
  return users
    .slice(0, USERS_SHOWN)
    .map(({ pointer, name, node_id }) => ({ pointer, node_id, message: `${name} uses it` }));
}

/** Returns the finding about a definition: where the workflow defines it, else where it is used first. */
export function definitionFinding(
  { action, users, pointer }: UsedDefinition,
  field: string,
  what: string,
  help: string,
): FindingDraft {
  const [first, ...others] = users;
  const place =
    pointer === undefined ? (first?.pointer ?? '') : field !== '' && field in action ? `${pointer}/${field}` : pointer;
  return {
    ...(first === undefined ? {} : { node_id: first.node_id }),
    pointer: place,
    message: `The action "${action.action_id}@${action.version}" ${what}`,
    related: usersOf(pointer === undefined ? others : users),
    help,
  };
}

/** Compares names by UTF-16 code unit, as everything in ARS does. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares names as {@link compareNames} does, but the numbers in them by their size: "9" comes before "10". */
export function compareNaturally(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  while (at > 0 && isDigit(a, at - 1)) at--;
  const one = numberAt(a, at);
  const other = numberAt(b, at);
  if (one === '' || other === '' || one === other) return compareNames(a, b);
  return one.length - other.length || compareNames(one, other);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** The digits at a place of a text, without zeros before them. */
function numberAt(text: string, start: number): string {
  let end = start;
  while (isDigit(text, end)) end++;
  let first = start;
  while (first < end - 1 && text[first] === '0') first++;
  return text.slice(first, end);
}

/** Returns quoted names as a list in words; after some, only how many more there are, of `count` in all. */
export function listNames(names: readonly string[], most = 5, count = names.length): string {
  const quoted = names.slice(0, most).map(name => `"${name}"`);
  if (count > most) return `${quoted.join(', ')} and ${count - most} more`;
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`;
}
