import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verify } from '../implementations/typescript/verification/index.js';
import { readDocuments } from '../implementations/typescript/workspace/document.js';
import { type SchemaName, validate } from '../schemas/index.js';
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

/** The rules of all blocking findings, and of all findings where warnings count too. */
function rulesOf(value: unknown, warnings: boolean): string[] {
  const findings = verify(value).findings.filter(finding => warnings || finding.severity === 'blocking');
  return findings.map(finding => `${finding.rule}: ${finding.message}`);
}

function expectWorkflow(text: string, place: string, format: 'json' | 'yaml', invalid: string | undefined): void {
  const rules = rulesOf(readValue(text, place, format), invalid !== undefined);
  if (invalid === undefined) expect(rules).toEqual([]);
  else {
    expect(rules).toHaveLength(1);
    expect(rules[0]?.split(':')[0]).toBe(invalid);
  }
}

function only(keep: (fence: Fence) => boolean): [string, Fence][] {
  return fences.filter(keep).map(fence => [fence.place, fence]);
}

describe('workflows in the documents', () => {
  test.each(only(({ language, subject }) => subject === 'workflow' && /^(?:yaml|json)$/.test(language)))(
    '%s',
    (place, fence) => {
      expectWorkflow(fence.text, place, fence.language as 'json' | 'yaml', fence.attributes.invalid);
    },
  );
});

describe('JSON in the documents', () => {
  test.each(only(({ language, subject }) => /^jsonl?$/.test(language) && subject !== 'workflow'))(
    '%s',
    (place, fence) => {
      const texts = fence.language === 'jsonl' ? fence.text.split('\n') : [fence.text];
      for (const text of texts) {
        const value = readValue(text, place, 'json');
        if (fence.subject !== undefined) expect(validate(fence.subject as SchemaName, value)).toEqual([]);
      }
    },
  );
});

describe('TypeScript in the documents is a region of a real file', () => {
  test.each(only(({ language }) => /^(?:ts|typescript|js|javascript|mjs)$/.test(language)))(
    '%s',
    (_, { source, text }) => {
      expect(source, 'write <!-- source: path --> above the block').toBeDefined();
      expect(existsSync(join(ROOT, source ?? '')), `"${source}" does not exist`).toBe(true);
      expect(isRegionOf(text, readProjectFile(source ?? '')), `the block is no part of "${source}"`).toBe(true);
    },
  );
});

describe('the workflows of the examples', () => {
  const workflows = files.filter(path => /^examples\/.*\.ya?ml$/.test(path));
  test.each(workflows)('%s', path => {
    const invalid = /^examples\/invalid\/(S\d+|SCHEMA)[^/]*$/i.exec(path)?.[1]?.toUpperCase();
    expectWorkflow(readProjectFile(path), path, 'yaml', invalid);
  });
});

test('there is something to check of every kind that the specification uses', () => {
  expect(only(({ subject }) => subject === 'workflow').length).toBeGreaterThan(0);
  expect(only(({ subject }) => subject === 'audit-record').length).toBeGreaterThan(0);
});
