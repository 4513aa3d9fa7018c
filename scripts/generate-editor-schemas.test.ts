import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDocuments } from '../implementations/typescript/workspace/document.js';
import { isValid, type SchemaName } from '../schemas/index.js';
import { generateEditorSchemas } from './generate-editor-schemas.js';
import { ROOT } from './project.js';
import { projectFiles, readProjectFile } from './shape.js';

const { files } = generateEditorSchemas();
const NOUNS = ['workflow', 'registry', 'verifier-config'] as const satisfies readonly SchemaName[];
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajvFormats.default(ajv);
const fits = Object.fromEntries(
  NOUNS.map(noun => [noun, ajv.compile(JSON.parse(files[`schemas/editor/${noun}.schema.json`] ?? '') as object)]),
) as Record<(typeof NOUNS)[number], ValidateFunction>;

/** What a language service shows: that a consequence does not hold is no message of its own, and the same is shown once. */
function shown(noun: (typeof NOUNS)[number], value: unknown): string[] {
  fits[noun](value);
  const errors = ((fits[noun].errors ?? []) as ErrorObject[]).filter(error => error.keyword !== 'if');
  return errors.map(({ instancePath, keyword, params }) => {
    const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
    return [instancePath, keyword, additionalProperty ?? missingProperty].filter(part => part !== undefined).join(' ');
  });
}

