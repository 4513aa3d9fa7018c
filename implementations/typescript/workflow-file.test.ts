import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readWorkflow } from './workflow-file.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-workflow-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const header = 'schema_version: "1.0"\nworkflow: { name: w, version: 1.0.0 }\nnodes: []\n';

describe('reading a workflow file', () => {
  it('gives the workflow of YAML and JSON', () => {
    expect(readWorkflow(file('a.yaml', `${header}edges: []\n`)).workflow.name).toBe('w');
    const json = '{"schema_version":"1.0","workflow":{"name":"j","version":"1.0.0"},"nodes":[],"edges":[]}';
    expect(readWorkflow(file('a.json', json)).workflow.name).toBe('j');
  });

  it.each([
    ['a defect of form', `${header}edges: 3\n`, { line: 4, column: 8 }],
    ['a repeated key', `${header}edges: []\nedges: []\n`, { line: 5, column: 1 }],
  ])('names the place of %s', (_, text, place) => {
    expect(() => readWorkflow(file('b.yaml', text))).toThrow(
      expect.objectContaining({ code: 'invalid_document', details: expect.objectContaining(place) }),
    );
  });

  it('refuses several documents, an empty file and a file that is not there', () => {
    const invalid = expect.objectContaining({ code: 'invalid_document' });
    expect(() => readWorkflow(file('c.yaml', `${header}edges: []\n---\n${header}edges: []\n`))).toThrow(invalid);
    expect(() => readWorkflow(file('d.yaml', ''))).toThrow(invalid);
    expect(() => readWorkflow(join(folder, 'none.yaml'))).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
