import type { AST } from '@eslint-community/regexpp';
import { isAnchored } from './backtracking.js';
import { nativeTest, type OneCharacter, PatternError, type PatternFlags } from './syntax.js';

/** What an instruction does: take a character, go on at two places, go on where a condition holds or where not, end. */
export const OPERATION = { take: 0, split: 1, holds: 2, holdsNot: 3, accept: 4 } as const;

/** The conditions on a place in a text, as bits; from `around` on those that the look-arounds give. */
export const CONDITION = { start: 1, end: 2, boundary: 4, around: 8 } as const;

/** Tells whether a character, a code point or a code unit, is taken. */
export type CharacterTest = (character: number) => boolean;

/** A regular expression as a machine without a memory: it is at several instructions at once. */
export interface Program {
  /** Three numbers an instruction: the operation; the test, the second place or the condition; the place to go on. */
  readonly code: Int32Array;
  readonly entry: number;
  readonly tests: readonly CharacterTest[];
  /** Which characters below 128 no test tells apart. */
  readonly classes: Uint8Array;
  /** The conditions that it asks for. */
  readonly conditions: number;
  /** Whether it reads the text from its end. */
  readonly backward: boolean;
  /** Whether a match begins at the first place only. */
  readonly anchored: boolean;
}

/** The programs of a regular expression; those of its look-arounds come first, each after what is inside it. */
export interface Programs {
  readonly arounds: readonly Program[];
  readonly main: Program;
  /** The number of instructions. */
  readonly size: number;
}

/** How many instructions a regular expression can have; a counted repetition has its content as often as it counts. */
export const MOST_INSTRUCTIONS = 20_000;
const MOST_AROUNDS = 27;

/** Gives the programs of a regular expression. Throws `PatternError` for what cannot be checked in linear time. */
export function compilePrograms(pattern: AST.Pattern, flags: PatternFlags): Programs {
  const builder = new Builder(pattern.raw, flags);
  const main = builder.program(pattern.alternatives, false, isAnchored(pattern));
  return { arounds: builder.arounds, main, size: builder.size };
}

class Builder {
  readonly arounds: Program[] = [];
  size = 0;
  readonly #source: string;
  readonly #flags: PatternFlags;
  readonly #noted = new Map<string, number>();
  #code: number[] = [];
  #tests: CharacterTest[] = [];
  #known = new Map<string, number>();
  #conditions = 0;
  #backward = false;

  constructor(source: string, flags: PatternFlags) {
    this.#source = source;
    this.#flags = flags;
  }

