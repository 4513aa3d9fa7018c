import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';
import { type LinearPattern, linearPattern, type PatternFlags, type Spend } from '../../../schemas/pattern/index.js';

const require = createRequire(import.meta.url);

/** The class of compilers of JSON Schema, loaded when it is first asked for: to start is quicker without it. */
export function compilerClass(): typeof Ajv2020 {
  return (require('ajv/dist/2020.js') as { readonly Ajv2020: typeof Ajv2020 }).Ajv2020;
}

/** Gives the compiler with the formats that JSON Schema names, their regular expressions tested in linear time. */
export function withFormats<Compiler extends Ajv2020>(compiler: Compiler, spend: Spend): Compiler {
  (require('ajv-formats') as { readonly default: FormatsPlugin }).default(compiler);
  for (const [name, format] of Object.entries(compiler.formats))
    if (format instanceof RegExp) compiler.formats[name] = linearFormat(format, spend);
  return compiler;
}

function linearFormat({ source, flags }: RegExp, spend: Spend): (text: string) => boolean {
  let pattern: LinearPattern | undefined;
  return text => {
    pattern ??= linearPattern(source, flags as PatternFlags, spend);
    return pattern.test(text);
  };
}
