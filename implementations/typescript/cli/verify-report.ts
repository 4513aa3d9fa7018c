import { validate } from '../../../schemas/index.js';
import type { Finding, Registry, VerificationReport } from '../../../schemas/types.js';
import { verify, verifyTogether } from '../verification/index.js';
import type { SourceDocument } from '../workspace/document.js';
import { type Colors, codeFrame, visible } from './code-frame.js';

/** The report of one document of a file, with the place of every finding. */
export interface DocumentReport {
  readonly file: string;
  /** Which document of the file it is, from 0. */
  readonly document: number;
  readonly report: VerificationReport;
}

/**
 * Returns the reports of documents that are verified together; where the text of one is not readable, a report of that,
 * under the id SCHEMA.
 */
export function reportOnAll(documents: readonly SourceDocument[], registry?: Registry): DocumentReport[] {
  const readable = documents.filter(document => document.defects.length === 0);
  const verified = verifyTogether(
    readable.map(document => document.value),
    registry,
  );
  const reports = new Map(readable.map((document, at) => [document, verified[at]]));
  return documents.map(document => {
    const report = reports.get(document);
    return {
      file: document.file,
      document: document.index,
      report: report === undefined ? unreadable(document) : located(document, report),
    };
  });
}

/** Returns the report of a document that is verified alone. */
export function reportOn(document: SourceDocument): DocumentReport {
  return reportOnAll([document])[0] as DocumentReport;
}

function unreadable(document: SourceDocument): VerificationReport {
  const template = verify(undefined);
  const findings = document.defects.map(
    ({ message, help, location }): Finding => ({
      rule: 'SCHEMA',
      severity: 'blocking',
      pointer: '',
      message,
      related: [],
      help,
      location,
    }),
  );
  return { ...template, findings, counts: { blocking: findings.length, warning: 0 } };
}

function located(document: SourceDocument, report: VerificationReport): VerificationReport {
  const place = (pointer: string): Finding['location'] => document.locate(refine(document, pointer));
  const unknown = unknownProperties(document, report);
  const findings = report.findings.map(finding => ({
    ...finding,
    location: unknown.has(finding.pointer) ? document.locate(finding.pointer, 'key') : place(finding.pointer),
    related: finding.related.map(related => ({
      ...related,
      location: place(related.pointer) as NonNullable<Finding['location']>,
    })),
  }));
  return { ...report, findings: findings as Finding[] };
}

/** Pointers of the properties that no schema knows: of these the key is shown, and not the value. */
function unknownProperties(document: SourceDocument, report: VerificationReport): Set<string> {
  if (!report.findings.some(finding => finding.rule === 'SCHEMA')) return new Set();
  const defects = validate('workflow', document.value).filter(defect => defect.keyword === 'additionalProperties');
  return new Set(defects.map(defect => defect.pointer));
}

/** A node is shown by its node_id; everything else where it is. */
function refine(document: SourceDocument, pointer: string): string {
  if (!/^\/nodes\/[0-9]+$/.test(pointer)) return pointer;
  const nodes = (document.value as { nodes?: readonly unknown[] }).nodes;
  const node = nodes?.[Number(pointer.slice('/nodes/'.length))];
  return typeof node === 'object' && node !== null && 'node_id' in node ? `${pointer}/node_id` : pointer;
}

/** Returns a finding for a reader: where, which rule, what, the source lines, related places, and what to do. */
export function findingText(document: SourceDocument, finding: Finding, colors: Colors): string {
  const location = finding.location ?? { line: 1, column: 1 };
  const places = finding.related.flatMap(({ location: at, message }) =>
    at === undefined ? [] : [{ location: at, message }],
  );
  const lastLine = places.reduce((last, place) => Math.max(last, place.location.line), location.line);
  const gutter = Math.max(3, String(lastLine).length + 1);
  const severity = finding.severity === 'blocking' ? colors.red('error') : colors.yellow('warning');
  const head = `${colors.bold(`${visible(document.file)}:${location.line}:${location.column}`)} ${severity} ${colors.bold(finding.rule)} ${visible(finding.message)}`;
  const lines = [head, ...codeFrame(document.source, { location }, gutter, '^', colors)];
  for (const place of places)
    lines.push(...codeFrame(document.source, { ...place, message: visible(place.message) }, gutter, '-', colors));
  lines.push(`${' '.repeat(gutter)} ${colors.dim('=')} ${colors.cyan('help:')} ${visible(finding.help)}`);
  return lines.join('\n');
}

/** Returns the findings of a report in the order of their places. */
export function inOrderOfPlace(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    ({ location: a }, { location: b }) => (a?.line ?? 1) - (b?.line ?? 1) || (a?.column ?? 1) - (b?.column ?? 1),
  );
}

/** Returns the end of the output: how many documents there were, what was found in them, and what was not evaluated. */
export function summaryText(reports: readonly DocumentReport[], colors: Colors): string {
  const sum = (of: (report: VerificationReport) => number): number =>
    reports.reduce((total, { report }) => total + of(report), 0);
  const errors = sum(report => report.counts.blocking);
  const warnings = sum(report => report.counts.warning);
  const skipped = reports.reduce((most, { report }) => Math.max(most, skippedRules(report).length), 0);
  const documents = counted(reports.length, 'document');
  const rules = skipped === 0 ? '' : colors.dim(`; ${counted(skipped, 'rule')} not evaluated:`);
  const mark = errors > 0 ? colors.red('✖') : warnings > 0 ? colors.yellow('⚠') : colors.green('✔');
  const found =
    errors + warnings === 0 ? 'no findings' : `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  return [`${mark} ${documents}, ${found}${rules}`, ...reasonLines(reports).map(line => colors.dim(line))].join('\n');
}

/** How many reasons the text tells; JSON tells all. */
const MAX_REASONS = 8;

function reasonLines(reports: readonly DocumentReport[]): string[] {
  const rules = new Map<string, Set<string>>();
  for (const { report } of reports) {
    for (const { rule, reason = 'no reason was given' } of skippedRules(report)) {
      const told = rules.get(reason) ?? new Set();
      rules.set(reason, told.add(rule));
    }
  }
  const lines = [...rules].map(([reason, ids]) => `  ${ranges([...ids])}: ${visible(reason)}`);
  const rest = lines.length - MAX_REASONS;
  return rest <= 0 ? lines : [...lines.slice(0, MAX_REASONS), `  and ${rest} more; --format json tells all`];
}

function skippedRules(report: VerificationReport): VerificationReport['rules'] {
  return report.rules.filter(rule => rule.status === 'not_evaluated');
}

/** Rule ids with runs of neighbours drawn together, as in S9–S11, S14. */
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

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
