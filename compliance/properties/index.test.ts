import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../program.js';
import { FAMILIES, type Property } from '../runner/property.js';
import { anyProgram } from './cases.js';
import { chain } from './drawn.js';
import { findProperty, PROPERTIES } from './index.js';
import { judgeProgram } from './program-property.js';

/** What the walking skeleton has to judge. */
const WANTED = 'CF1 CF2 CF3 CF4 CF5 CN1 AII1 AII2 AII3 AII6 CC1 CC2 CLI1 WII1 WII2 WII3 S1 S2 S3 S4 S5 S6 G1 G2'.split(
  ' ',
);

describe('the list of properties', () => {
  it('has ids of its own, in known families', () => {
    expect(new Set(PROPERTIES.map(({ id }) => id)).size).toBe(PROPERTIES.length);
    for (const { id, family } of PROPERTIES) {
      expect(FAMILIES).toContain(family);
      expect(id.startsWith(`${family}/`)).toBe(true);
    }
  });

  it('judges everything that it has to', () => {
    const judged = new Set(PROPERTIES.flatMap(({ requirements }) => requirements));
    expect(WANTED.filter(id => !judged.has(id))).toEqual([]);
  });

  it('has a control and a twin for every property', () => {
    for (const { control, twin } of PROPERTIES) {
      expect(control).not.toBe('');
      expect(twin).not.toBe('');
    }
  });

  it('names the nearest where there is none', () => {
    expect(() => findProperty('workflow/and-joins')).toThrow(/workflow\/and-join/);
  });
});

/** Properties whose cases are no message and that judge them by themselves, by what was said or by comparing two runs. */
const OWN_JUDGES: ReadonlySet<string> = new Set([
  'audit/told',
  'audit/write-fails',
  'audit/doors',
  'audit/recovery-on-request',
  'audit/recovery-repeated',
  'audit/interrupted-since-snapshot',
  'audit/compensation-held',
  'audit/undo-degraded',
  'audit/degraded-recovered',
  'state/folder',
  'state/restart',
  'workflow/carried-out-once',
]);

function isByModel({ id, kind }: Property): boolean {
  return kind !== 'message' && !OWN_JUDGES.has(id);
}

describe('judging', () => {
  const nothing: Observation = { start: { error: { kind: 'unsupported' } }, ledger: [], recoveries: [null], kills: 0 };
  const ids = [...new Set(PROPERTIES.filter(isByModel).flatMap(p => p.requirements))].filter(
    id => id !== 'WII1' && id !== 'WII3',
  );

  it('says when each requirement is reached, and reaches none where nothing was seen', () => {
    for (const check of judgeProgram(ids, chain(2), nothing)) expect(check).toMatchObject({ reached: false });
  });

  it('draws the same programs from the same seed', () => {
    const draw = () => JSON.stringify(fc.sample(anyProgram, { seed: 5, numRuns: 20 }));
    expect(draw()).toBe(draw());
  });
});
