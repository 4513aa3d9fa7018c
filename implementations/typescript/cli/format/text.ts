import type { Finding, Safety } from '../../../../schemas/types.js';
import type { SourceDocument } from '../../workspace/document.js';
import { type Colors, codeFrame, visible } from '../code-frame.js';
import { counted } from '../counted.js';
import { findingLevel, type JudgedReport, type Outcome } from '../judged.js';
import { isBlocking, type Level } from '../levels.js';
import type { FormatOptions } from './format.js';
import { placeOfReference } from './open-reference.js';
import {
  filesIn,
  inDocuments,
  inOrderOfPlace,
  reasonsNotEvaluated,
  ruleRanges,
  totals,
  unevaluatedText,
} from './summary.js';

/** How many findings of one file the text tells, and how many lines of other kinds. */
const MAX_FINDINGS = 50;
const MAX_LINES = 8;
const MAX_NAMES = 3;
/** With these words a reason why a rule was not evaluated is likely to be a slip of the pen. */
const MEANT = /did you mean/i;
/** With these a definition was not looked up. */
const NO_REGISTRY = 'no registry was given';

const SKILL_HELP =
  'Give the file of the skill too, as in ars verify workflow.yaml skill.yaml, or the registry with --registry FILE.';
const REGISTRY_HELP =
  'Name the registry with --registry FILE; "ars builtin" prints that of the actions that come with ars.';

/** Gives the findings as a person reads them at a terminal, and a summary. */
export function* text(outcome: Outcome, options: FormatOptions): Generator<string> {
  const { colors, all, quiet, columns } = options;
  let file: string | undefined;
  let told = 0;
  let left = 0;
  for (const report of outcome.reports) {
    if (report.file !== file) {
      if (left > 0) yield moreText(file, left, colors);
      file = report.file;
      told = 0;
      left = 0;
    }
    for (const finding of inOrderOfPlace(report.report.findings)) {
      const level = findingLevel(report, finding);
      if (quiet && level === 'warning') continue;
      if (!all && told >= MAX_FINDINGS) {
        left++;
        continue;
      }
      told++;
      yield `${findingText(report.source, finding, colors, level, columns)}\n\n`;
    }
  }
  if (left > 0) yield moreText(file, left, colors);
  const alone = outcome.reports.length === 1;
  if (!quiet) for (const report of outcome.reports) yield* safetyText(report, alone, options);
  yield* summaryText(outcome, options);
}

function moreText(file: string | undefined, left: number, colors: Colors): string {
  return colors.dim(`… and ${left.toLocaleString('en')} more in ${visible(file ?? '')}; --all shows them\n\n`);
}

/** Returns a finding for a reader: where, which rule, what, the source lines, related places, and what to do. */
export function findingText(
  document: SourceDocument,
  finding: Finding,
  colors: Colors,
  level: Level = finding.severity === 'blocking' ? 'error' : 'warning',
  columns?: number,
): string {
  const location = finding.location ?? { line: 1, column: 1 };
  const places = finding.related.flatMap(({ location: at, message }) =>
    at === undefined ? [] : [{ location: at, message }],
  );
  const lastLine = places.reduce((last, place) => Math.max(last, place.location.line), location.line);
  const gutter = Math.max(3, String(lastLine).length + 1);
  const severity = level === 'error' ? colors.red('error') : colors.yellow('warning');
  const head = `${colors.bold(`${visible(document.file)}:${location.line}:${location.column}`)} ${severity} ${colors.bold(finding.rule)} ${inOneLine(finding.message)}`;
  const lines = [head, ...codeFrame(document.source, { location }, gutter, '^', colors, columns)];
  for (const place of places)
    lines.push(
      ...codeFrame(document.source, { ...place, message: inOneLine(place.message) }, gutter, '-', colors, columns),
    );
  lines.push(`${' '.repeat(gutter)} ${colors.dim('=')} ${colors.cyan('help:')} ${inOneLine(finding.help)}`);
  return lines.join('\n');
}

/** What a message repeats of a text of several lines has them side by side. */
function inOneLine(message: string): string {
  return visible(message.replaceAll(/\r?\n\s*/g, ' '));
}

/** How risky a workflow is that is not SAFE, and what a failure in its middle leaves behind. */
function* safetyText(
  { report, file }: JudgedReport,
  alone: boolean,
  { colors, all }: FormatOptions,
): Generator<string> {
  const { safety } = report;
  if (safety === undefined || report.findings.some(({ rule }) => rule === 'SCHEMA')) return;
  const isKnown = safety.at_least !== 'SAFE' || safety.zones.length > 0;
  if (!isKnown && (safety.level === 'SAFE' || !alone)) return;
  const unknown = safety.level === 'UNKNOWN';
  const level = unknown ? `UNKNOWN, at least ${safety.at_least}` : safety.level;
  const why = safety.reason === undefined ? '' : colors.dim(`: ${visible(safety.reason)}`);
  yield `${colors.bold('safety')} ${visible(report.workflow_id ?? file)} is ${colors.bold(level)}${why}\n`;
  yield* shortened(safetyLines(safety), all, colors);
  yield '\n';
}

function safetyLines({ nodes, zones }: Safety): string[] {
  const known = nodes.filter(({ at_least }) => at_least !== 'SAFE');
  const levels = known.map(({ node_id, level, at_least, reasons }) => {
    const why = reasons.map(({ message, requirement }) => `${message} (${requirement})`).join(', ');
    return `"${node_id}" is ${level === 'UNKNOWN' ? `at least ${at_least}` : level}${why === '' ? '' : `: ${why}`}`;
  });
  return [...levels, ...zones.map(({ message }) => message)];
}

