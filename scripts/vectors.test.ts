import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { isValid, type SchemaName } from '../schemas/index.js';
import { FAMILY_OF } from './catalogue.js';
import { ROOT } from './project.js';
import { readProjectFile } from './shape.js';

interface Vectors {
  readonly subject: string;
  readonly requirements: readonly string[];
  readonly cases: readonly { readonly name: string; readonly given: Readonly<Record<string, unknown>> }[];
}

const FOLDER = 'spec/v1.0/vectors';
const FILES = readdirSync(join(ROOT, FOLDER)).filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'));
const read = (name: string): Vectors => JSON.parse(readProjectFile(`${FOLDER}/${name}`)) as Vectors;

/** Members of `given` that are documents with a schema of their own, or lists of them. */
const DOCUMENTS: Readonly<Record<string, SchemaName>> = {
  action: 'action',
  undo: 'action',
  actions: 'action',
  agent: 'agent',
  permissions: 'permission',
  policies: 'policy',
  confirmation: 'confirmation',
};

describe('the vectors', () => {
  const schema: unknown = JSON.parse(readProjectFile(`${FOLDER}/vectors.schema.json`));
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema as object);

  it.each(FILES)('%s has the form that the schema describes', name => {
    validate(read(name));
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each(FILES)('%s names each case once, and requirements that exist', name => {
    const { cases, requirements } = read(name);
    expect(new Set(cases.map(one => one.name)).size).toBe(cases.length);
    expect(requirements.filter(id => !FAMILY_OF.has(id))).toEqual([]);
  });

  it.each(FILES)('%s holds documents that fit their schemas', name => {
    const misfits = read(name).cases.flatMap(({ name: title, given }) =>
      Object.entries(DOCUMENTS).flatMap(([member, document]) => {
        const value = given[member];
        const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
        const unfit = Array.isArray(given.unfit) && given.unfit.includes(member);
        return values.every(one => isValid(document, one)) === unfit ? [`${title}: ${member}`] : [];
      }),
    );
    expect(misfits).toEqual([]);
  });

  it('are all explained in their README', () => {
    const readme = readProjectFile(`${FOLDER}/README.md`);
    expect(FILES.filter(name => !readme.includes(`(${name})`))).toEqual([]);
  });
});
