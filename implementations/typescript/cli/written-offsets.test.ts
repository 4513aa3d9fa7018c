import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDocuments, type SourceDocument } from '../workspace/document.js';
import { writtenOffsets } from './written-offsets.js';

/** Each code unit of a value with what is written for it. */
function pieces(value: string, written: string): string[] | undefined {
  const offsets = writtenOffsets(value, written);
  return offsets && [...value.split('').keys()].map(at => written.slice(offsets[at], offsets[at + 1]));
}

it('every code unit of a string of JSON is where it is written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), value => {
      const units = pieces(value, JSON.stringify(value))?.map(piece => JSON.parse(`"${piece}"`) as string);
      expect(units).toEqual(value.split(''));
    }),
  );
});

it.each([
  ['a block', '|\n  one\n    two ${x}\n\n  three\n'],
  ['a block that is folded', '>-\n  one\n  two ${x}\n\n  three\n'],
  ['a plain text', 'one\n  two ${x}\n\n  three'],
  ['single quotes', "'one ''1''\n  two ${x}\n\n  three'"],
  ['double quotes', '"one \\U0001F600 \\x41 \\\n  \\ two ${x}\n\n  three"'],
  ['lines of Windows', '|\r\n  one\r\n  two ${x}\r\n'],
])('a name in %s is where it is written', (_, yaml) => {
  const text = `a: ${yaml}`;
  const [document] = readDocuments(text, { file: 'a.yaml' }) as [SourceDocument];
  const value = (document.value as { a: string }).a;
  const { line, column, end_line = 1, end_column = 1 } = document.locate('/a');
  const written = text.slice(document.source.offset(line, column), document.source.offset(end_line, end_column));
  const offsets = writtenOffsets(value, written);
  expect(written.slice(offsets?.[value.indexOf('${x}')]).startsWith('${x}')).toBe(true);
});

it('what is written elsewhere has no place', () => {
  expect(writtenOffsets('one', '*alias')).toBeUndefined();
});
