import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type ReadExample, readExample } from '../implementations/typescript/verification/example.fixture.js';
import { verify } from '../implementations/typescript/verification/index.js';
import { readDocuments } from '../implementations/typescript/workspace/document.js';
import { type SchemaName, validate } from '../schemas/index.js';
import type { Registry } from '../schemas/types.js';
import { type Fence, fencesOf, isRegionOf } from './fences.js';
import { ROOT } from './project.js';
import { projectFiles, readProjectFile } from './shape.js';

const files = projectFiles();
const fences = files
  .filter(path => path.endsWith('.md') && !path.startsWith('reference/'))
  .flatMap(path => fencesOf(path, readProjectFile(path)));

/** The value of the only document in a text; what cannot be read is shown as the reader tells it. */
function readValue(text: string, place: string, format: 'json' | 'yaml'): unknown {
  const documents = readDocuments(text, { file: place, format });
  expect(documents.flatMap(document => document.defects.map(defect => defect.message))).toEqual([]);
  expect(documents).toHaveLength(1);
  return documents[0]?.value;
}

const EMPTY_REGISTRY: Registry = { schema_version: '1.0', actions: [], workflows: [] };

/** The findings of a workflow, with nothing in the registry, as `rule: message`; without warnings unless they count. */
function findingsOf(value: unknown, warnings: boolean): string[] {
  const findings = verify(value, warnings ? EMPTY_REGISTRY : undefined).findings.filter(
    finding => warnings || finding.severity === 'blocking',
  );
  return findings.map(finding => `${finding.rule}: ${finding.message}`);
}

/** The rules that this verifier leaves out altogether: those not evaluated on a workflow without any defect. */
const ABSENT_RULES = new Set(
  verify(readValue(readProjectFile('examples/01-minimal/hello.yaml'), 'hello.yaml', 'yaml'))
    .rules.filter(rule => rule.status === 'not_evaluated')
    .map(rule => rule.rule),
);

function expectWorkflow(text: string, place: string, format: 'json' | 'yaml', invalid: string | undefined): void {
  const findings = findingsOf(readValue(text, place, format), invalid !== undefined);
  if (invalid === undefined) expect(findings).toEqual([]);
  else
    expect(
      findings.map(finding => finding.replace(/:.*$/s, '')),
      findings.join('\n'),
    ).toEqual([invalid]);
}

function only(keep: (fence: Fence) => boolean): [string, Fence][] {
  return fences.filter(keep).map(fence => [fence.place, fence]);
}

const workflows = only(({ language, subject }) => subject === 'workflow' && /^(?:yaml|json)$/.test(language));
const isAbsent = ({ attributes }: Fence): boolean => ABSENT_RULES.has(attributes.invalid ?? '');

test.each(workflows.filter(([, fence]) => !isAbsent(fence)))('the workflow at %s has what it says', (place, fence) => {
  expectWorkflow(fence.text, place, fence.language as 'json' | 'yaml', fence.attributes.invalid);
});

test('a workflow whose rule this verifier does not evaluate has no other finding, and the report does not pass the rule', () => {
  for (const [place, fence] of workflows.filter(([, candidate]) => isAbsent(candidate))) {
    const value = readValue(fence.text, place, fence.language as 'json' | 'yaml');
    expect(findingsOf(value, true), place).toEqual([]);
    const status = verify(value).rules.find(rule => rule.rule === fence.attributes.invalid)?.status;
    expect(status, place).toBe('not_evaluated');
  }
});

/** Whether a block is more than comments, as for an editor. */
const isDocument = ({ text }: Fence): boolean => text.split('\n').some(line => /^\s*[^#\s]/.test(line));

test.each(only(fence => /^(?:jsonl?|yaml)$/.test(fence.language) && fence.subject !== 'workflow' && isDocument(fence)))(
  'the document at %s can be read and fits its schema',
  (place, fence) => {
    const texts = fence.language === 'jsonl' ? fence.text.split('\n') : [fence.text];
    for (const text of texts) {
      const value = readValue(text, place, fence.language === 'yaml' ? 'yaml' : 'json');
      if (fence.subject !== undefined) expect(validate(fence.subject as SchemaName, value)).toEqual([]);
    }
  },
);

test('a block with a source, and all TypeScript and JavaScript, is a region of a real file', () => {
  const code = /^(?:ts|typescript|js|javascript|mjs)$/;
  const blocks = only(({ language, source }) => source !== undefined || code.test(language));
  const problems = blocks.flatMap(([place, { source, text }]) => {
    if (source === undefined) return [`${place}: no <!-- source: path --> above the block`];
    if (!existsSync(join(ROOT, source))) return [`${place}: "${source}" does not exist`];
    return isRegionOf(text, readProjectFile(source)) ? [] : [`${place}: the block is no part of "${source}"`];
  });
  expect(problems).toEqual([]);
});

/** What a block says that no test looks at: grammar, pseudo-code, the form of an erratum. */
const UNCHECKED = new Set(['text', 'md']);
const CHECKED = new Set(['yaml', 'json', 'jsonl', 'ts', 'js', 'console', 'sh']);

test('every block is of a kind that a test looks at, or says that it is plain text', () => {
  const strange = only(({ language }) => !UNCHECKED.has(language) && !CHECKED.has(language));
  expect(strange.map(([place, { language }]) => `${place}: ${language}`)).toEqual([]);
});

test('every npm script that a document names is there', () => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Readonly<Record<string, string>> };
  const named = files
    .filter(path => path.endsWith('.md'))
    .flatMap(path =>
      [...readProjectFile(path).matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(match => [path, match[1] ?? '']),
    );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, name]) => !Object.hasOwn(scripts, name ?? ''))).toEqual([]);
});

const examples = files.filter(path => /^examples\/(?!companions\/).*\.ya?ml$/.test(path));
const example = (path: string): ReadExample =>
  readExample(basename(path), other => readProjectFile(join(dirname(path), other)));

test.each(examples.filter(path => !path.startsWith('examples/invalid/')))('the example %s verifies', path => {
  expect(example(path).report.findings.filter(({ severity }) => severity === 'blocking')).toEqual([]);
});

test('an invalid example has exactly the findings that its comments `# finding: S1 at /edges/0` announce', () => {
  for (const path of examples.filter(candidate => candidate.startsWith('examples/invalid/'))) {
    const { announced, report } = example(path);
    const found = report.findings.map(({ rule, pointer }) => `${rule} at ${pointer}`);
    expect(announced.length, `${path} announces nothing`).toBeGreaterThan(0);
    expect(found.sort(), path).toEqual([...announced].sort());
    const named = /^examples\/invalid\/(s\d+)\b/i.exec(path)?.[1]?.toUpperCase();
    if (named !== undefined)
      expect(
        announced.every(finding => finding.split(' ')[0] === named),
        path,
      ).toBe(true);
  }
});

test('there is something to check of every kind that the specification uses', () => {
  expect(only(({ subject }) => subject === 'workflow').length).toBeGreaterThan(0);
  expect(only(({ subject }) => subject === 'audit-record').length).toBeGreaterThan(0);
});
