import type { Finding } from '../../../../schemas/types.js';
import { counted } from '../counted.js';
import { findingLevel, type JudgedReport, type Outcome } from '../judged.js';
import { visibleLines } from '../output.js';
import type { FormatOptions } from './format.js';
import { placeOfReference } from './open-reference.js';
import { type PathBase, sourcePath } from './source-uri.js';
import { filesIn, reasonsNotEvaluated, totals, unevaluatedText } from './summary.js';

/** Gives workflow commands of GitHub Actions, which become annotations of the lines, and a summary for the log. */
export function* github(outcome: Outcome, { paths, quiet }: FormatOptions): Generator<string> {
  const { reports, problems, skipped, exceeded } = outcome;
  for (const problem of problems) yield `::error title=ars verify::${messageData(problem)}\n`;
  for (const report of reports) {
    for (const finding of report.report.findings) {
      const level = findingLevel(report, finding);
      if (!quiet || level === 'error') yield annotation(report, finding, level, paths);
    }
  }
  for (const { rules, reason, documents } of quiet ? [] : reasonsNotEvaluated(reports)) {
    for (const document of documents) {
      if (isNoWorkflow(document)) continue;
      const place = placeOfReference(document, reason);
      const at = place === undefined ? '' : `,line=${place.line},col=${place.column}`;
      yield `::notice file=${escapeProperty(sourcePath(document.file, paths))}${at},title=ars verify::${messageData(`${rules} not evaluated: ${reason}`)}\n`;
    }
  }
  for (const { file, notes } of quiet ? [] : reports)
    for (const { message, location } of notes)
      yield `::notice file=${escapeProperty(sourcePath(file, paths))},line=${location.line},col=${location.column},title=ars verify::${messageData(message)}\n`;
  for (const { message } of exceeded) yield `::error title=ars verify::${messageData(message)}\n`;
  const { errors, warnings, ...unevaluated } = totals(reports);
  const rest = unevaluatedText(unevaluated);
  const open = rest === '' ? '' : `, ${rest}`;
  const ignored = skipped.length === 0 ? '' : `, ${counted(filesIn(skipped), 'file')} skipped`;
  yield `ars verify: ${counted(reports.length, 'document')}, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}${open}${ignored}\n`;
}

const NOTHING_TO_JUDGE = /^the document (?:is no ARS workflow|cannot be read) /;

/** Whether there is nothing of a document that a rule could judge, which its one error says. */
function isNoWorkflow({ report: { rules } }: JudgedReport): boolean {
  return rules.some(({ reason = '' }) => NOTHING_TO_JUDGE.test(reason));
}

function annotation({ file }: JudgedReport, finding: Finding, level: 'error' | 'warning', paths: PathBase): string {
  const { line, column, end_line = line, end_column = column } = finding.location ?? { line: 1, column: 1 };
  const properties: [string, string | number][] = [
    ['file', sourcePath(file, paths)],
    ['line', line],
    ['endLine', end_line],
  ];
  // Columns are only understood within one line, the end included.
  if (end_line === line) properties.push(['col', column], ['endColumn', Math.max(column, end_column - 1)]);
  properties.push(['title', `ars ${finding.rule}`]);
  const told = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(',');
  const places = finding.related.map(
    ({ message, location }) => `${location === undefined ? '' : `line ${location.line}: `}${message}`,
  );
  return `::${level} ${told}::${messageData([finding.message, ...places, `help: ${finding.help}`].join('\n'))}\n`;
}

/** What a command says, line by line as a terminal shows it: the log prints it, and control characters would steer it. */
function messageData(text: string): string {
  return escapeData(visibleLines(text));
}

/** The text of a command, so that nothing in it is taken for the end of the line. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** A property of a command, so that nothing in it is taken for the next property or the text. */
export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
