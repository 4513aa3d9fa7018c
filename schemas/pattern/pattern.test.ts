import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern, PatternError, type PatternFlags } from './index.js';

const LONG = 100_000;

function refusal(source: string, flags: PatternFlags = 'u'): string | undefined {
  try {
    linearPattern(source, flags);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.kind;
    throw error;
  }
}

describe('a regular expression that others wrote', () => {
  it.each([
    ['^(a+)+$', 'a'],
    ['^(a|a)*$', 'a'],
    ['(?:a*)*b$', 'a'],
    ['^(?:a?){5}(?:[ab]*a){3}c$', 'a'],
    ['\\s+$', ' '],
    ['^(?=(?:a+)+$)a+!', 'a'],
    ['(?<=^(?:a+)+)c', 'a'],
    ['^(?:\\p{L}+\\p{L}+)+$', 'é'],
    ['(x+x+)+y', 'x'],
    ['[ab]*a[ab]{30}c', 'ab'],
  ])('%s ends on a long text', (source, piece) => {
    expect(linearPattern(source, 'u').test(`${piece.repeat(LONG)}!`)).toBe(false);
  });

  it.each([
    ['^(?:a+)+$', 'a', true],
    ['^(?=.*[A-Z])(?=.*\\d)[\\w]{8,}$', 'aB3', true],
    ['(?:ab|cd)+\\b!$', 'abcd', true],
  ])('%s holds for a long text that fits', (source, piece, fits) => {
    const text = piece.repeat(LONG) + (source.includes('!') ? '!' : '');
    expect(linearPattern(source, 'u').test(text)).toBe(fits);
  });

  it.each([
    ['(a)\\1', 'unsupported'],
    ['(?<n>a)\\k<n>', 'unsupported'],
    ['(?:(?:ab){999}){999}', 'unsupported'],
    ['(?:a|b){1000000000}', 'unsupported'],
    [`${'('.repeat(LONG)}a${')'.repeat(LONG)}`, 'unsupported'],
    [Array.from({ length: 30 }, (_, count) => `(?=a{${count}})`).join(''), 'unsupported'],
    ['(?:(?=a|b)c(?!a|b))*'.repeat(30), undefined],
    ['a(', 'ill-formed'],
    ['[', 'ill-formed'],
    ['\\-', 'ill-formed'],
    ['\\p{Nothing}', 'ill-formed'],
    ['^.{1,65535}$', undefined],
    ['(?:){1000000000}', undefined],
    ['(?:(?:)*){1000}', undefined],
  ])('%#: is taken, or refused with the kind of reason', (source, kind) => {
    expect(refusal(source)).toBe(kind);
  });

  it('says what a test costs, the same each time', () => {
    let spent = 0;
    const pattern = linearPattern('^(?:[ab]*a[ab]{3})+$', 'u', cost => {
      spent += cost;
    });
    const costs = [1, 2].map(() => {
      spent = 0;
      pattern.test('ab'.repeat(1000));
      return spent;
    });
    expect(costs[0]).toBeGreaterThan(2000);
    expect(costs[1]).toBe(costs[0]);
  });

  it('can be ended by whoever is told the cost', () => {
    const stop = (): never => {
      throw new Error('enough');
    };
    expect(() => linearPattern('^(a+)+$', 'u', stop).test('a'.repeat(LONG))).toThrow('enough');
    expect(() => linearPattern('^a+$', 'u', stop).test('a')).toThrow('enough');
  });
});

const ATOMS = ['a', 'b', '\\.', '.', '[ab]', '[^a]', '\\d', '\\W', '\\s', '[^\\w-]', '😀', 'ſ', 'K'];
const UNICODE_ATOMS = ['\\p{Lu}', '\\u{1F600}', '[😀-😂é]', '[^😀]'];
const ASSERTIONS = ['^', '$', '\\b', '\\B'];
const QUANTIFIERS = ['', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{0}', '{2,3}?'];
const AROUND = ['?=', '?!', '?<=', '?<!'];

function source(atoms: readonly string[], depth: number): fc.Arbitrary<string> {
  const atom = fc.constantFrom(...atoms);
  const inner = depth === 0 ? atom : source(atoms, depth - 1);
  const group = fc.tuple(fc.constantFrom('?:', ''), inner).map(([kind, content]) => `(${kind}${content})`);
  const around = fc.tuple(fc.constantFrom(...AROUND), inner).map(([kind, content]) => `(${kind}${content})`);
  const repeated = fc.tuple(fc.oneof(atom, group), fc.constantFrom(...QUANTIFIERS)).map(list => list.join(''));
  const part = fc.oneof({ weight: 6, arbitrary: repeated }, fc.constantFrom(...ASSERTIONS), around);
  const sequence = fc.array(part, { maxLength: 3 }).map(list => list.join(''));
  return fc.array(sequence, { minLength: 1, maxLength: 2 }).map(list => list.join('|'));
}

const CHARACTERS = ['a', 'b', 'A', '.', '1', '_', ' ', '\n', '\u00a0', 'é', 'ſ', 'K', '😀', '😁', '\ud83d', '\ude00'];
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 8 }).map(list => list.join(''));

/** Searches as ECMA-262 has it; left to search, V8 begins a match in the middle of a surrogate pair as well. */
function isFound(sticky: RegExp, value: string): boolean {
  const places = sticky.unicode ? [...value].map(character => character.length) : value.split('').map(() => 1);
  let at = 0;
  for (const length of [...places, 0]) {
    sticky.lastIndex = at;
    if (sticky.test(value)) return true;
    at += length;
  }
  return false;
}

describe('an automaton and the engine agree', () => {
  it.each(['u', 'iu', '', 'i'] as const)('with the flags "%s"', flags => {
    const atoms = flags.includes('u') ? [...ATOMS, ...UNICODE_ATOMS] : ATOMS;
    fc.assert(
      fc.property(source(atoms, 2), fc.array(text, { minLength: 1, maxLength: 8 }), (pattern, texts) => {
        const linear = linearPattern(pattern, flags);
        const native = new RegExp(pattern, `${flags}y`);
        expect(texts.map(value => linear.test(value))).toEqual(texts.map(value => isFound(native, value)));
      }),
      { numRuns: flags === 'u' ? 300 : 100 },
    );
  });
});
