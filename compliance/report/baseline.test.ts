import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Expected, readBaseline, surprises } from './baseline.js';
import { failedRun } from './failed-run.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-baseline-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entry: Expected = {
  id: 'AII1',
  kind: 'FAIL',
  reason: 'known',
  issue: 'https://example.org/1',
  expires: '2026-01-01',
};
const known = new Set(['AII1', 'AII3', 'P1']);

async function found(...baseline: Expected[]): Promise<string[]> {
  const { report } = await failedRun();
  return surprises(report, baseline, known).map(({ id, what }) => `${id} ${what}`);
}

describe('surprises', () => {
  it('are none where the run is as expected, to the last day', async () => {
    expect(await found(entry)).toEqual([]);
    expect(await found(entry, { ...entry, id: 'P1' })).toEqual([]);
  });

  it('are what is worse, better, unknown, of another kind or past its day', async () => {
    expect(await found()).toEqual(['AII1 not_expected']);
    expect(await found(entry, { ...entry, id: 'AII3' })).toEqual(['AII3 passes']);
    expect(await found(entry, { ...entry, id: 'AII99' })).toEqual(['AII99 unknown_id']);
    expect(await found({ ...entry, kind: 'INCONCLUSIVE', reason: 'thin' })).toEqual(['AII1 other_kind']);
    expect(await found({ ...entry, expires: '2025-12-31' })).toEqual(['AII1 expired']);
  });
});

describe('readBaseline', () => {
  const path = join(folder, 'baseline.json');

  it('gives the entries', () => {
    writeFileSync(path, JSON.stringify([entry]));
    expect(readBaseline(path)).toEqual([entry]);
  });

  it.each([
    '{',
    JSON.stringify(entry),
    JSON.stringify([{ ...entry, kind: 'PASS' }]),
    JSON.stringify([{ ...entry, expires: '2026-02-30' }]),
    JSON.stringify([{ ...entry, more: 'x' }]),
    JSON.stringify([{ id: 'AII1', kind: 'FAIL' }]),
    JSON.stringify([entry, entry]),
  ])('refuses %s', text => {
    writeFileSync(path, text);
    expect(() => readBaseline(path)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('names the field that is missing, and the entry', () => {
    const { reason: _none, ...short } = entry;
    writeFileSync(path, JSON.stringify([entry, short]));
    expect(() => readBaseline(path)).toThrow(/entry 2: 'reason' is missing/);
  });
});
