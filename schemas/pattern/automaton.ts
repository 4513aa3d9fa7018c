import { type CharacterTest, CONDITION, OPERATION, type Program } from './program.js';

/** Where a program is between two characters, before it goes on to what takes no character. */
interface Place {
  readonly instructions: Int32Array;
  /** Where it goes on to where no condition that it asks for holds. */
  amid: Reached | undefined;
  readonly elsewhere: Map<number, Reached>;
}

/** Where a program is under the conditions of a place in the text. */
interface Reached {
  readonly accepts: boolean;
  /** The instructions that take a character. */
  readonly takers: Int32Array;
  /** What to get here costs, in instructions, whether it is remembered or not. */
  readonly cost: number;
  readonly byClass: (Place | undefined)[];
  readonly byCharacter: Map<number, Place>;
}

/** Called with the number of instructions that were gone through; throws where they are too many. */
export type Spend = (instructions: number) => void;

/** Gives which of the conditions that are asked for hold at a place in a text. */
export type ConditionsAt = (at: number, asked: number) => number;

/** How many instructions are remembered beside those of the program. */
const REMEMBERED = 8192;
const SPENT_AT_ONCE = 4096;
/** To remember pays where this many characters go through what was remembered of one. */
const WORTH_REMEMBERING = 10;
const NOWHERE: Map<number, Reached> = new Map();
const UNITS_AT_ONCE = 4096;

/** A program that is run: it goes through a text once, and remembers where a character led it from where. */
export class Automaton {
  readonly #program: Program;
  readonly #unicode: boolean;
  readonly #places = new Map<string, Place>();
  /** For each instruction the round in which it was found last. */
  readonly #mark: Int32Array;
  readonly #found: Int32Array;
  readonly #takers: Int32Array;
  #start: Place | undefined;
  #round = 0;
  #remembered = 0;
  /** How many characters led to where nothing was remembered of, since the place in the text where it last forgot. */
  #missed = 0;
  #forgotAt = 0;
  #isForgetful = false;

  constructor(program: Program, unicode: boolean) {
    this.#program = program;
    this.#unicode = unicode;
    const size = program.code.length / 3;
    [this.#mark, this.#found, this.#takers] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  }

  /** Whether there is a match anywhere in the text. */
  test(text: string, conditionsAt: ConditionsAt, spend: Spend): boolean {
    return this.#run(text, conditionsAt, spend, undefined);
  }

  /** Notes at which places of the text a match ends, or begins for a program that reads backward. */
  note(text: string, conditionsAt: ConditionsAt, spend: Spend, noted: Uint8Array): void {
    this.#run(text, conditionsAt, spend, noted);
  }

  #run(text: string, conditionsAt: ConditionsAt, spend: Spend, noted: Uint8Array | undefined): boolean {
    const { backward, anchored, classes, conditions, entry } = this.#program;
    this.#start ??= this.#place(Int32Array.of(entry));
    let place = this.#start;
    const last = backward ? 0 : text.length;
    let cost = 0;
    this.#isForgetful = false;
    this.#begin(text.length - last);
    for (let at = text.length - last; ; ) {
      const isAmid = conditions < CONDITION.boundary && at > 0 && at < text.length;
      const holding = isAmid ? 0 : conditionsAt(at, conditions);
      const reached = (holding === 0 ? place.amid : place.elsewhere.get(holding)) ?? this.#reach(place, holding);
      cost += reached.cost;
      if (cost > SPENT_AT_ONCE) {
        spend(cost);
        cost = 0;
      }
      if (reached.accepts) {
        if (noted === undefined) break;
        noted[at] = 1;
      }
      if (at === last || (anchored && reached.takers.length === 0)) {
        spend(cost);
        return false;
      }
      const character = backward ? characterBefore(text, at, this.#unicode) : characterAt(text, at, this.#unicode);
      at += (character > 0xffff ? 2 : 1) * (backward ? -1 : 1);
      const known =
        character < 128 ? reached.byClass[classes[character] as number] : reached.byCharacter.get(character);
      if (this.#remembered > REMEMBERED + this.#program.code.length) this.#forget(at);
      place = known ?? this.#step(reached, character);
    }
    spend(cost);
    return true;
  }

  #step(reached: Reached, character: number): Place {
    const { anchored, classes, entry } = this.#program;
    const mark = this.#mark;
    const found = this.#found;
    const round = ++this.#round;
    let count = 0;
    if (!anchored) {
      mark[entry] = round;
      found[count++] = entry;
    }
    count = this.#take(reached.takers, character, count);
    const next = found.slice(0, count);
    if (this.#isForgetful) return { instructions: next, amid: undefined, elsewhere: NOWHERE };
    const place = this.#place(next.sort());
    this.#remembered++;
    this.#missed++;
    if (character < 128) reached.byClass[classes[character] as number] = place;
    else reached.byCharacter.set(character, place);
    return place;
  }

  /** Finds where the character leads from its takers, each place once; gives how many are found with those before. */
  #take(takers: Int32Array, character: number, before: number): number {
    const { code, tests } = this.#program;
    const mark = this.#mark;
    const found = this.#found;
    const round = this.#round;
    let count = before;
    for (let index = 0; index < takers.length; index++) {
      const taker = (takers[index] as number) * 3;
      const to = code[taker + 2] as number;
      if (mark[to] === round || !(tests[code[taker + 1] as number] as CharacterTest)(character)) continue;
      mark[to] = round;
      found[count++] = to;
    }
    return count;
  }

  /** Forgets what is remembered, for the rest of the run where it was asked for too seldom. */
  #forget(at: number): void {
    this.#places.clear();
    this.#start = undefined;
    this.#remembered = 0;
    this.#isForgetful = Math.abs(at - this.#forgotAt) < WORTH_REMEMBERING * this.#missed;
    this.#begin(at);
  }

  #begin(at: number): void {
    this.#forgotAt = at;
    this.#missed = 0;
  }

