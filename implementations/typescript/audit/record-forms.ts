import { DECIDING } from '../../../schemas/forms.js';
import type { AuditRecord } from '../../../schemas/types.js';
import { quickChecks } from '../../../schemas/validators.js';
import { canonicalize, PLAIN_TEXT } from '../state/canonical.js';
import { isPlainlyCanonical } from '../state/plainly-canonical.js';

/** How many forms are remembered, and how long a line may be of which parts are kept. */
const MOST_FORMS = 32;
const LONGEST_LINE = 16_384;

/** A whole number that is exact, in canonical form. */
const WHOLE = '0|[1-9][0-9]{0,14}';

/** Members that are looked at in each record, whether or not their text is another one. */
const LINKS = ['sequence', 'prev_hash', 'hash', 'timestamp', 'incarnation'] as const;
/** Members that whoever reads a record compares with a digest. */
const COMPARED: readonly string[] = ['prev_hash', 'hash'] satisfies (typeof LINKS)[number][];

/** What of a record is compared with the one before it and with its own text. */
export type RecordLinks = Pick<AuditRecord, (typeof LINKS)[number]>;

/** A member that does not decide the form. */
interface Member {
  readonly name: string;
  readonly isText: boolean;
  readonly isLink: boolean;
  readonly fits: (value: unknown) => boolean;
  /** Its last text that was found good; many are the same in record after record. */
  good: string | undefined;
}

/** Members that follow each other, and the one after them that takes more to read than a pattern. */
interface Part {
  readonly pattern: RegExp;
  readonly members: readonly Member[];
  readonly nested?: Member;
  /** What stands after the nested one. */
  readonly until: string;
}

/** Records with the same members, and the same values of those that decide which members a record has. */
interface Form {
  readonly parts: readonly Part[];
  /** The form of the record that last came after one of this form. */
  next: Form | undefined;
}

/**
 * The forms that the records of a chain have had, by which another record is read from its text without making a value of it.
 *
 * A line that has the members of a form in their order, and nothing else, is canonical where the text of each value is. It
 * fits the schema where each member does, whose conditions look at nothing but which members there are and at those that
 * decide.
 */
export class RecordForms {
  readonly #forms = new Map<string, Form>();
  #last: Form | undefined;

  /** Remembers the form of a record that was found good. */
  learn(record: AuditRecord): void {
    const values = record as unknown as Readonly<Record<string, unknown>>;
    const key = [...DECIDING.map(name => values[name]), ...Object.keys(values)].join(' ');
    if (!this.#forms.has(key)) {
      if (this.#forms.size === MOST_FORMS) return;
      this.#forms.set(key, { parts: partsOf(values), next: undefined });
    }
    this.#follow(this.#forms.get(key) as Form);
  }

  /**
   * The links of a line that is a record in canonical form, once its two hashes are compared with digests; undefined where
   * that is not easily seen.
   */
  read(line: string): RecordLinks | undefined {
    if (line.length > LONGEST_LINE) return undefined;
    const likely = this.#last?.next;
    const links = likely && linksOf(likely, line);
    if (links !== undefined) {
      this.#last = likely;
      return links;
    }
    for (const form of this.#forms.values()) {
      const found = form === likely ? undefined : linksOf(form, line);
      if (found === undefined) continue;
      this.#follow(form);
      return found;
    }
    return undefined;
  }

  #follow(form: Form): void {
    if (this.#last !== undefined) this.#last.next = form;
    this.#last = form;
  }
}

function partsOf(values: Readonly<Record<string, unknown>>): Part[] {
  const checks = quickChecks('audit-record')?.members ?? {};
  const names = Object.keys(values);
  const parts: Part[] = [];
  let pattern = '\\{';
  let members: Member[] = [];
  for (const [at, name] of names.entries()) {
    const value = values[name];
    const isText = typeof value === 'string';
    const isLink = (LINKS as readonly string[]).includes(name);
    const fits = COMPARED.includes(name) ? () => true : (checks[name] as Member['fits']);
    const member: Member = { name, isText, isLink, fits, good: undefined };
    pattern += `"${name}":`;
    if ((DECIDING as readonly string[]).includes(name)) pattern += canonicalize(value);
    else if (isText || Number.isSafeInteger(value)) {
      pattern += isText ? `"(${PLAIN_TEXT})"` : `(${WHOLE})`;
      members.push(member);
    } else {
      const next = names[at + 1];
      const until = next === undefined ? '}' : `,"${next}":`;
      parts.push({ pattern: new RegExp(pattern, 'y'), members, nested: member, until });
      [pattern, members] = ['', []];
    }
    pattern += at < names.length - 1 ? ',' : '\\}$';
  }
  return [...parts, { pattern: new RegExp(pattern, 'y'), members, until: '' }];
}

function linksOf({ parts }: Form, line: string): RecordLinks | undefined {
  const links: Record<string, string | number> = {};
  let from = 0;
  for (const { pattern, members, nested, until } of parts) {
    pattern.lastIndex = from;
    const found = pattern.exec(line);
    if (found === null) return undefined;
    for (let at = 0; at < members.length; at++) {
      const member = members[at] as Member;
      const text = found[at + 1] as string;
      if (text === member.good && !member.isLink) continue;
      const value = member.isText ? text : Number(text);
      if (text !== member.good && !member.fits(value)) return undefined;
      member.good = text;
      if (member.isLink) links[member.name] = value;
    }
    from = pattern.lastIndex;
    if (nested !== undefined) {
      const end = until === '}' ? line.length - 1 : line.indexOf(until, from);
      if (end < from || !isGood(nested, line.slice(from, end))) return undefined;
      from = end;
    }
  }
  return links as unknown as RecordLinks;
}

function isGood(member: Member, text: string): boolean {
  if (text === member.good) return true;
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainlyCanonical(text, value) && canonicalize(value) !== text) return false;
    if (!member.fits(value)) return false;
  } catch {
    return false;
  }
  member.good = text;
  return true;
}
