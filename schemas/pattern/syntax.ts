import { createRequire } from 'node:module';
import type { AST, RegExpParser } from '@eslint-community/regexpp';

/** What a regular expression cannot be used for: it is ill-formed, or no check in linear time can follow it. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  /** `ill-formed` is an error of whoever wrote it, `unsupported` a regular expression that other validators may take. */
  readonly kind: 'ill-formed' | 'unsupported';

  constructor(kind: PatternError['kind'], source: string, reason: string, cause?: unknown) {
    const shown = source.length > 60 ? `${source.slice(0, 59)}…` : source;
    super(`the regular expression ${JSON.stringify(shown)} ${reason}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** The flags that a regular expression can have here; `u` is that of JSON Schema. */
export type PatternFlags = '' | 'i' | 'u' | 'iu';

/** Something in a regular expression that takes one character. */
export type OneCharacter = AST.Character | AST.CharacterClass | AST.CharacterSet;

let parser: RegExpParser | undefined;

/** Gives the syntax tree of a regular expression of ECMA-262. Throws `PatternError` where it is ill-formed. */
export function parsePattern(source: string, flags: PatternFlags): AST.Pattern {
  parser ??= newParser();
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: flags.includes('u') });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const reason = error instanceof Error ? error.message.replace(/^.*\/: /s, '') : String(error);
    throw new PatternError('ill-formed', source, `is ill-formed: ${reason}`, error);
  }
}

/** Loaded when it is first needed: most documents have no regular expression. */
function newParser(): RegExpParser {
  const module = createRequire(import.meta.url)('@eslint-community/regexpp') as {
    readonly RegExpParser: typeof RegExpParser;
  };
  return new module.RegExpParser({ ecmaVersion: 2024 });
}

/** The regular expression of the engine's own for one character: it decides what a class, an escape or `.` takes. */
export function nativeTest(node: OneCharacter, flags: PatternFlags): RegExp {
  const source = node.type === 'Character' ? escaped(node.value, flags) : node.raw;
  return new RegExp(`^${source}$`, flags);
}

function escaped(character: number, flags: PatternFlags): string {
  const hex = character.toString(16);
  return flags.includes('u') ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
