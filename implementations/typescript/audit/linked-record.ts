import { completedBy } from '../../../schemas/forms.js';
import { validate } from '../../../schemas/index.js';
import type { AuditRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { canonicalize, digestText } from '../state/canonical.js';
import type { Head, RecordDraft } from './log.js';

/** The members that the log adds to a draft, in canonical order, as a record may have them. */
const PLACED = {
  hash: digestText(''),
  incarnation: 1,
  prev_hash: digestText(''),
  schema_version: '1.0',
  sequence: 1,
  timestamp: '1970-01-01T00:00:00.000Z',
} as const;
const PLACES = Object.keys(PLACED);
const isFit = completedBy('audit-record', PLACED);

/** What the store and its listeners look at in a record before anyone reads it. */
export type RecordFacts = Pick<
  AuditRecord,
  | 'record_type'
  | 'status'
  | 'execution_id'
  | 'context_id'
  | 'parent_execution_id'
  | 'agent_id'
  | 'refers_to'
  | 'request_key'
  | 'confirmation_id'
  | 'evidence_ref'
  | 'gate'
  | 'state_changes'
>;

/** A draft in canonical form but for what the log adds: the texts between the members that it adds, and what it tells. */
export interface PreparedDraft {
  readonly texts: readonly string[];
  readonly facts: RecordFacts;
}

/** A record that has its place in the log: its canonical text, and the record itself once it is asked for. */
export class LinkedRecord {
  /** The record in canonical form, as it is hashed and kept. */
  readonly text: string;
  /** The end of a log that ends with it. */
  readonly head: Head;
  /** What of it is known without reading the text. */
  readonly facts: RecordFacts;
  #record: AuditRecord | undefined;

  constructor(text: string, head: Head, facts: RecordFacts) {
    this.text = text;
    this.head = head;
    this.facts = facts;
  }

  /** The record, which shares nothing with the draft that it was made of. */
  get record(): AuditRecord {
    this.#record ??= JSON.parse(this.text) as AuditRecord;
    return this.#record;
  }
}

/** How a member is written: with a comma after it, or, behind all that the log adds, before it. */
interface Member {
  readonly name: string;
  /** Its place between the members that the log adds. */
  readonly place: number;
  readonly before: string;
  readonly after: string;
  /** The last text or number that it had, and how that is written: many are the same in draft after draft. */
  last: unknown;
  text: string;
}

/** How drafts with the same members in the same order are written. */
interface Writing {
  readonly names: readonly string[];
  readonly members: readonly Member[];
}

/** What no member has. */
const NOTHING = Symbol('nothing');
/** The last ways of writing, by status: drafts of one kind have the same members in the same order. */
const writings = new Map<unknown, Writing[]>();
const MOST_WRITINGS = 8;

/**
 * The canonical text of a draft, ready for its place. Throws `not_canonical`, or `invalid_document` for a member that only
 * the log sets and where the record would not fit its schema.
 */
export function prepareDraft(draft: RecordDraft): PreparedDraft {
  const values = draft as unknown as Readonly<Record<string, unknown>>;
  const texts = ['', '', '', '', '', '', ''];
  let changes: string | undefined;
  for (const member of writingOf(values)) {
    const { name, place } = member;
    const value = values[name];
    if (value !== member.last) {
      const text = memberText(value, name);
      if (name === 'state_changes') changes = text;
      member.text = `${member.before}${text}${member.after}`;
      member.last = typeof value === 'object' ? NOTHING : value;
    }
    texts[place] += member.text;
  }
  checkDraft(values);
  return { texts, facts: factsOf(draft, changes) };
}

function writingOf(values: Readonly<Record<string, unknown>>): readonly Member[] {
  const names = Object.keys(values);
  const known = writings.get(values.status);
  for (const writing of known ?? []) if (isSame(writing.names, names)) return writing.members;
  const writing = { names, members: names.toSorted().map(memberOf) };
  if (known === undefined) {
    if (typeof values.status === 'string' && values.status.length < 32 && writings.size < 64)
      writings.set(values.status, [writing]);
  } else if (known.length < MOST_WRITINGS) known.push(writing);
  return writing.members;
}

function memberOf(name: string): Member {
  if (PLACES.includes(name))
    throw new ArsError('invalid_document', `the member "${name}" of a record is set by the log`, {
      details: { pointer: `/${name}` },
    });
  const found = PLACES.findIndex(placed => placed > name);
  const place = found === -1 ? PLACES.length : found;
  const [before, after] = found === -1 ? [',', ''] : ['', ','];
  return { name, place, before: `${before}${JSON.stringify(name)}:`, after, last: NOTHING, text: '' };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

function memberText(value: unknown, name: string): string {
  if (Array.isArray(value) && value.length === 0) return '[]';
  try {
    return canonicalize(value);
  } catch (error) {
    if (error instanceof ArsError) {
      const pointer = `/${name}${error.details.pointer ?? ''}`;
      throw new ArsError(error.code, `in the record: ${error.message}`, { details: { pointer }, cause: error });
    }
    throw error;
  }
}

function checkDraft(draft: Readonly<Record<string, unknown>>): void {
  if (isFit(draft)) return;
  const defects = validate('audit-record', { ...PLACED, ...draft });
  throw new ArsError(
    'invalid_document',
    `the record does not fit its schema at "${defects[0]?.pointer}": ${defects[0]?.message}`,
    { details: { defects } },
  );
}

function factsOf(draft: RecordDraft, changes: string | undefined): RecordFacts {
  const { refers_to } = draft;
  return {
    record_type: draft.record_type,
    status: draft.status,
    execution_id: draft.execution_id,
    context_id: draft.context_id,
    parent_execution_id: draft.parent_execution_id,
    agent_id: draft.agent_id,
    refers_to: refers_to && [...refers_to],
    request_key: draft.request_key,
    confirmation_id: draft.confirmation_id,
    evidence_ref: draft.evidence_ref,
    gate: draft.gate,
    state_changes: changes && JSON.parse(changes),
  } as RecordFacts;
}

/** The record that follows `head`: the draft with its place, time and links. The record shares nothing with the draft. */
export function linkRecord(
  { texts, facts }: PreparedDraft,
  head: Head,
  incarnation: number,
  timestamp: string,
): LinkedRecord {
  const [first, second, third, fourth, fifth, sixth, after] = texts;
  const sequence = head.sequence + 1;
  const rest =
    `${second}"incarnation":${incarnation},${third}"prev_hash":"${head.hash}",${fourth}"schema_version":"1.0",` +
    `${fifth}"sequence":${sequence},${sixth}"timestamp":"${timestamp}"${after}}`;
  const hash = digestText(`{${first}${rest}`);
  return new LinkedRecord(`{${first}"hash":"${hash}",${rest}`, { sequence, hash }, facts);
}
