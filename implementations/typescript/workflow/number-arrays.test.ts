import { describe, expect, it } from 'vitest';
import { grown, int32s, uint8s, uint16s } from './number-arrays.js';

/** Numbers of bytes on both sides of each border: no bytes, whole pieces of a block, memory of their own, shared memory. */
const SIZES = [0, 1, 3, 8, 9, 1000, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577];
const KINDS = [
  { name: 'int32s', make: int32s, bytes: 4 },
  { name: 'uint16s', make: uint16s, bytes: 2 },
  { name: 'uint8s', make: uint8s, bytes: 1 },
];

describe.each(KINDS)('$name', ({ make, bytes }) => {
  it.each(SIZES)('gives so many zeros, up to %i bytes', size => {
    const count = Math.floor(size / bytes);
    const numbers = make(count);
    expect(numbers).toHaveLength(count);
    expect(numbers.BYTES_PER_ELEMENT).toBe(bytes);
    expect(numbers.byteOffset % 8).toBe(0);
    expect(numbers.every(number => number === 0)).toBe(true);
    numbers.fill(7);
  });
});

describe('arrays of numbers', () => {
  it('do not overlap, whatever their sizes and kinds', () => {
    const arrays = Array.from({ length: 600 }, (_, at) => {
      const { make, bytes } = KINDS[at % KINDS.length] as (typeof KINDS)[number];
      return make(Math.floor(((at * 977) % 17_000) / bytes));
    });
    for (const [at, numbers] of arrays.entries()) {
      expect(numbers.every(number => number === 0)).toBe(true);
      numbers.fill((at % 250) + 1);
    }
    for (const [at, numbers] of arrays.entries()) expect(numbers.every(number => number === (at % 250) + 1)).toBe(true);
  });

  it('are in memory that is shared from a megabyte on only', () => {
    expect(uint8s(1_048_575).buffer).toBeInstanceOf(ArrayBuffer);
    expect(uint8s(1_048_576).buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(int32s(262_144).buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it('are pieces of one block where they are small', () => {
    const small = Array.from({ length: 20 }, () => int32s(10));
    expect(new Set(small.map(({ buffer }) => buffer)).size).toBeLessThan(3);
    expect(uint8s(16_385).buffer.byteLength).toBe(16_385);
  });

  it('grow to longer ones that begin with the same numbers', () => {
    const list = int32s(3).fill(5);
    const longer = grown(list, 6);
    expect([...longer]).toEqual([5, 5, 5, 0, 0, 0]);
    longer[0] = 1;
    expect(list[0]).toBe(5);
  });
});
