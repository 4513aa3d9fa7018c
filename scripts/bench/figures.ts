/** Returns the middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns how far the middle half of some values lies apart, as a part of their median; of fewer than four all of them. */
export function spread(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return ((sorted.at(-1 - quarter) ?? Number.NaN) - (sorted[quarter] ?? Number.NaN)) / median(sorted);
}

/** Returns the exponent e of the curve `time = c · size^e` that fits best, by least squares of the logarithms. */
export function growthExponent(points: readonly (readonly [size: number, time: number])[]): number {
  const logs = points.map(([size, time]) => [Math.log(size), Math.log(time)] as const);
  const mean = (at: 0 | 1): number => logs.reduce((sum, log) => sum + log[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0);
  const variance = logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0);
  return covariance / variance;
}

/** Returns rows of cells as text in columns; the first column is flush left. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const padded = (cell: string, at: number): string =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return rows.map(row => row.map(padded).join('  ').trimEnd()).join('\n');
}

/** Returns a time in milliseconds with three digits that count. */
export function milliseconds(time: number): string {
  return `${time >= 100 ? Math.round(time) : time.toPrecision(3)} ms`;
}

/** Returns a size in bytes in whole megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
