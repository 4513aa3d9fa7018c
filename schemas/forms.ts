import type { SchemaName } from './load.js';
import { type QuickChecks, quickChecks } from './validators.js';

/** What the conditions of a schema with quick checks look at, besides which members there are. */
export const DECIDING = ['record_type', 'status'] as const;

/** How many members of forms are remembered; a program writes objects of few forms, a hostile text may have any. */
const MOST_MEMBERS = 8192;

type Check = (value: unknown) => boolean;

/** Members in their order, with values of the members of {@link DECIDING}. */
interface Form {
  readonly names: readonly string[];
  readonly checks: readonly Check[];
  readonly fitting: Map<unknown, Set<unknown>>;
  /** Of each member the last text that fitted: many are the same in object after object. */
  readonly texts: (string | undefined)[];
}

/** What forms begin with, and how they go on from there, by the next member. */
interface Beginning {
  readonly longer: Map<string, Beginning>;
  form: Form | undefined;
}

/**
 * The forms of objects that have fitted a schema: which members, in which order, with which values of {@link DECIDING}.
 *
 * Another object of such a form fits where each of its members does by itself: the conditions of the schema look at nothing
 * else, which a test makes sure of.
 */
export class Forms {
  readonly #checks: QuickChecks;
  readonly #root: Beginning = { longer: new Map(), form: undefined };
  /** The form that was found last, by the number of members. */
  readonly #recent: (Form | undefined)[] = [];
  #members = 0;

  constructor(checks: QuickChecks) {
    this.#checks = checks;
  }

  /** Whether the value fits. */
  fits(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#fitsWhole(value);
    const names = Object.keys(value);
    const form = this.#find(names);
    const object = value as Readonly<Record<string, unknown>>;
    const [one, other] = [object[DECIDING[0]], object[DECIDING[1]]];
    if (form?.fitting.get(one)?.has(other) === true) return fitsForm(form, object);
    if (!this.#fitsWhole(value)) return false;
    note(form ?? this.#newForm(names), one, other);
    return true;
  }

  #fitsWhole(value: unknown): boolean {
    for (const check of this.#checks.whole) if (!check(value)) return false;
    return true;
  }

  #find(names: readonly string[]): Form | undefined {
    const recent = this.#recent[names.length];
    if (recent !== undefined && isSame(recent.names, names)) return recent;
    let place: Beginning | undefined = this.#root;
    for (let at = 0; at < names.length && place !== undefined; at++) place = place.longer.get(names[at] as string);
    if (place?.form !== undefined) this.#recent[names.length] = place.form;
    return place?.form;
  }

  #newForm(names: readonly string[]): Form | undefined {
    let place = this.#root;
    for (const name of names) {
      let next = place.longer.get(name);
      if (next === undefined) {
        if (this.#members === MOST_MEMBERS) return undefined;
        this.#members += 1;
        next = { longer: new Map(), form: undefined };
        place.longer.set(name, next);
      }
      place = next;
    }
    const checks = names.map(name => this.#checks.members[name] as Check);
    place.form = { names, checks, fitting: new Map(), texts: names.map(() => undefined) };
    return place.form;
  }
}

function fitsForm({ names, checks, texts }: Form, object: Readonly<Record<string, unknown>>): boolean {
  for (let at = 0; at < names.length; at++) {
    const member = object[names[at] as string];
    if (typeof member !== 'string') {
      if (!(checks[at] as Check)(member)) return false;
    } else if (member !== texts[at]) {
      if (!(checks[at] as Check)(member)) return false;
      texts[at] = member;
    }
  }
  return true;
}

function note(form: Form | undefined, one: unknown, other: unknown): void {
  const others = form?.fitting.get(one);
  if (others === undefined) form?.fitting.set(one, new Set([other]));
  else others.add(other);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

const forms = new Map<SchemaName, Forms | undefined>();

/** Gives the forms of a schema that has quick checks; undefined of any other. */
export function formsOf(name: SchemaName): Forms | undefined {
  const known = forms.get(name);
  if (known !== undefined || forms.has(name)) return known;
  const checks = quickChecks(name);
  const made = checks && new Forms(checks);
  forms.set(name, made);
  return made;
}
