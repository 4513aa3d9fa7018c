import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { init } from './init.js';
import { wordsOf } from './options.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-commands-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('init', () => {
  it.each([
    ['python', ['adapter.py', 'ars_adapter.py'], 'python3'],
    ['ts', ['adapter.mjs'], 'node'],
  ])('writes an adapter in %s once, and says how to go on', (lang, files, program) => {
    const dir = join(folder, lang);
    expect(init(dir, lang)).toContain(`ars-compliance doctor -- ${program} ${dir}/${files[0]}`);
    expect(readdirSync(dir)).toEqual(files);
    expect(() => init(dir, lang)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('wordsOf', () => {
  it('takes a command apart as a shell does', () => {
    expect(wordsOf(`node 'my adapter.js'  --name="a b"c ''`)).toEqual(['node', 'my adapter.js', '--name=a bc', '']);
    expect(() => wordsOf(`node 'adapter.js`)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
