import type { Finding, VerificationReport } from '../../../../schemas/types.js';
import type { SkippedFile } from '../collect.js';
import type { JudgedReport } from '../judged.js';

/** Returns the findings of a report in the order of their places. */
export function inOrderOfPlace(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    ({ location: a }, { location: b }) => (a?.line ?? 1) - (b?.line ?? 1) || (a?.column ?? 1) - (b?.column ?? 1),
  );
}

/** Returns how much there is in all reports together; of rules not evaluated the most that one report has. */
export function totals(reports: readonly JudgedReport[]): {
  errors: number;
  warnings: number;
  rulesNotEvaluated: number;
} {
  let [errors, warnings, rulesNotEvaluated] = [0, 0, 0];
  for (const report of reports) {
    errors += report.errors;
    warnings += report.warnings;
    rulesNotEvaluated = Math.max(rulesNotEvaluated, notEvaluated(report.report).length);
  }
  return { errors, warnings, rulesNotEvaluated };
}

/** Returns the reasons why rules were not evaluated, each with the rules, as in S9–S11, S14. */
export function reasonsNotEvaluated(reports: readonly JudgedReport[]): Map<string, string> {
  const rules = new Map<string, Set<string>>();
  for (const { report } of reports) {
    for (const { rule, reason = 'no reason was given' } of notEvaluated(report)) {
      const told = rules.get(reason) ?? new Set();
      rules.set(reason, told.add(rule));
    }
  }
  return new Map([...rules].map(([reason, ids]) => [reason, ranges([...ids])]));
}

function notEvaluated(report: VerificationReport): VerificationReport['rules'] {
  return report.rules.filter(rule => rule.status === 'not_evaluated');
}

/** Rule ids with runs of neighbours drawn together. */
function ranges(ids: readonly string[]): string {
  const numbers = ids.map(id => Number(id.slice(1))).sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs
    .map(([from, to]) => (from === to ? `S${from}` : `S${from}${to === from + 1 ? ', ' : '–'}S${to}`))
    .join(', ');
}

/** Returns a number with its noun. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Returns what is wrong and what to do as sentences, one behind the other. */
export function sentences(message: string, help: string): string {
  return `${message}${message.endsWith('?') ? '' : '.'} ${help}`;
}

/** Returns how many files were skipped, each counted once however many documents it has. */
export function filesIn(skipped: readonly SkippedFile[]): number {
  return new Set(skipped.map(({ file }) => file)).size;
}
