import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineReader, QUOTE_BYTES } from './lines.js';

function readAll(bytes: Buffer, cuts: readonly number[], cap?: number): Line[] {
  const reader = new LineReader(cap);
  const ends = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const lines: Line[] = [];
  let from = 0;
  for (const to of [...ends, bytes.length]) {
    lines.push(...reader.push(bytes.subarray(from, to)));
    from = to;
  }
  return lines;
}

describe('LineReader', () => {
  it('gives the same lines whatever the chunks are', () => {
    const text = fc.string({ unit: 'binary' }).filter(line => !/[\r\n]|\p{Surrogate}/u.test(line));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), fc.array(fc.nat(10_000)), (texts, cuts) => {
        const bytes = Buffer.from(texts.map(line => `${line}\n`).join(''));
        const lines = readAll(bytes, cuts);
        // A decoder takes a byte order mark at the beginning of a line away, as JSON wants it.
        const wanted = texts.filter(line => line !== '').map(line => line.replace(/^\uFEFF/, ''));
        expect(lines).toEqual(wanted.map(line => ({ kind: 'text', text: line })));
      }),
    );
  });

  it('quotes bytes that are not UTF-8 and goes on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), cuts => {
        const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('\n{"a":1}\n')]);
        const lines = readAll(bytes, cuts);
        expect(lines.map(({ kind }) => kind)).toEqual(['not_utf8', 'text']);
      }),
    );
  });

  it('drops a line above the cap, keeps its length and its beginning, and goes on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.nat(600)), (length, cuts) => {
        const lines = readAll(Buffer.from(`${'x'.repeat(length)}\nnext\n`), cuts, 100);
        const first =
          length > 100
            ? { kind: 'too_long', quote: 'x'.repeat(Math.min(length, QUOTE_BYTES)), bytes: length }
            : undefined;
        expect(lines[0]).toEqual(first ?? { kind: 'text', text: 'x'.repeat(length) });
        expect(lines[1]).toEqual({ kind: 'text', text: 'next' });
      }),
    );
  });

  it('tells of a line that was cut off by the end', () => {
    const reader = new LineReader();
    expect(reader.push(Buffer.from('{"a":'))).toEqual([]);
    expect(reader.end()).toEqual({ kind: 'text', text: '{"a":' });
    expect(reader.end()).toBeUndefined();
  });
});
