import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { compareVersionTexts, satisfiesRange } from './range.js';

const number = fc.constantFrom('0', '0', '1', '2', '3', '10');
const pre = fc.constantFrom('', '', '', '-0', '-rc', '-rc.1', '-rc.2', '-1', '-x.1', '-a-b');
const build = fc.constantFrom('', '', '', '+b', '+1.c');
const version = fc.tuple(number, number, number, pre, build).map(([a, b, c, d, e]) => `${a}.${b}.${c}${d}${e}`);
const partial = fc
  .tuple(fc.constantFrom('', '', '', 'v'), fc.array(number, { minLength: 1, maxLength: 3 }), pre, build, fc.nat(6))
  .map(([v, numbers, p, b, form]) => {
    if (numbers.length === 3 && form > 2) return `${v}${numbers.join('.')}${p}${b}`;
    const x = ['x', 'X', '*'][form % 3] ?? 'x';
    if (form === 0) return `${v}${x}`;
    return `${v}${numbers.slice(0, 2).join('.')}${form === 1 ? `.${x}` : ''}`;
  });
const comparator = fc
  .tuple(fc.constantFrom('', '', '=', '<', '<=', '>', '>=', '~', '^'), fc.constantFrom('', '', ' '), partial)
  .map(([sign, space, rest]) => `${sign}${sign === '' ? '' : space}${rest}`);
const set = fc.oneof(
  { weight: 4, arbitrary: fc.array(comparator, { maxLength: 3 }).map(list => list.join(' ')) },
  fc.tuple(partial, partial).map(ends => ends.join(' - ')),
);
const range = fc.array(set, { minLength: 1, maxLength: 3 }).map(sets => sets.join(' || '));

describe('ranges of versions', () => {
  it('are read as npm reads those of the grammar', () => {
    fc.assert(
      fc.property(range, fc.array(version, { minLength: 1, maxLength: 8 }), (text, versions) => {
        fc.pre(!text.includes('x+') && !text.includes('*+'));
        for (const one of versions)
          expect([one, text, satisfiesRange(one, text)]).toEqual([one, text, semver.satisfies(one, text)]);
      }),
      { numRuns: 3000 },
    );
  });

  it('match nothing in another form', () => {
    for (const text of [
      '~>1.2',
      '~=1.2.3',
      '^1.x.3',
      '1.2.3.4',
      '01.2.3',
      '1.x.3',
      'latest',
      '1.2.3 -2',
      '>1 - 2',
      '1.2-rc',
    ])
      expect([text, satisfiesRange('1.2.3', text)]).toEqual([text, false]);
  });

  it('order versions by precedence and then by their text', () => {
    const versions = [
      '1.0.0',
      '1.0.0-1',
      '1.0.0+b',
      '1.0.0-rc',
      '1.0.0+a',
      '0.9.0',
      '1.0.0-10',
      '1.0.0-rc.1',
      '10.0.0',
      '2.0.0',
    ];
    expect(versions.sort(compareVersionTexts)).toEqual([
      '0.9.0',
      '1.0.0-1',
      '1.0.0-10',
      '1.0.0-rc',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.0+a',
      '1.0.0+b',
      '2.0.0',
      '10.0.0',
    ]);
  });
});
