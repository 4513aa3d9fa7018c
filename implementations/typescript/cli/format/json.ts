import type { JudgedReport, Outcome } from '../judged.js';
import type { Format } from './format.js';
import { placesNotEvaluated } from './open-reference.js';
import { totals } from './summary.js';

/**
 * Gives one JSON object: the report of each document, what was skipped or could not be read, which limits of the call do
 * not hold, and what counts.
 *
 * A report is that of the specification, without the findings of rules that are off. `levels` has the rules that count
 * here otherwise than there, `open` the places of the references for which rules were not evaluated, `notes` what is no
 * finding and yet likely to be a slip.
 */
export const json: Format = function* json(outcome: Outcome) {
  const { reports, skipped, problems, registries, exceeded, exitCode } = outcome;
  yield '{\n  "reports": [';
  for (const [index, report] of reports.entries()) {
    yield index === 0 ? '\n' : ',\n';
    yield* reportJson(report);
  }
  yield reports.length === 0 ? '],\n' : '\n  ],\n';
  const { errors, warnings } = totals(reports);
  const summary = { documents: reports.length, errors, warnings, registries, exit_code: exitCode };
  yield `  "skipped": ${indented(skipped)},\n  "problems": ${indented(problems)},\n  "exceeded": ${indented(exceeded)},\n  "summary": ${indented(summary)}\n}\n`;
};

function* reportJson(judged: JudgedReport): Generator<string> {
  const { file, document, report, levels, notes } = judged;
  const changed = [...levels].filter(([, { reason }]) => reason !== undefined).map(([id, { level }]) => [id, level]);
  const { findings, ...rest } = report;
  yield `    {\n      "file": ${JSON.stringify(file)},\n      "document": ${document},\n`;
  if (changed.length > 0) yield `      "levels": ${JSON.stringify(Object.fromEntries(changed))},\n`;
  const open = placesNotEvaluated(judged);
  if (open.length > 0) yield `      "open": ${JSON.stringify(Object.fromEntries(open))},\n`;
  if (notes.length > 0) yield `      "notes": ${JSON.stringify(notes)},\n`;
  const head = JSON.stringify(rest, null, 2).slice(0, -2);
  yield `      "report": ${deeper(head, 6)},\n        "findings": [`;
  for (const [index, finding] of findings.entries())
    yield `${index === 0 ? '' : ','}\n          ${deeper(JSON.stringify(finding, null, 2), 10)}`;
  yield `${findings.length === 0 ? '' : '\n        '}]\n      }\n    }`;
}

function indented(value: unknown): string {
  return deeper(JSON.stringify(value, null, 2), 2);
}

function deeper(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`);
}
