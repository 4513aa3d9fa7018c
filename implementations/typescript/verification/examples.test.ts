import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../schemas/index.js';
import type { Registry } from '../../../schemas/types.js';
import { readDocuments } from '../workspace/document.js';
import { type ReadExample, readExample } from './example.fixture.js';
import { verify } from './index.js';
import { kindsOf, RULES } from './rules/index.js';

const folder = (name: string): URL => new URL(`../../../examples/${name}/`, import.meta.url);
const files = (name: string): string[] => readdirSync(folder(name)).filter(file => file.endsWith('.yaml'));
const read = (name: string, file: string): string => readFileSync(new URL(file, folder(name)), 'utf8');

const example = (name: string, file: string): ReadExample => readExample(file, path => read(name, path));

/** What the examples of rules about references find in the registry; the others have none. */
const REGISTRIES: Readonly<Record<string, Registry>> = {
  S7: { schema_version: '1.0', actions: [], workflows: [] },
  S12: { schema_version: '1.0', workflows: [] },
  S13: {
    schema_version: '1.0',
    workflows: [{ schema_version: '1.0', workflow: { name: 'invoice', version: '1.0.0' }, nodes: [], edges: [] }],
  },
};

describe('examples', () => {
  it.each(files('invalid'))('invalid/%s gives exactly the findings that its first lines name', file => {
    const { announced, report } = example('invalid', file);
    expect(validate('verification-report', report)).toEqual([]);
    expect(announced.length).toBeGreaterThan(0);
    expect(report.findings.map(({ rule, pointer }) => `${rule} at ${pointer}`)).toEqual(announced);
  });

  it.each(files('valid'))('valid/%s has no finding', file => {
    expect(example('valid', file).report.findings).toEqual([]);
  });

  it('companions are registries and workflows of the right form', () => {
    const names = files('companions');
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const [document] = readDocuments(read('companions', name), { file: name });
      const isWorkflow = /^workflow:/m.test(read('companions', name));
      expect(validate(isWorkflow ? 'workflow' : 'registry', document?.value), name).toEqual([]);
    }
  });

  it.each(RULES.flatMap(rule => rule.kinds.map(kind => [rule, kind] as const)))(
    '$0.id has an example of $1.id, and the same mended',
    (rule, kind) => {
      const file = `${rule.id.toLowerCase()}-${kind.id}.yaml`;
      const { report } = example('invalid', file);
      expect(report.findings.map(finding => [finding.rule, kindsOf(finding).map(({ id }) => id)])).toEqual([
        [rule.id, [kind.id]],
      ]);
      expect(files('valid')).toContain(file);
    },
  );

  it('every finding of an example is of one kind that its rule lists', () => {
    for (const file of files('invalid')) {
      for (const finding of example('invalid', file).report.findings) {
        if (finding.rule !== 'SCHEMA') expect(kindsOf(finding).length, `${file}: ${finding.message}`).toBe(1);
      }
    }
  });

  it.each(RULES.flatMap(rule => [[rule.id, 'failing'] as const, [rule.id, 'passing'] as const]))(
    'the %s example of ars explain that is %s',
    (id, kind) => {
      const rule = RULES.find(candidate => candidate.id === id);
      const fragment = rule?.[kind] ?? '';
      const inputs = [...fragment.matchAll(/\binputs\.([a-z]+)/g)].map(([, name]) => [name, {}]);
      const [document] = readDocuments(fragment, { file: 'fragment.yaml' });
      expect(document?.defects).toEqual([]);
      const part = document?.value as { readonly workflow?: object };
      const report = verify(
        {
          schema_version: '1.0',
          ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
          ...part,
          workflow: { name: 'example', version: '1.0.0', ...part.workflow },
        },
        REGISTRIES[id],
      );
      expect(validate('verification-report', report)).toEqual([]);
      const rules = report.findings.map(finding => finding.rule);
      // A fragment shows what its rule is about: edges for failures are left out of the others.
      expect(id === 'S15' ? rules : rules.filter(rule => rule !== 'S15')).toEqual(kind === 'failing' ? [id] : []);
    },
  );
});
