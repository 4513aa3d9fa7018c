import { array, assert as check, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameIndex } from './name-index.js';

function indexOf(names: readonly string[]): NameIndex {
  return new NameIndex(names.length, place => names[place] ?? '');
}

describe('NameIndex', () => {
  it('finds what a list finds, whatever the names are', () => {
    const name = string({ unit: constantFrom('a', 'b', '-', '_', '1', 'é', '\u{1f600}'), maxLength: 4 });
    check(
      property(array(name, { maxLength: 60 }), array(name), (names, asked) => {
        const index = indexOf(names);
        expect(index.size).toBe(new Set(names).size);
        for (const text of [...names, ...asked]) {
          expect(index.find(text)).toBe(names.indexOf(text));
          expect(index.find(`x${text}.y`, 1, text.length + 1)).toBe(names.indexOf(text));
        }
      }),
    );
  });

  it('goes on where names are chosen to fall on the same slots', () => {
    const names = collidingNames(600);
    const index = indexOf([...names, 'other']);
    expect(names.map(name => index.find(name))).toEqual(names.map((_, place) => place));
    expect([index.find('other'), index.find('none'), index.size]).toEqual([600, -1, 601]);
  });
});

/** Names that begin with slots of a table for so many: found by trying, as somebody who wants them would. */
function collidingNames(count: number): string[] {
  const names: string[] = [];
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 4)) - 1;
  for (let at = 0; names.length < count; at++) {
    const name = `n${at}`;
    let hash = 0x811c9dc5;
    for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    if (((hash ^ (hash >>> 15)) & mask) < 4) names.push(name);
  }
  return names;
}
