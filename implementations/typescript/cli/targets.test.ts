import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTargets } from './targets.js';
import { folderOf } from './verify.fixture.js';

const folder = folderOf({
  'a.yaml': '',
  'b.json': '',
  'note.md': '',
  'sub/c.yml': '',
  'sub/[odd]*.yaml': '',
  'sub/deep/d.YAML': '',
  'node_modules/x/e.yaml': '',
  '.hidden/f.yaml': '',
  'sub/.hidden.yaml': '',
});
mkdirSync(join(folder, 'empty'));
symlinkSync(folder, join(folder, 'sub', 'circle'));

const files = async (...args: string[]): Promise<string[]> =>
  (await findTargets(args, folder)).targets.map(({ file, named }) => (named ? `named ${file}` : file));

describe('the files that arguments mean', () => {
  it('are those below a folder, without node_modules, dot folders and links to folders', async () => {
    expect(await files('.')).toEqual(['a.yaml', 'b.json', 'sub/[odd]*.yaml', 'sub/c.yml', 'sub/deep/d.YAML']);
    expect(await files('sub/')).toEqual(['sub/[odd]*.yaml', 'sub/c.yml', 'sub/deep/d.YAML']);
    expect(await files('.hidden')).toEqual(['.hidden/f.yaml']);
  });

  it('are those that a pattern matches, of YAML and JSON', async () => {
    expect(await files('*')).toEqual(['a.yaml', 'b.json']);
    expect(await files('**/*.{yml,YAML}')).toEqual(['sub/c.yml', 'sub/deep/d.YAML']);
    expect(await files('!(a).json')).toEqual(['b.json']);
  });

  it('are a file itself, also where its name looks like a pattern', async () => {
    expect(await files('sub/[odd]*.yaml')).toEqual(['named sub/[odd]*.yaml']);
    expect(await files('note.md')).toEqual(['named note.md']);
  });

  it('come once each, as named where one of the arguments names them', async () => {
    expect(await files('*.yaml', './a.yaml', 'a.yaml', '-', '-')).toEqual(['named a.yaml', 'named -']);
  });

  it('are left to the reader where there is no such file, and missed where a pattern or folder has none', async () => {
    expect(await files('none.yaml')).toEqual(['named none.yaml']);
    expect(await findTargets(['empty', 'x*.yaml'], folder)).toEqual({
      targets: [],
      problems: ['There is no YAML or JSON file in empty', 'No YAML or JSON file matches x*.yaml'],
    });
  });

  it.each(['*a*a*a*b.yaml', '+(a|aa)*b', '**/a/**/b/**/c/**/d', '{'.repeat(40)])(
    'are not looked for with %s, which to try can take long',
    async pattern => {
      const { targets, problems } = await findTargets([pattern], folder);
      expect([targets, problems.length]).toEqual([[], 1]);
      expect(problems[0]).toContain('too many wildcards or brackets');
    },
  );
});
