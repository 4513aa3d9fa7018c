import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { readDocuments } from '../implementations/typescript/workspace/document.js';
import { isValid } from '../schemas/index.js';
import { generateEditorSchemas } from './generate-editor-schemas.js';
import { projectFiles, readProjectFile } from './shape.js';

const { files } = generateEditorSchemas();
const workflow = JSON.parse(files['schemas/editor/workflow.schema.json'] ?? '') as object;

describe('a schema for editors', () => {
  test.each(Object.entries(files))('%s refers to nothing outside itself, and uses every definition', (_, text) => {
    const { $defs } = JSON.parse(text) as { $defs: object };
    const references = [...text.matchAll(/"\$ref": "([^"]*)"/g)].map(match => match[1] ?? '');
    expect(references.filter(reference => !/^#\/\$defs\/[\w.-]+$/.test(reference))).toEqual([]);
    expect([...new Set(references.map(reference => reference.slice('#/$defs/'.length)))].sort()).toEqual(
      Object.keys($defs).sort(),
    );
  });

  test('says of every example what the schema says that it is made from', () => {
    const ajv = new Ajv2020({ strict: false, discriminator: true });
    ajvFormats.default(ajv);
    const fits = ajv.compile(workflow);
    const examples = projectFiles().filter(path => /^examples\/.*\.yaml$/.test(path));
    const verdicts = examples.map(path => {
      const value = readDocuments(readProjectFile(path), { file: path })[0]?.value;
      return { path, fits: fits(value), valid: isValid('workflow', value) };
    });
    expect(verdicts.filter(verdict => verdict.fits !== verdict.valid)).toEqual([]);
    expect(new Set(verdicts.map(verdict => verdict.valid))).toEqual(new Set([true, false]));
  });
});
