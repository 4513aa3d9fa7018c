import { describe, expect, it } from 'vitest';
import { pathBase, sourcePath, sourceUri } from './source-uri.js';

describe('paths in reports', () => {
  const repository = { GITHUB_WORKSPACE: '/repo' };

  it.each([
    ['in the folder of the call', '/repo/sub', {}, 'a/b.yaml', 'a/b.yaml'],
    ['in the repository of an action', '/repo/sub', repository, 'a/b.yaml', 'sub/a/b.yaml'],
    ['in a folder outside the repository', '/other', repository, 'a.yaml', 'a.yaml'],
    ['beside the repository, with a name that begins alike', '/repository', repository, 'a.yaml', 'a.yaml'],
    ['outside the folder', '/repo', {}, '../x.yaml', '/x.yaml'],
    ['of standard input', '/repo', repository, '<stdin>', '<stdin>'],
  ])('%s', (_, cwd, env, file, path) => {
    expect(sourcePath(file, pathBase(cwd, env))).toBe(path);
  });

  it('are escaped as references', () => {
    expect(sourceUri('a b/%,é#?.yaml', { cwd: '/repo', root: '/repo' })).toBe('a%20b/%25%2C%C3%A9%23%3F.yaml');
    expect(sourceUri('/x y.yaml', { cwd: '/repo', root: '/repo' })).toBe('file:///x%20y.yaml');
    expect(sourceUri('<stdin>', { cwd: '/repo', root: '/repo' })).toBe('%3Cstdin%3E');
  });
});
