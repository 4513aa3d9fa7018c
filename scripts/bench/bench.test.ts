import { describe, expect, it } from 'vitest';
import { verify } from '../../implementations/typescript/verification/index.js';
import { documentOf, SHAPES } from './documents.js';
import { columns, growthExponent, median, milliseconds, spread } from './figures.js';
import { measure } from './measure.js';
import { ruleTable, summaryOf, timeTable, timeTables } from './table.js';

describe('figures', () => {
  it('finds the middle of odd and even numbers of values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('finds how far the middle half lies apart', () => {
    expect(spread([4, 100, 2, 9, 0, 2, 1, 4])).toBeCloseTo(2 / 3, 10);
    expect(spread([1, 2, 3])).toBe(1);
  });

  it('finds the exponent of a curve, whatever its factor', () => {
    const points = [1000, 100_000, 1_000_000].map(size => [size, 3e-4 * size ** 1.25] as const);
    expect(growthExponent(points)).toBeCloseTo(1.25, 10);
    expect(
      growthExponent([
        [10, 7],
        [1000, 7],
      ]),
    ).toBeCloseTo(0, 10);
  });

  it('writes columns and times', () => {
    expect(
      columns([
        ['a', 'bbb'],
        ['cc', 'd'],
      ]),
    ).toBe('a   bbb\ncc    d');
    expect([milliseconds(0.01234), milliseconds(12.345), milliseconds(1234.5)]).toEqual([
      '0.0123 ms',
      '12.3 ms',
      '1235 ms',
    ]);
  });
});

describe('documents', () => {
  it.each(SHAPES)('of shape %s are well-formed and of the size asked for', shape => {
    const document = documentOf(shape, 1000);
    const report = verify(structuredClone(document));
    expect(report.findings.filter(({ rule }) => rule === 'SCHEMA' || rule === 'S5')).toEqual([]);
    expect(Math.abs(document.nodes.length - 1000)).toBeLessThan(10);
    expect(documentOf(shape, 1000)).toEqual(document);
  });

  it('are searched in proportion to their size, and what that leaves open is said', () => {
    const { rules } = verify(documentOf('random', 1000));
    expect(rules.find(({ rule }) => rule === 'S6')?.reason).toMatch(
      /^the search for executions ended before it was clear/,
    );
    const small = verify(documentOf('random', 30));
    expect(small.rules.find(({ rule }) => rule === 'S6')).not.toHaveProperty('reason');
  });

  it('are free of findings where the shape says so', () => {
    for (const shape of ['chain', 'ladder', 'dense', 'sound'] as const)
      expect(verify(documentOf(shape, 500)).verdict).toBe('PASS');
    expect(verify(documentOf('unhandled', 500)).counts).toEqual({ blocking: 0, warning: 500 });
  });
});

describe('measuring', () => {
  it('runs everything on a small document and tells it in tables', () => {
    const measured = measure('ladder', 1000, { repetitions: 1, warmUp: 0, smallWarmUp: 0, byRule: true });
    expect(measured.verdict).toBe('PASS');
    expect(measured.ratio).toBeCloseTo(measured.rules / measured.parse, 10);
    const rows = [{ shape: 'ladder', size: 1000, measured } as const];
    expect(timeTable(rows).split('\n')).toHaveLength(2);
    expect(summaryOf(rows)).toContain(measured.ratio.toFixed(2));
    const both = timeTables([...rows, { shape: 'random', size: 1000, measured }]);
    expect(both.split('\n').filter(line => / findings: /.test(line))).toHaveLength(2);
    expect(ruleTable(rows).split('\n')[0]).toMatch(/graph +S1 +S2/);
  });
});