describe('a schema for editors', () => {
  test.each(Object.entries(files))('%s refers to nothing outside itself, and uses every definition', (_, text) => {
    const { $defs } = JSON.parse(text) as { $defs: object };
    const references = [...text.matchAll(/"\$ref": "([^"]*)"/g)].map(match => match[1] ?? '');
    expect(references.filter(reference => !/^#\/\$defs\/[\w.-]+$/.test(reference))).toEqual([]);
    expect([...new Set(references.map(reference => reference.slice('#/$defs/'.length)))].sort()).toEqual(
      Object.keys($defs).sort(),
    );
  });

  test('uses no keyword that only some editors know', () => {
    const words = Object.values(files).flatMap(text => [...text.matchAll(/"(\w+)":/g)].map(match => match[1]));
    const foreign = ['discriminator', 'defaultSnippets', 'errorMessage', 'markdownDescription', 'enumDescriptions'];
    expect(words.filter(word => foreign.includes(word ?? ''))).toEqual([]);
  });

  test('says of every example what the schema says that it is made from', () => {
    const examples = projectFiles().filter(path => /^examples\/.*\.yaml$/.test(path));
    const verdicts = examples.map(path => {
      const value = readDocuments(readProjectFile(path), { file: path })[0]?.value;
      return { path, fits: fits.workflow(value), valid: isValid('workflow', value) };
    });
    expect(verdicts.filter(verdict => verdict.fits !== verdict.valid)).toEqual([]);
    expect(new Set(verdicts.map(verdict => verdict.valid))).toEqual(new Set([true, false]));
  });

  test.each(NOUNS)('says of documents that were changed what the schema of a %s says that it is made from', noun => {
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(fc.constantFrom(...validExamples(noun)), fc.array(change, { maxLength: 3 }), (example, changes) => {
        const value = changes.reduce((document, made) => made(document), structuredClone(example));
        verdicts.add(isValid(noun, value));
        expect(fits[noun](value)).toBe(isValid(noun, value));
      }),
      { numRuns: 3000 },
    );
    expect(verdicts).toEqual(new Set([true, false]));
  });
});

describe('one defect is told once', () => {
  const nodes = {
    action: { node_id: 'a', type: 'action', action_def: 'do@^1', timeout_ms: 5, join_type: 'OR' },
    condition: { node_id: 'a', type: 'condition', expression: 'inputs.x', description: 'Chooses.' },
    skill: { node_id: 'a', type: 'skill', workflow_ref: 'w@^1', input_mapping: {} },
    retry: { node_id: 'a', type: 'error', handling: 'retry', max_attempts: 2, backoff_ms: 5 },
    compensate: { node_id: 'a', type: 'error', handling: 'compensate', compensate_ref: 'do@^1', input_mapping: {} },
    terminal: { node_id: 'a', type: 'terminal', status: 'completed', join_type: 'AND' },
  };
  const shownOf = (node: unknown) =>
    shown('workflow', { schema_version: '1.0', workflow: { name: 'w', version: '1.0.0' }, nodes: [node], edges: [] });
  const cases = Object.entries(nodes).flatMap(([kind, node]) => Object.keys(node).map(name => ({ kind, node, name })));

  test.each(Object.entries(nodes))('a node of the kind %s fits', (_, node) => {
    expect(shownOf(node)).toEqual([]);
  });

  test.each(cases)('$kind: $name is missing', ({ node, name }) => {
    const { [name]: _, ...rest } = node as Record<string, unknown>;
    const optional = ['timeout_ms', 'join_type', 'description', 'input_mapping', 'max_attempts', 'backoff_ms'];
    const expected =
      name === 'compensate_ref' ? ['/nodes/0/input_mapping false schema'] : [`/nodes/0 required ${name}`];
    expect(shownOf(rest)).toEqual(optional.includes(name) ? [] : expected);
  });

  test.each(cases)('$kind: $name has a value of another type', ({ node, name }) => {
    const found = shownOf({ ...node, [name]: name === 'description' ? 1 : [] });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^/nodes/0/${name} (type|enum|const)$`));
  });

  test.each(Object.entries(nodes))('%s: a property that the node does not have', (_, node) => {
    expect(shownOf({ ...node, extra: 1 })).toEqual(['/nodes/0 additionalProperties extra']);
  });

  test('a kind that there is not', () => {
    expect(shownOf({ ...nodes.action, type: 'acton' })).toEqual(['/nodes/0/type enum']);
  });

  test('a property that the handling does not use', () => {
    expect(shownOf({ ...nodes.retry, handling: 'fail', backoff_ms: undefined })).toEqual([
      '/nodes/0/max_attempts false schema',
    ]);
  });

  test.each([null, 'a', 1, []])('%j in the place of a node', node => {
    expect(shownOf(node)).toEqual(['/nodes/0 type']);
  });
});

function validExamples(noun: (typeof NOUNS)[number]): unknown[] {
  const folder = join(ROOT, 'schemas/v1.0/examples', noun, 'valid');
  const own = readdirSync(folder)
    .filter(name => name.split('.').length === 2)
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown);
  if (noun !== 'workflow') return own;
  const yaml = projectFiles().filter(path => /^examples\/\d\d-.*\.yaml$/.test(path));
  return [...own, ...yaml.map(path => readDocuments(readProjectFile(path), { file: path })[0]?.value)];
}

type Change = (document: unknown) => unknown;

/** One change of one member or entry somewhere in a document: removed, renamed, added, another value, another word of the schema. */
const change: fc.Arbitrary<Change> = fc
  .record({
    place: fc.nat(),
    how: fc.constantFrom('remove', 'rename', 'add', 'replace'),
    name: fc.constantFrom('extra', 'max_attempts', 'input_mapping', 'compensate_ref', 'type', 'status', 'join_type'),
    value: fc.oneof(
      fc.constantFrom<unknown>(
        'action',
        'condition',
        'skill',
        'error',
        'terminal',
        'fail',
        'retry',
        'compensate',
        'rollback',
      ),
      fc.constantFrom<unknown>(
        'AND',
        'acknowledged',
        'a b',
        'x@1',
        '1.0.0',
        'completed',
        null,
        true,
        0,
        1,
        1.5,
        '',
        2000,
        {},
        [],
      ),
    ),
  })
  .map(({ place, how, name, value: given }) => document => {
    const value = structuredClone(given);
    const owners = objectsIn(document);
    const owner = owners[place % owners.length];
    if (owner === undefined) return value;
    const keys = Object.keys(owner);
    const key = keys[Math.floor(place / owners.length) % Math.max(1, keys.length)];
    if (how === 'add' || key === undefined) owner[name] = value;
    else if (how === 'replace') owner[key] = value;
    else {
      if (how === 'rename') owner[name] = owner[key];
      delete owner[key];
    }
    return document;
  });

/** The objects and arrays in a document, from the outside in. */
function objectsIn(document: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const open = [document];
  for (let value = open.shift(); value !== undefined; value = open.shift()) {
    if (value === null || typeof value !== 'object') continue;
    found.push(value as Record<string, unknown>);
    open.push(...Object.values(value).filter(inner => inner !== undefined));
  }
  return found;
}
