import { createRequire } from 'node:module';
import type { Format } from 'ajv';
import { type LinearPattern, linearPattern, type PatternFlags, type Spend } from '../../../schemas/pattern/index.js';

const require = createRequire(import.meta.url);

type Test = (value: unknown) => boolean;

let formats: Readonly<Record<string, Format>> | undefined;

/** Gives the check of a format that JSON Schema names, in linear time; undefined for one that is not known, which is a note. */
export function formatCheck(name: string, spend: Spend): Test | undefined {
  formats ??= (require('ajv-formats/dist/formats.js') as { fullFormats: Readonly<Record<string, Format>> }).fullFormats;
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format instanceof RegExp) return ofType('string', linearFormat(format, spend));
  if (typeof format === 'function') return ofType('string', format as (text: string) => boolean);
  if (typeof format !== 'object') return undefined;
  return ofType(format.type ?? 'string', format.validate as (value: never) => boolean);
}

function ofType(type: string, test: (value: never) => boolean): Test {
  return value => typeof value !== type || test(value as never);
}

function linearFormat({ source, flags }: RegExp, spend: Spend): (text: string) => boolean {
  let pattern: LinearPattern | undefined;
  return text => {
    pattern ??= linearPattern(source, flags as PatternFlags, spend);
    return pattern.test(text);
  };
}
