import type { SchemaName } from './load.js';
import { type QuickChecks, quickChecks } from './validators.js';

/** What the conditions of a schema with quick checks look at, besides which members there are. */
export const DECIDING = ['record_type', 'status'] as const;

/** How many forms are remembered; a program writes objects of few forms, a hostile text may have any. */
const MOST_FORMS = 512;

type Check = (value: unknown) => boolean;

/** Members in their order, and the two values that decide with them. */
interface Form {
  readonly names: readonly string[];
  readonly type: unknown;
  readonly checks: readonly Check[];
  /** Of each member the last text that fitted: many are the same in object after object. */
  readonly texts: (string | undefined)[];
}

/**
 * The forms of objects that have fitted a schema: which members, in which order, with which values of {@link DECIDING}.
 *
 * Another object of such a form fits where each of its members does by itself: the conditions of the schema look at nothing
 * else, which a test makes sure of.
 */
export class Forms {
  readonly #checks: QuickChecks;
  readonly #given: object | undefined;
  readonly #byStatus = new Map<unknown, Form[]>();
  #count = 0;

  /** `given`: members that every object is given besides its own before it is checked; they fit. */
  constructor(checks: QuickChecks, given?: object) {
    this.#checks = checks;
    this.#given = given;
  }

  /** Whether the value fits. */
  fits(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#fitsWhole(value);
    const object = value as Readonly<Record<string, unknown>>;
    const { [DECIDING[0]]: type, [DECIDING[1]]: status } = object;
    const names = Object.keys(object);
    for (const form of this.#byStatus.get(status) ?? [])
      if (form.type === type && isSame(form.names, names)) return fitsForm(form, object);
    if (!this.#fitsWhole(value)) return false;
    this.#note(names, type, status);
    return true;
  }

  #fitsWhole(value: unknown): boolean {
    const whole = this.#given === undefined ? value : { ...this.#given, ...(value as object) };
    for (const check of this.#checks.whole) if (!check(whole)) return false;
    return true;
  }

  #note(names: readonly string[], type: unknown, status: unknown): void {
    if (this.#count === MOST_FORMS) return;
    this.#count += 1;
    const checks = names.map(name => this.#checks.members[name] as Check);
    const form = { names, type, checks, texts: names.map(() => undefined) };
    const others = this.#byStatus.get(status);
    if (others === undefined) this.#byStatus.set(status, [form]);
    else others.push(form);
  }
}

function fitsForm({ checks, texts }: Form, object: object): boolean {
  const members: readonly unknown[] = Object.values(object);
  for (let at = 0; at < members.length; at++) {
    const member = members[at];
    if (typeof member !== 'string') {
      if (!(checks[at] as Check)(member)) return false;
    } else if (member !== texts[at]) {
      if (!(checks[at] as Check)(member)) return false;
      texts[at] = member;
    }
  }
  return true;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

const forms = new Map<SchemaName, Forms | undefined>();

/** Gives the forms of a schema that has quick checks; undefined of any other. */
export function formsOf(name: SchemaName): Forms | undefined {
  const known = forms.get(name);
  if (known !== undefined || forms.has(name)) return known;
  const made = newForms(name);
  forms.set(name, made);
  return made;
}

function newForms(name: SchemaName, given?: object): Forms | undefined {
  const checks = quickChecks(name);
  return checks && new Forms(checks, given);
}

/**
 * Gives what tells whether an object fits a schema that has quick checks, once it has the given members too, which fit.
 * Throws a RangeError where the schema has none.
 */
export function completedBy(name: SchemaName, given: object): (value: object) => boolean {
  const own = newForms(name, given);
  if (own === undefined) throw new RangeError(`The schema "${name}" has no quick checks.`);
  return value => own.fits(value);
}