  program(alternatives: readonly AST.Alternative[], backward: boolean, anchored: boolean): Program {
    const outer = [this.#code, this.#tests, this.#known, this.#conditions, this.#backward] as const;
    [this.#code, this.#tests, this.#known, this.#conditions, this.#backward] = [[], [], new Map(), 0, backward];
    const entry = this.#anyOf(alternatives, this.#instruction(OPERATION.accept, 0, 0));
    const tests = this.#tests;
    const code = Int32Array.from(this.#code);
    const program = { code, entry, tests, classes: classesOf(tests), conditions: this.#conditions, backward, anchored };
    [this.#code, this.#tests, this.#known, this.#conditions, this.#backward] = outer;
    return program;
  }

  #instruction(operation: number, argument: number, next: number): number {
    if (++this.size > MOST_INSTRUCTIONS)
      throw this.#refusal(`takes more than ${MOST_INSTRUCTIONS} steps when its repetitions are written out`);
    return this.#code.push(operation, argument, next) / 3 - 1;
  }

  #refusal(reason: string): PatternError {
    return new PatternError('unsupported', this.#source, reason);
  }

  #anyOf(alternatives: readonly AST.Alternative[], next: number): number {
    let entry: number | undefined;
    for (const { elements } of alternatives) {
      const one = this.#inSequence(elements, next);
      entry = entry === undefined ? one : this.#instruction(OPERATION.split, one, entry);
    }
    return entry ?? next;
  }

  #inSequence(elements: readonly AST.Element[], next: number): number {
    let entry = next;
    for (const element of this.#backward ? elements : elements.toReversed()) entry = this.#element(element, entry);
    return entry;
  }

  /** Each part is given the place to go on, and gives the place to enter it. */
  #element(node: AST.Element, next: number): number {
    switch (node.type) {
      case 'Character':
      case 'CharacterClass':
      case 'CharacterSet':
        return this.#instruction(OPERATION.take, this.#test(node), next);
      case 'Group':
      case 'CapturingGroup':
        return this.#anyOf(node.alternatives, next);
      case 'Quantifier':
        return this.#repeated(node, next);
      case 'Assertion':
        return this.#assertion(node, next);
      default:
        throw this.#refusal(`has a back-reference, ${node.raw}, which no check in linear time can follow`);
    }
  }

  #repeated({ element, min, max }: AST.Quantifier, next: number): number {
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.#instruction(OPERATION.split, next, next);
      this.#code[loop * 3 + 1] = this.#element(element, loop);
      entry = loop;
    } else
      for (let more = max - min; more > 0; more--) {
        const once = this.#element(element, entry);
        if (once === entry) break;
        entry = this.#instruction(OPERATION.split, once, next);
      }
    for (let more = min; more > 0; more--) {
      const once = this.#element(element, entry);
      if (once === entry) break;
      entry = once;
    }
    return entry;
  }

  #assertion(node: AST.Assertion, next: number): number {
    if (!('negate' in node)) return this.#condition(CONDITION[node.kind], false, next);
    if (node.kind === 'word') return this.#condition(CONDITION.boundary, node.negate, next);
    const key = `${node.kind} ${node.raw.slice(node.raw.search(/[=!]/) + 1)}`;
    const condition = this.#noted.get(key) ?? this.#lookAround(node);
    this.#noted.set(key, condition);
    return this.#condition(condition, node.negate, next);
  }

  #lookAround({ alternatives, kind }: AST.LookaroundAssertion): number {
    const around = this.program(alternatives, kind === 'lookahead', false);
    if (this.arounds.length >= MOST_AROUNDS) throw this.#refusal(`looks around itself more than ${MOST_AROUNDS} times`);
    return CONDITION.around << (this.arounds.push(around) - 1);
  }

  #condition(condition: number, negate: boolean, next: number): number {
    this.#conditions |= condition;
    return this.#instruction(negate ? OPERATION.holdsNot : OPERATION.holds, condition, next);
  }

  #test(node: OneCharacter): number {
    const key = node.type === 'Character' ? String(node.value) : `class ${node.raw}`;
    let place = this.#known.get(key);
    if (place === undefined) {
      place = this.#tests.push(characterTest(node, this.#flags)) - 1;
      this.#known.set(key, place);
    }
    return place;
  }
}

function characterTest(node: OneCharacter, flags: PatternFlags): CharacterTest {
  if (node.type === 'Character' && !flags.includes('i')) return character => character === node.value;
  return remembering(nativeTest(node, flags));
}

/** Gives the test of a regular expression for one character, of which ASCII is tried beforehand. */
export function remembering(native: RegExp): CharacterTest {
  const known = Uint8Array.from({ length: 128 }, (_, character) => Number(native.test(String.fromCharCode(character))));
  return character => (character < 128 ? known[character] === 1 : native.test(String.fromCodePoint(character)));
}

function classesOf(tests: readonly CharacterTest[]): Uint8Array {
  const classes = new Uint8Array(128);
  for (const test of tests) {
    const split = new Map<number, number>();
    for (let character = 0; character < 128; character++) {
      const key = (classes[character] as number) * 2 + Number(test(character));
      if (!split.has(key)) split.set(key, split.size);
      classes[character] = split.get(key) as number;
    }
  }
  return classes;
}
