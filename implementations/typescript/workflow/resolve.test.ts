import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { highestMatch, parseReference } from './resolve.js';

/** How long the texts are: longer ones do not lie in the heap. */
const TEXT = 2 ** 19;
const TEXTS = 20;

it('remembers nothing of a document but the versions and the ranges themselves', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const keptAfter = (work: () => void): number => {
    collect();
    const before = process.memoryUsage().heapUsed;
    work();
    collect();
    return process.memoryUsage().heapUsed - before;
  };
  const cut = (beginning: string): string =>
    Buffer.alloc(TEXT, 'x').fill(beginning, 0, beginning.length).toString('latin1').slice(0, beginning.length);
  const kept = keptAfter(() => {
    for (let at = 0; at < TEXTS; at++) {
      const version = cut(`1.0.0-candidate.${at}`);
      const { range } = parseReference(cut(`act@>=1.0.0-0 <2.0.${at}`));
      expect(highestMatch([{ version }], range)?.version).toBe(version);
      expect(highestMatch([{ version: '1.0.0' }], cut('1'.repeat(TEXT - at)))).toBeUndefined();
    }
  });
  expect(kept).toBeLessThan((TEXTS / 4) * TEXT);
});

it('passes over a definition of a registry that has no version', () => {
  const versions = [undefined as never, null as never, '1.0.0'].map(version => ({ version }));
  expect(highestMatch(versions, '>=0.0.1')).toEqual({ version: '1.0.0' });
});
