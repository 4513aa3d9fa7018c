import type { Finding } from '../../../../schemas/types.js';
import { visible } from '../code-frame.js';
import { counted } from '../counted.js';
import { findingLevel, type JudgedReport, type Outcome } from '../judged.js';
import type { FormatOptions } from './format.js';
import { placeOfReference } from './open-reference.js';
import { type PathBase, sourcePath } from './source-uri.js';
import { filesIn, inDocuments, inOrderOfPlace, reasonsNotEvaluated, totals, unevaluatedText } from './summary.js';

/** How many findings the table has, so that it fits into a comment. */
const MAX_ROWS = 100;

/** Gives a table of the findings as a comment on a change shows it. */
export function* markdown(outcome: Outcome, { paths, all, quiet }: FormatOptions): Generator<string> {
  const { reports, problems, skipped, exceeded } = outcome;
  const { errors, warnings, ...unevaluated } = totals(reports);
  const rest = unevaluatedText(unevaluated);
  const open = rest === '' ? '' : `, ${rest}`;
  const mark = errors > 0 || problems.length > 0 || exceeded.length > 0 ? '❌' : warnings > 0 ? '⚠️' : '✅';
  yield `### ${mark} ars verify: ${counted(reports.length, 'document')}, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}${open}\n`;
  for (const problem of problems) yield `\n- ${escapeMarkdown(problem)}`;
  if (problems.length > 0) yield '\n';
  let rows = 0;
  let left = 0;
  for (const report of reports) {
    for (const finding of inOrderOfPlace(report.report.findings)) {
      const level = findingLevel(report, finding);
      if (quiet && level === 'warning') continue;
      if (!all && rows >= MAX_ROWS) {
        left++;
        continue;
      }
      if (rows === 0) yield '\n| | rule | where | what | what to do |\n|---|---|---|---|---|\n';
      rows++;
      yield row(report, finding, level, paths);
    }
  }
  if (left > 0) yield `\nand ${left} more; \`--all\` shows them\n`;
  for (const { message } of exceeded) yield `\n${escapeMarkdown(message)}.\n`;
  if (!quiet) for (const report of reports) yield* notesText(report, paths);
  yield* details(outcome, quiet, paths);
  if (skipped.length > 0) yield `\n${counted(filesIn(skipped), 'file')} skipped.\n`;
}

function row({ file }: JudgedReport, finding: Finding, level: 'error' | 'warning', paths: PathBase): string {
  const { line, column } = finding.location ?? { line: 1, column: 1 };
  const cells = [
    level === 'error' ? '❌ error' : '⚠️ warning',
    finding.rule,
    code(`${sourcePath(file, paths)}:${line}:${column}`),
    escapeMarkdown(finding.message),
    escapeMarkdown(finding.help),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function* notesText({ file, notes }: JudgedReport, paths: PathBase): Generator<string> {
  for (const { message, location } of notes)
    yield `\nNote: ${escapeMarkdown(message)} (at ${code(`${sourcePath(file, paths)}:${location.line}:${location.column}`)})\n`;
}

function* details({ reports }: Outcome, quiet: boolean, paths: PathBase): Generator<string> {
  const reasons = quiet ? [] : reasonsNotEvaluated(reports);
  if (reasons.length === 0) return;
  yield '\n<details><summary>Rules that were not evaluated, or only in part, which is no pass</summary>\n\n';
  for (const { rules, reason, documents } of reasons) {
    yield `- ${rules}: ${escapeMarkdown(`${reason}${inDocuments(documents, reports, file => sourcePath(file, paths))}`)}\n`;
    for (const document of documents.slice(0, MAX_ROWS)) {
      const place = placeOfReference(document, reason);
      if (place !== undefined)
        yield `  - at ${code(`${sourcePath(document.file, paths)}:${place.line}:${place.column}`)}\n`;
    }
  }
  yield '\n</details>\n';
}

/** Text in which nothing is markup, a link or somebody's name, and no cell ends. */
export function escapeMarkdown(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_[\]|~#!]/g, char => `\\${char}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/@(?=\w)/g, '@\u200b')
    .replaceAll(/(?<=https?):(?=\/\/)/g, '&#58;');
}

/** A code span in a table, whatever its text has in it. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${longest > 0 ? ' ' : ''}${visible(text).replaceAll('|', '\\|')}${longest > 0 ? ' ' : ''}${fence}`;
}
