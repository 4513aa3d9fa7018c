import type { Spend } from '../../../schemas/pattern/index.js';
import { excerpt } from '../state/excerpt.js';
import type { Applicator, Applying, Standing, Task } from './schema-applicators.js';
import type { Assertion } from './schema-assertions.js';
import type { Resource } from './schema-resources.js';

/** A schema, or one inside it, ready to be applied to values. */
export interface Part {
  readonly assertions: readonly Assertion[];
  readonly applicators: readonly Applicator[];
  readonly resource: Resource | undefined;
  /** What it stands for where it is nothing but a reference to another part of its resource. */
  readonly standsFor: Part | undefined;
}

/** A schema as a whole. */
export interface Whole {
  readonly root: Part;
  /** Whether a part asks for what others have looked at. */
  readonly isMarked: boolean;
  /** Whether a reference asks for the resources it was reached by. */
  readonly isDynamic: boolean;
  /** How many parts can be applied one after the other to the same value, unless they go in a circle. */
  readonly mostInPlace: number;
}

/** The resources that a part was reached by, the outermost last. */
export interface Scope {
  readonly resource: Resource;
  readonly outer: Scope | undefined;
}

/** How many problems of a value are counted. */
const MOST_COUNTED = 100;
/** How many of them are told one by one, and how much of each, in characters. */
const MOST_TOLD = 5;
const PROBLEM_LENGTH = 200;

/** A schema applies itself to the same value again and again. */
export class EndlessReference extends Error {}

/** Where in the value something is; undefined is the value itself. */
interface Place {
  readonly key: string | number;
  readonly outer: Place | undefined;
}

/** A part that is being applied. */
interface Frame extends Standing {
  readonly part: Part;
  readonly value: unknown;
  readonly place: Place | undefined;
  /** How many parts before it are applied to the same value. */
  readonly inPlace: number;
  next: number;
  running: Applying | undefined;
  /** How much had been told when the running keyword began. */
  told: number;
}

/**
 * Applies a schema to a value: gives the first few problems in words, each with its place after `name`, and how many more
 * there are; undefined where it fits.
 *
 * Neither the schema's depth nor the value's is on the stack. `spend` is told what each part costs that
 * is applied to a part of the value, 1 or `perPart` where there are parts in it, and may throw to end it. Throws `EndlessReference`.
 */
export function evaluate(whole: Whole, value: unknown, name: string, price: Price): string | undefined {
  const evaluation = new Evaluation(whole, price);
  if (evaluation.fits(value)) return undefined;
  const problems = new Set(
    evaluation.told.map(([place, message]) => excerpt(`${name}${pointerOf(place)} ${message}`, PROBLEM_LENGTH)),
  );
  const told = [...problems].slice(0, MOST_TOLD);
  const left = problems.size - told.length;
  if (left === 0) return told.join(', ');
  return `${told.join(', ')}, and ${evaluation.told.length < MOST_COUNTED ? left : `at least ${left}`} more`;
}

/** What the application of a part costs that has parts in it, and who is told. */
export interface Price {
  readonly spend: Spend;
  readonly perPart: number;
}

class Evaluation {
  readonly #whole: Whole;
  readonly #price: Price;
  readonly #stack: Frame[] = [];
  readonly told: [place: Place | undefined, message: string][] = [];

  constructor(whole: Whole, price: Price) {
    this.#whole = whole;
    this.#price = price;
  }

  fits(value: unknown): boolean {
    let answer = this.#apply([this.#whole.root, value], undefined);
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1))
      answer = this.#step(frame, answer);
    return answer === true;
  }

  /** Goes on with a part, where it waits for an answer with that. Gives its own answer, or that of one it has asked; undefined while there is none. */
  #step(frame: Frame, answer: boolean | undefined): boolean | undefined {
    if (frame.running === undefined) {
      const applicator = frame.part.applicators[frame.next++];
      if (applicator === undefined) return this.#end(true);
      frame.running = applicator(frame.value, frame);
      frame.told = this.told.length;
      if (frame.running === undefined) return undefined;
    }
    const step = frame.running.next(answer === true);
    if (step.done !== true) return this.#apply(step.value, frame);
    frame.running = undefined;
    if (step.value === undefined) {
      this.told.length = Math.min(this.told.length, frame.told);
      return undefined;
    }
    if (step.value !== '') this.#tell(frame.place, step.value);
    if (frame.marks !== undefined) frame.marks.length = frame.since;
    return this.#end(false);
  }

  #end(answer: boolean): boolean {
    this.#stack.pop();
    return answer;
  }

  /** Gives the answer where the value by itself decides it; else puts the part on the stack. */
  #apply([given, value, key]: Task, from: Frame | undefined): boolean | undefined {
    this.#price.spend(1);
    const part = given.standsFor ?? given;
    for (const assertion of part.assertions) {
      const message = assertion(value);
      if (message === undefined) continue;
      this.#tell(placeOf(from, key), message);
      return false;
    }
    if (part.applicators.length === 0) return true;
    this.#price.spend(this.#price.perPart);
    const isSame = key === undefined && from !== undefined;
    const marks = isSame ? from.marks : this.#whole.isMarked ? [] : undefined;
    const inPlace = isSame ? from.inPlace + 1 : 0;
    if (inPlace > this.#whole.mostInPlace) throw new EndlessReference();
    this.#stack.push({
      part,
      value,
      place: placeOf(from, key),
      scope: this.#whole.isDynamic ? scopeOf(part, from?.scope) : undefined,
      inPlace,
      marks,
      since: marks?.length ?? 0,
      next: 0,
      running: undefined,
      told: 0,
    });
    return undefined;
  }

  #tell(place: Place | undefined, message: string): void {
    if (this.told.length < MOST_COUNTED) this.told.push([place, message]);
  }
}

function placeOf(from: Frame | undefined, key: string | number | undefined): Place | undefined {
  return key === undefined ? from?.place : { key, outer: from?.place };
}

/** Only where a resource is entered first counts. */
function scopeOf({ resource }: Part, outer: Scope | undefined): Scope | undefined {
  if (resource === undefined) return outer;
  for (let scope = outer; scope !== undefined; scope = scope.outer) if (scope.resource === resource) return outer;
  return { resource, outer };
}

/** The longest pointer that is told in full. */
const LONGEST_POINTER = 1000;

function pointerOf(place: Place | undefined): string {
  const keys: string[] = [];
  for (let at = place; at !== undefined; at = at.outer)
    keys.push(String(at.key).replaceAll('~', '~0').replaceAll('/', '~1'));
  const pointer = keys
    .map(key => `/${key}`)
    .reverse()
    .join('');
  return pointer.length > LONGEST_POINTER ? `${pointer.slice(0, LONGEST_POINTER)}…` : pointer;
}
