import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';

const require = createRequire(import.meta.url);

/** The class of compilers of JSON Schema, loaded when it is first asked for: to start is quicker without it. */
export function compilerClass(): typeof Ajv2020 {
  return (require('ajv/dist/2020.js') as { readonly Ajv2020: typeof Ajv2020 }).Ajv2020;
}

/** Gives the compiler with the formats that JSON Schema names. */
export function withFormats<Compiler extends Ajv2020>(compiler: Compiler): Compiler {
  (require('ajv-formats') as { readonly default: FormatsPlugin }).default(compiler);
  return compiler;
}
