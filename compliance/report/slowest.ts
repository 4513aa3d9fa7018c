import type { Outcome } from '../runner/run.js';

/** Gives the properties that took longest, longest first, one a line with time, name and number of cases. */
export function slowestText(outcomes: readonly Outcome[], count: number): string {
  const slowest = [...outcomes].sort((one, other) => other.elapsed_ms - one.elapsed_ms).slice(0, count);
  const lines = slowest.map(({ elapsed_ms, definition, cases }) => {
    const seconds = (elapsed_ms / 1000).toFixed(1).padStart(7);
    return `${seconds} s  ${definition.id} (${cases} ${cases === 1 ? 'case' : 'cases'})\n`;
  });
  return `What took longest, of ${outcomes.length} properties:\n${lines.join('')}`;
}
