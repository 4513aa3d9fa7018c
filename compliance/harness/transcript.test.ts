import { expect, it } from 'vitest';
import { Transcript } from './transcript.js';

it('keeps a short transcript whole, one JSON value a line', () => {
  const transcript = new Transcript();
  transcript.add('sent', 1, '{"a":1}');
  transcript.add('received', 2, 'line\nwith a break');
  const lines = transcript.toNdjson().trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { direction: 'sent', incarnation: 1, line: '{"a":1}' },
    { direction: 'received', incarnation: 2, line: 'line\nwith a break' },
  ]);
  transcript.reset();
  expect(transcript.entries()).toEqual([]);
});

it('keeps the beginning and the end of a long one within its cap, and says how much is left out', () => {
  const transcript = new Transcript(1000);
  for (let n = 0; n < 1000; n += 1) transcript.add('sent', 1, `line ${String(n).padStart(5, '0')}`);
  const entries = transcript.entries();
  expect(entries.reduce((sum, { line }) => sum + line.length, 0)).toBeLessThan(1600);
  expect(entries[0]?.line).toBe('line 00000');
  expect(entries.at(-1)?.line).toBe('line 00999');
  const [left] = entries.filter(({ direction }) => direction === 'event');
  expect(Number.parseInt(left?.line ?? '', 10) + entries.length - 1).toBe(1000);
});

it('shortens a line that is very long', () => {
  const transcript = new Transcript();
  transcript.add('sent', 1, 'x'.repeat(1_000_000));
  expect(transcript.entries()[0]?.line).toMatch(/^x{16384}… \(1000000 characters\)$/);
});
