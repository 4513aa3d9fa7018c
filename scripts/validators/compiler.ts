import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { schemaFiles } from '../../schemas/load.js';
import { uniqueItems } from './unique-items.js';

/** Gives a compiler that knows every schema file; each schema is compiled when it is first asked for. */
export function compiler(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    // A test holds the schemas against the meta-schema, which takes longer than compiling them.
    validateSchema: false,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
    allErrors: true,
    verbose: true,
    code: { source: true, process: boundErrors },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems);
  for (const schema of schemaFiles().values()) ajv.addSchema(schema);
  return ajv;
}

/** The most errors that a validator gathers before it stops gathering; those that follow are still errors. */
const MAX_ERRORS = 10_000;

/**
 * Compiled code with a bound on the errors that it gathers. Each list of errors that a part hands up is copied into a new
 * one by the whole, which takes a time that grows with the square of the number of errors.
 */
export function boundErrors(code: string): string {
  return code.replaceAll(
    /vErrors === null \? ([\w.]+) : vErrors\.concat\(\1\)/g,
    `vErrors === null ? $1 : vErrors.length < ${MAX_ERRORS} ? vErrors.concat($1) : vErrors`,
  );
}

/** Gives a compiler for the check of JSON Schema 2020-12 itself, which gathers all errors. */
export function metaCompiler(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, logger: false, code: { source: true } });
  addFormats.default(ajv);
  return ajv;
}