function* shortened(lines: readonly string[], all: boolean, colors: Colors): Generator<string> {
  const shown = all ? lines : lines.slice(0, MAX_LINES);
  for (const line of shown) yield colors.dim(`  ${visible(line)}\n`);
  if (shown.length < lines.length) yield colors.dim(`  and ${lines.length - shown.length} more; --all shows them\n`);
}

/** The end of the output: how many documents there were, what was found in them, and what was not evaluated. */
function* summaryText(outcome: Outcome, { colors, all, quiet }: FormatOptions): Generator<string> {
  const { reports, skipped, registries, problems, exceeded } = outcome;
  if (reports.length === 0 && skipped.length === 0) return;
  const { errors, warnings, ...unevaluated } = totals(reports);
  const mark =
    errors > 0 || problems.length > 0 || exceeded.length > 0
      ? colors.red('✖')
      : warnings > 0
        ? colors.yellow('⚠')
        : colors.green('✔');
  const found =
    errors + warnings === 0 ? 'no findings' : `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  const parts = [`${mark} ${counted(reports.length, 'document')}, ${found}`];
  if (errors === 0 && reports.length === 1 && reports[0]?.report.safety?.level === 'SAFE') parts.push('SAFE');
  if (registries > 0) parts.push(`${counted(registries, 'registry', 'registries')} used`);
  if (skipped.length > 0) parts.push(`${filesIn(skipped)} skipped`);
  if (problems.length > 0) parts.push(counted(problems.length, 'problem'));
  const open = reports.filter(report => unevaluatedText(totals([report])) !== '').length;
  const rules =
    open === 0 ? '' : `; ${unevaluatedText(unevaluated)}${reports.length === 1 ? '' : `, in ${open} of them`}`;
  const reasons = reasonsNotEvaluated(reports).map(({ rules, reason, documents }) => ({
    reason,
    documents,
    line: `${rules}: ${reason}${inDocuments(documents, reports)}`,
  }));
  const isNote = ({ reason }: { readonly reason: string }): boolean => MEANT.test(reason);
  const details = quiet ? [] : reasons.filter(each => !isNote(each)).map(({ line }) => line);
  for (const note of reasons.filter(isNote)) {
    yield `${colors.yellow('note')} ${visible(note.line)}\n`;
    for (const document of note.documents) {
      const place = placeOfReference(document, note.reason);
      if (place !== undefined)
        yield `  ${colors.dim('=')} at ${visible(document.file)}:${place.line}:${place.column}\n`;
    }
  }
  if (!quiet) for (const report of reports) yield* notesText(report, colors);
  for (const { message } of exceeded) yield `${colors.red('error')} ${message}\n`;
  yield `${parts.join(', ')}${colors.dim(`${rules}${rules !== '' && details.length > 0 ? ':' : ''}`)}\n`;
  yield* shortened(details, all, colors);
  if (quiet) return;
  for (const help of registryHelp(reports)) yield colors.dim(`  = help: ${help}\n`);
  yield* loweredText(reports, colors);
  yield* skippedText(outcome, all, colors);
}

/** What is no finding and yet likely to be a slip. */
function* notesText({ file, notes }: JudgedReport, colors: Colors): Generator<string> {
  for (const { message, location } of notes) {
    yield `${colors.yellow('note')} ${visible(message)}\n`;
    yield `  ${colors.dim('=')} at ${visible(file)}:${location.line}:${location.column}\n`;
  }
}

/** Where an action or a skill could come from that was not looked up. */
function registryHelp(reports: readonly JudgedReport[]): string[] {
  const rules = new Set<string>();
  for (const { report } of reports)
    for (const { rule, reason } of report.rules) if (reason?.includes(NO_REGISTRY) === true) rules.add(rule);
  if (rules.size === 0) return [];
  const help = rules.has('S12') ? [SKILL_HELP] : [];
  return rules.has('S7') || help.length === 0 ? [...help, REGISTRY_HELP] : help;
}

/** What counts less here than in the specification, where that could be misunderstood. */
function* loweredText(reports: readonly JudgedReport[], colors: Colors): Generator<string> {
  const lowered = new Set<string>();
  for (const report of reports)
    for (const finding of report.report.findings)
      if (isBlocking(finding.rule) && findingLevel(report, finding) === 'warning') lowered.add(finding.rule);
  if (lowered.size > 0)
    yield colors.yellow(
      `  ${ruleRanges([...lowered])} only ${lowered.size === 1 ? 'warns' : 'warn'} here; a workflow with such a finding still cannot start\n`,
    );
  const hidden = new Set(reports.flatMap(report => report.hidden));
  if (hidden.size > 0)
    yield colors.yellow(
      `  ${ruleRanges([...hidden])} ${hidden.size === 1 ? 'has findings and is' : 'have findings and are'} off here; a workflow with them still cannot start\n`,
    );
}

function* skippedText({ skipped }: Outcome, all: boolean, colors: Colors): Generator<string> {
  const byReason = new Map<string, string[]>();
  for (const { file, reason } of skipped) {
    const files = byReason.get(reason);
    if (files === undefined) byReason.set(reason, [file]);
    else files.push(file);
  }
  const lines = [...byReason].map(([reason, files]) => {
    const names = [...new Set(files)];
    const shown = all ? names : names.slice(0, MAX_NAMES);
    const rest = names.length - shown.length;
    return `skipped for ${reason}: ${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
  });
  yield* shortened(lines, all, colors);
}