  #place(instructions: Int32Array): Place {
    const key = keyOf(instructions);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = { instructions, amid: undefined, elsewhere: new Map() };
      this.#places.set(key, place);
      this.#remembered += instructions.length + 1;
    }
    return place;
  }

  #reach(place: Place, conditions: number): Reached {
    const reached = this.#goOn(place.instructions, conditions);
    if (this.#isForgetful) return reached;
    if (conditions === 0) place.amid = reached;
    else place.elsewhere.set(conditions, reached);
    this.#remembered += reached.takers.length + 1;
    return reached;
  }

  #goOn(from: Int32Array, conditions: number): Reached {
    const { code } = this.#program;
    const mark = this.#mark;
    const open = this.#found;
    const takers = this.#takers;
    const round = ++this.#round;
    let [height, count, cost, accepts] = [from.length, 0, 1, false];
    open.set(from);
    for (const at of from) mark[at] = round;
    while (height > 0) {
      const at = open[--height] as number;
      const operation = code[at * 3];
      const argument = code[at * 3 + 1] as number;
      const next = code[at * 3 + 2] as number;
      cost++;
      if (operation === OPERATION.take) takers[count++] = at;
      else if (operation === OPERATION.accept) accepts = true;
      else {
        const isSplit = operation === OPERATION.split;
        if (isSplit && mark[argument] !== round) {
          mark[argument] = round;
          open[height++] = argument;
        }
        const isHeld = isSplit || ((conditions & argument) !== 0) === (operation === OPERATION.holds);
        if (isHeld && mark[next] !== round) {
          mark[next] = round;
          open[height++] = next;
        }
      }
    }
    return { accepts, takers: takers.slice(0, count), cost, byClass: [], byCharacter: new Map() };
  }
}

/** A text for a set of instructions, of which there are fewer than there are code units. */
function keyOf(instructions: Int32Array): string {
  let key = '';
  for (let from = 0; from < instructions.length; from += UNITS_AT_ONCE)
    key += String.fromCharCode(...instructions.subarray(from, from + UNITS_AT_ONCE));
  return key;
}

/** Gives what tells the conditions of a place in a text; those of look-arounds are what was noted of them. */
export function conditionsOf(
  text: string,
  noted: readonly Uint8Array[],
  isWord: (character: number) => boolean,
): ConditionsAt {
  return (at, asked) => {
    let conditions = (at === 0 ? CONDITION.start : 0) | (at === text.length ? CONDITION.end : 0);
    if (asked >= CONDITION.boundary) {
      const before = at > 0 && isWord(text.charCodeAt(at - 1));
      const after = at < text.length && isWord(text.charCodeAt(at));
      if (before !== after) conditions |= CONDITION.boundary;
      for (let index = 0; index < noted.length; index++)
        if (noted[index]?.[at] === 1) conditions |= CONDITION.around << index;
    }
    return conditions & asked;
  };
}

function characterAt(text: string, at: number, unicode: boolean): number {
  const unit = text.charCodeAt(at);
  return unicode && unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(at) as number) : unit;
}

function characterBefore(text: string, at: number, unicode: boolean): number {
  const unit = text.charCodeAt(at - 1);
  if (!unicode || unit < 0xdc00 || unit > 0xdfff || at < 2) return unit;
  const pair = text.codePointAt(at - 2) as number;
  return pair > 0xffff ? pair : unit;
}
