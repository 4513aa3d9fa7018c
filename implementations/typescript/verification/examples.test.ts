import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../schemas/index.js';
import type { Registry } from '../../../schemas/types.js';
import { readDocuments } from '../workspace/document.js';
import { verify } from './index.js';
import { RULES } from './rules/index.js';

const folder = (name: string): URL => new URL(`../../../examples/${name}/`, import.meta.url);
const files = (name: string): string[] => readdirSync(folder(name)).filter(file => file.endsWith('.yaml'));
const read = (name: string, file: string): string => readFileSync(new URL(file, folder(name)), 'utf8');

/** What the examples of rules about references find in the registry; the others have none. */
const REGISTRIES: Readonly<Record<string, Registry>> = {
  S7: { schema_version: '1.0', actions: [], workflows: [] },
  S12: { schema_version: '1.0', workflows: [] },
  S13: {
    schema_version: '1.0',
    workflows: [{ schema_version: '1.0', workflow: { name: 'invoice', version: '1.0.0' }, nodes: [], edges: [] }],
  },
};

function reportOf(text: string, registry?: Registry): ReturnType<typeof verify> {
  const [document] = readDocuments(text, { file: 'example.yaml' });
  expect(document?.defects).toEqual([]);
  const report = verify(document?.value, registry);
  expect(validate('verification-report', report)).toEqual([]);
  return report;
}

describe('examples', () => {
  it.each(files('invalid'))('invalid/%s gives exactly the findings that its first lines name', file => {
    const text = read('invalid', file);
    const expected = [...text.matchAll(/^# finding: (.*)$/gm)].map(match => match[1]);
    expect(expected.length).toBeGreaterThan(0);
    expect(reportOf(text).findings.map(({ rule, pointer }) => `${rule} at ${pointer}`)).toEqual(expected);
  });

  it.each(files('valid'))('valid/%s has no finding', file => {
    expect(reportOf(read('valid', file)).findings).toEqual([]);
  });

  it.each(RULES.flatMap(rule => [[rule.id, 'failing'] as const, [rule.id, 'passing'] as const]))(
    'the %s example of ars explain that is %s',
    (id, kind) => {
      const rule = RULES.find(candidate => candidate.id === id);
      const fragment = rule?.[kind] ?? '';
      const start = /^start: (.*)$/m.exec(fragment)?.[1];
      const inputs = [...new Set([...fragment.matchAll(/\binputs\.([a-z]+)/g)].map(match => match[1]))];
      const header = [
        'schema_version: "1.0"',
        `workflow: { name: example, version: 1.0.0${start === undefined ? '' : `, start: ${start}`} }`,
        ...(/^inputs:/m.test(fragment) ? [] : [`inputs: { ${inputs.map(name => `${name}: {}`).join(', ')} }`]),
      ].join('\n');
      const report = reportOf(`${header}\n${fragment.replace(/^start: .*\n/m, '')}`, REGISTRIES[id]);
      const rules = report.findings.map(finding => finding.rule);
      // A fragment shows what its rule is about: edges for failures are left out of the others.
      expect(id === 'S15' ? rules : rules.filter(rule => rule !== 'S15')).toEqual(kind === 'failing' ? [id] : []);
    },
  );
});
