import { Automaton, conditionsOf, type Spend } from './automaton.js';
import { backtrackingEffort } from './backtracking.js';
import { compilePrograms, remembering } from './program.js';
import { PatternError, type PatternFlags, parsePattern } from './syntax.js';

export type { Spend } from './automaton.js';
export { PatternError, type PatternFlags } from './syntax.js';

/** A regular expression that takes time in proportion to the text, whatever it is and whoever wrote it. */
export interface LinearPattern {
  /** Whether there is a match anywhere in the text. */
  test(text: string): boolean;
  toString(): string;
  /** What it holds in memory, in instructions. */
  readonly size: number;
}

/** How much of a step of an automaton one of the engine's own is. */
const NATIVE_STEPS = 16;

/**
 * Returns a regular expression of ECMA-262 that takes linear time and decides as the engine's own does.
 *
 * The engine's own serves where it is proven to be linear; else an automaton goes through the text once, and once more
 * for each look-around. `spend` is told what a test costs, and may throw to end it. Throws `PatternError` for an
 * ill-formed regular expression, and for what has no linear check: back-references, too long repetitions.
 */
export function linearPattern(source: string, flags: PatternFlags, spend: Spend = () => undefined): LinearPattern {
  try {
    return compile(source, flags, spend);
  } catch (error) {
    if (error instanceof RangeError) throw new PatternError('unsupported', source, 'is nested too deeply', error);
    if (error instanceof SyntaxError && !(error instanceof PatternError))
      throw new PatternError('ill-formed', source, `is ill-formed: ${error.message}`, error);
    throw error;
  }
}

function compile(source: string, flags: PatternFlags, spend: Spend): LinearPattern {
  const syntax = parsePattern(source, flags);
  const written = { toString: () => `/${source}/${flags}` };
  const effort = backtrackingEffort(syntax);
  if (effort !== undefined) {
    const native = new RegExp(source, flags);
    const perCharacter = Math.ceil(effort / NATIVE_STEPS);
    return { test: text => backtrack(native, text, perCharacter, spend), ...written, size: 0 };
  }
  const { arounds, main, size } = compilePrograms(syntax, flags);
  const unicode = flags.includes('u');
  const before = arounds.map(program => new Automaton(program, unicode));
  const automaton = new Automaton(main, unicode);
  const isWord = remembering(new RegExp('\\w', flags));
  const test = (text: string): boolean => {
    const noted: Uint8Array[] = [];
    const conditionsAt = conditionsOf(text, noted, isWord);
    for (const around of before) {
      const places = new Uint8Array(text.length + 1);
      around.note(text, conditionsAt, spend, places);
      noted.push(places);
    }
    return automaton.test(text, conditionsAt, spend);
  };
  return { test, ...written, size };
}

function backtrack(native: RegExp, text: string, perCharacter: number, spend: Spend): boolean {
  spend((text.length + 1) * perCharacter);
  try {
    return native.test(text);
  } catch (error) {
    if (error instanceof RangeError) spend(Number.POSITIVE_INFINITY);
    throw error;
  }
}
