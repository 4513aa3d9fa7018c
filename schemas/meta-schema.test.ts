import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { schemaFiles } from './load.js';

it.each([...schemaFiles()])('%s fits the meta-schema of its draft', (_id, schema) => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, discriminator: true });
  ajvFormats.default(ajv);
  ajv.validateSchema(schema);
  expect(ajv.errors ?? []).toEqual([]);
});
