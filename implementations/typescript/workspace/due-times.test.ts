import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DueTimes, dueAfter, latestDue } from './due-times.js';

const time = (ms: number) => new Date(ms).toISOString();
const START = Date.parse('2026-03-01T00:00:00.000Z');

it('gives each due time of a job once, in order, and none at its end', () => {
  const steps = fc.record({
    every_ms: fc.integer({ min: 1000, max: 5000 }),
    length: fc.integer({ min: 0, max: 20_000 }),
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: -3000, max: 25_000 }), ({ every_ms, length }, at) => {
      const job: DueTimes = { every_ms, from: time(START), until: time(START + length) };
      const all: string[] = [];
      for (let ms = 0; ms < length; ms += every_ms) all.push(time(START + ms));
      const now = time(START + at);
      expect(latestDue(job, now)).toBe(all.filter(due => due <= now).at(-1));
      expect(dueAfter(job, now)).toBe(all.find(due => due > now));
    }),
    { numRuns: 200 },
  );
});

it('is due once at the time that a job names', () => {
  const job = { at: time(START) };
  expect([latestDue(job, time(START - 1)), dueAfter(job, time(START - 1))]).toEqual([undefined, time(START)]);
  expect([latestDue(job, time(START)), dueAfter(job, time(START))]).toEqual([time(START), undefined]);
});

it('ends with the last instant that a time can say', () => {
  const job = { every_ms: Number.MAX_SAFE_INTEGER, from: time(START) };
  expect(latestDue(job, '9999-12-31T23:59:59.999Z')).toBe(time(START));
  expect(dueAfter(job, time(START))).toBeUndefined();
});

it('compares an end on a day that its month does not have like any other time', () => {
  const job = { every_ms: 86_400_000, from: '2026-02-27T12:00:00.000Z', until: '2026-02-30T23:00:00.000Z' };
  expect(latestDue(job, '2026-03-05T00:00:00.000Z')).toBe('2026-02-28T12:00:00.000Z');
  expect(dueAfter(job, '2026-02-28T12:00:00.000Z')).toBeUndefined();
});
