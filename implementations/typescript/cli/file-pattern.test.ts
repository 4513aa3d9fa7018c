import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { matchesAny } from './file-pattern.js';

const PATTERNS = [
  '*.yaml',
  '**/*.yaml',
  'flows/**',
  '**',
  'a/**/b/**/c.*',
  '**/.github/*',
  '*.{yaml,yml}',
  '!(a|b)*',
  '!*.json',
  '@(a|b)?(c).yaml',
  '[[:alpha:]]?.json',
  'a[b].yaml',
  './a.yaml',
];
const PATHS = [
  ...['a.yaml', 'ab.yml', 'a[b].yaml', '.hidden.yaml', 'ac.yaml', 'ab.json', 'flows/a.yaml', 'flows/.x/b.json'],
  ...['a/b/c.json', 'a/x/b/y/c.yaml', '.github/w.yaml', 'x/.github/w.yaml', 'flows'],
];

describe('a pattern of files', () => {
  it.each(PATTERNS)('%s matches what picomatch says', pattern => {
    const isMatch = picomatch(pattern, { dot: true, basename: !pattern.includes('/') });
    expect(PATHS.filter(path => matchesAny([pattern], path))).toEqual(PATHS.filter(path => isMatch(path)));
  });

  it.each([`${'*a'.repeat(30)}b`, `${'**/a'.repeat(20)}/b`, '*(*a*a)*(a*a*a)b'])('%s ends on a long path', pattern => {
    for (const path of ['a'.repeat(4000), 'a/'.repeat(2000)]) expect(matchesAny([pattern], path)).toBe(false);
  });

  it.each(['a'.repeat(1001), '+('.repeat(33)])('%s is refused', pattern => {
    expect(() => matchesAny([pattern], 'a')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
