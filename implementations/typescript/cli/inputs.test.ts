import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Workflow } from '../../../schemas/types.js';
import { readInputs } from './inputs.js';

const workflow: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'w', version: '1.0.0' },
  inputs: {
    text: { schema: { type: 'string' } },
    count: { schema: { type: 'integer' } },
    either: { schema: { type: ['string', 'null'] } },
    any: {},
  },
  nodes: [],
  edges: [],
};
const folder = mkdtempSync(join(tmpdir(), 'ars-inputs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('inputs of the command line', () => {
  it('keeps text where the schema wants a string, and reads JSON elsewhere', () => {
    expect(readInputs(workflow, ['text=12', 'count=12', 'either=null', 'any=[1]'])).toEqual({
      text: '12',
      count: 12,
      either: null,
      any: [1],
    });
    expect(readInputs(workflow, ['either=12', 'any=a=b'])).toEqual({ either: '12', any: 'a=b' });
  });

  it('lets a pair win over the file', () => {
    const file = join(folder, 'in.json');
    writeFileSync(file, '{"text":"file","count":1}');
    expect(readInputs(workflow, ['text=pair'], file)).toEqual({ text: 'pair', count: 1 });
  });

  it.each([
    ['a pair without =', ['text']],
    ['a name given twice', ['text=a', 'text=b']],
    ['an unknown name', ['__proto__=1']],
    ['a value that is not JSON', ['count=twelve']],
    ['an integer that a double would alter', ['any=9007199254740993']],
    ['a key given twice in a value', ['any={"a":1,"a":2}']],
  ])('refuses %s', (_, pairs) => {
    expect(() => readInputs(workflow, pairs)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('takes a file that begins with a byte order mark', () => {
    const file = join(folder, 'bom.json');
    writeFileSync(file, '\ufeff{"text":"file"}');
    expect(readInputs(workflow, [], file)).toEqual({ text: 'file' });
  });

  it.each(['[1]', 'null', '{', '{"count":1,"count":2}', '{"count":9007199254740993}'])(
    'refuses a file that holds %s',
    text => {
      const file = join(folder, 'bad.json');
      writeFileSync(file, text);
      expect(() => readInputs(workflow, [], file)).toThrow(expect.objectContaining({ code: 'usage' }));
    },
  );

  it('refuses a file that is not there', () => {
    expect(() => readInputs(workflow, [], join(folder, 'none.json'))).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
  });
});
