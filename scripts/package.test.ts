import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

describe('the package', () => {
  let files: readonly string[] = [];

  beforeAll(() => {
    const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    });
    const [packed] = JSON.parse(told) as { files: { path: string }[] }[];
    files = packed?.files.map(({ path }) => path) ?? [];
  }, 120_000);

  it.each(['README.md', 'implementations/typescript/cli/README.md', 'reference/README.md', 'spec/README.md'])(
    'has every file and folder that %s links to',
    page => {
      const targets = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g)];
      const paths = targets.map(([, target]) => join(page, '..', target as string));
      expect(paths.length).toBeGreaterThan(0);
      const isThere = (path: string): boolean =>
        path.endsWith('/') ? files.some(file => file.startsWith(path)) : files.includes(path);
      const dead = paths.filter(path => !isThere(path) && !isThere(`${path.replace(/\/$/, '')}/`));
      expect(dead).toEqual([]);
    },
  );

  it('has no tests and nothing that only tests use', () => {
    expect(files.filter(file => /\.test\.|\.fixture\.|(^|\/)testing\//.test(file))).toEqual([]);
  });
});
