import picomatch from 'picomatch';
import { type LinearPattern, linearPattern, type PatternFlags } from '../../../schemas/pattern/index.js';
import { ArsError } from '../error.js';
import { visible } from './code-frame.js';

/** What reads a pattern takes more than linear time for brackets within brackets. */
const MOST_CHARACTERS = 1000;
const MOST_BRACKETS = 32;

const compiled = new Map<string, LinearPattern>();

/**
 * Tells whether one of the patterns matches a path with slashes; a pattern without a slash is for the file's name alone.
 *
 * Takes linear time, whoever wrote the pattern and named the file. Throws `usage` for a pattern that cannot be used.
 */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some(pattern => {
    const part = pattern.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1);
    return part === pattern || patternOf(pattern).test(part);
  });
}

function patternOf(pattern: string): LinearPattern {
  let known = compiled.get(pattern);
  if (known === undefined) {
    try {
      if (isTooLong(pattern)) throw new RangeError('too long');
      const { source, flags } = picomatch.makeRe(pattern, { dot: true });
      known = linearPattern(source, flags as PatternFlags);
    } catch (cause) {
      const message = `The pattern ${visible(pattern)} of files cannot be used; write a simpler one`;
      throw new ArsError('usage', message, { details: { pattern }, cause });
    }
    compiled.set(pattern, known);
  }
  return known;
}

function isTooLong(pattern: string): boolean {
  return pattern.length > MOST_CHARACTERS || pattern.split(/[({[]/, MOST_BRACKETS + 2).length > MOST_BRACKETS + 1;
}
