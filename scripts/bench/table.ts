import { SHAPES_WITH_FINDINGS, type Shape } from './documents.js';
import { columns, growthExponent, megabytes, milliseconds } from './figures.js';
import type { Measurement } from './measure.js';

/** One line of the table. */
export interface Row {
  readonly shape: Shape;
  readonly size: number;
  readonly measured: Measurement;
}

/** Returns the tables of the shapes without findings and of those with some, each under a line that says which. */
export function timeTables(rows: readonly Row[]): string {
  const full = rows.filter(({ shape }) => SHAPES_WITH_FINDINGS.has(shape));
  const free = rows.filter(({ shape }) => !SHAPES_WITH_FINDINGS.has(shape));
  const told = [
    ['Without findings: the ratio compares two ways through a document.', free],
    [
      'With findings: the rules also write what they found, which JSON.parse has nothing like; chain and sound are the same kinds of graph without.',
      full,
    ],
  ] as const;
  return told
    .filter(([, some]) => some.length > 0)
    .map(([title, some]) => `${title}\n${timeTable(some)}\n\n${summaryOf(some)}`)
    .join('\n\n');
}

/** Returns the times of each shape and size, as text in columns. */
export function timeTable(rows: readonly Row[]): string {
  const head = [
    'shape',
    'nodes',
    'edges',
    'findings',
    'JSON.parse',
    'all rules',
    'ratio',
    'noise',
    'of CPU time',
    'a finding',
    'schema',
    'digest',
    'safety',
    'peak memory',
    'of it parse',
  ];
  const lines = rows.map(({ shape, measured }) => [
    shape,
    String(measured.nodes),
    String(measured.edges),
    String(measured.findings),
    milliseconds(measured.parse),
    milliseconds(measured.rules),
    measured.ratio.toFixed(2),
    `±${Math.round(measured.noise * 50)} %`,
    measured.cpuRatio.toFixed(2),
    perFinding(measured),
    milliseconds(measured.schema),
    milliseconds(measured.digest),
    milliseconds(measured.safety),
    megabytes(measured.memory),
    megabytes(measured.memoryOfParse),
  ]);
  return columns([head, ...lines]);
}

/** What each finding costs, where all that the rules take longer than JSON.parse is for findings. */
function perFinding({ rulesCpu, parseCpu, findings }: Measurement): string {
  return findings === 0 ? '–' : `${((1000 * Math.max(0, rulesCpu - parseCpu)) / findings).toFixed(1)} µs`;
}

/** Returns how the processor's time of all rules grows with each shape, and the worst ratio to the time of JSON.parse. */
export function summaryOf(rows: readonly Row[]): string {
  const shapes = [...new Set(rows.map(({ shape }) => shape))];
  const lines = shapes.map(shape => {
    const own = rows.filter(row => row.shape === shape);
    const exponent = (of: (measured: Measurement) => number): string =>
      own.length < 2 ? '–' : growthExponent(own.map(({ measured }) => [measured.nodes, of(measured)])).toFixed(2);
    const worst = Math.max(...own.map(({ measured }) => measured.ratio));
    return [shape, exponent(({ rulesCpu }) => rulesCpu), exponent(({ parseCpu }) => parseCpu), worst.toFixed(2)];
  });
  return columns([['shape', 'growth of all rules', 'growth of JSON.parse', 'worst ratio'], ...lines]);
}

/** Returns the time of each rule by itself; what several share counts for the first that asks for it. */
export function ruleTable(rows: readonly Row[]): string {
  const ids = Object.keys(rows[0]?.measured.byRule ?? {});
  const lines = rows.map(({ shape, size, measured }) => [
    `${shape} ${size}`,
    ...ids.map(id => milliseconds(measured.byRule[id] ?? 0)),
  ]);
  return columns([['', ...ids], ...lines]);
}
