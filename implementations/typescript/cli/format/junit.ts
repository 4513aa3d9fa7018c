import type { Finding, RuleStatus } from '../../../../schemas/types.js';
import { type ExceededLimit, findingLevel, type JudgedReport, type Outcome } from '../judged.js';
import type { LocatedNote } from '../verify-report.js';
import type { FormatOptions } from './format.js';
import { placeOfReference } from './open-reference.js';
import { type PathBase, sourcePath } from './source-uri.js';
import { inOrderOfPlace, sentences } from './summary.js';

/**
 * Gives JUnit's XML: a suite for each document, in it a case for the form of the document and one for each rule.
 *
 * Errors are failures; warnings, and notes on what is likely to be a slip, are told in the output of the case; a rule that
 * was not evaluated is skipped, with the reason. A limit of the call that does not hold is a failure in a suite of its own.
 */
export function* junit(outcome: Outcome, options: FormatOptions): Generator<string> {
  const suites = outcome.reports.map(report => new Suite(report, options.paths));
  const sum = (of: (suite: Suite) => number): number => suites.reduce((total, suite) => total + of(suite), 0);
  const { problems, exceeded } = outcome;
  const tests = sum(suite => suite.cases.length) + problems.length + exceeded.length;
  const failures = sum(suite => suite.failures) + exceeded.length;
  const counts = `tests="${tests}" failures="${failures}" errors="${problems.length}"`;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="ars verify" ${counts}>\n`;
  if (problems.length > 0) yield unreadableSuite(problems);
  if (exceeded.length > 0) yield limitsSuite(exceeded);
  for (const suite of suites) yield* suite.xml();
  yield '</testsuites>\n';
}

function unreadableSuite(problems: readonly string[]): string {
  const { length } = problems;
  const cases = problems.map(
    (problem, index) =>
      `    <testcase name="argument ${index + 1}" classname="ars"><error message="${escapeXml(problem)}"/></testcase>\n`,
  );
  return `  <testsuite name="unreadable" tests="${length}" failures="0" errors="${length}" skipped="0">\n${cases.join('')}  </testsuite>\n`;
}

function limitsSuite(exceeded: readonly ExceededLimit[]): string {
  const { length } = exceeded;
  const cases = exceeded.map(
    ({ limit, message }) =>
      `    <testcase name="${limit}" classname="ars"><failure type="${limit}" message="${escapeXml(message)}"/></testcase>\n`,
  );
  return `  <testsuite name="limits" tests="${length}" failures="${length}" errors="0" skipped="0">\n${cases.join('')}  </testsuite>\n`;
}

/** One case of a suite: a rule, or the form of the document. */
interface RuleCase {
  readonly rule: string;
  readonly errors: readonly Finding[];
  /** What fails nothing, a line each. */
  readonly told: readonly string[];
  readonly skipped: string | undefined;
}

class Suite {
  readonly name: string;
  readonly cases: readonly RuleCase[];
  readonly failures: number;
  readonly skipped: number;
  readonly #file: string;

  constructor(report: JudgedReport, paths: PathBase) {
    this.#file = sourcePath(report.file, paths);
    this.name = report.document === 0 ? this.#file : `${this.#file} document ${report.document + 1}`;
    this.cases = casesOf(report, this.#file);
    this.failures = this.cases.filter(({ errors }) => errors.length > 0).length;
    this.skipped = this.cases.filter(({ skipped }) => skipped !== undefined).length;
  }

  *xml(): Generator<string> {
    const name = escapeXml(this.name);
    yield `  <testsuite name="${name}" tests="${this.cases.length}" failures="${this.failures}" errors="0" skipped="${this.skipped}">\n`;
    for (const { rule, errors, told, skipped } of this.cases) {
      yield `    <testcase name="${rule}" classname="${name}" file="${escapeXml(this.#file)}"`;
      if (errors.length + told.length === 0 && skipped === undefined) {
        yield '/>\n';
        continue;
      }
      yield '>\n';
      if (skipped !== undefined) yield `      <skipped message="${escapeXml(skipped)}"/>\n`;
      if (errors[0] !== undefined) {
        yield `      <failure type="${rule}" message="${escapeXml(messageOf(errors))}">`;
        for (const finding of errors) yield escapeXml(findingText(this.#file, finding));
        yield '</failure>\n';
      }
      if (told.length > 0) {
        yield '      <system-out>';
        for (const line of told) yield escapeXml(line);
        yield '</system-out>\n';
      }
      yield '    </testcase>\n';
    }
    yield '  </testsuite>\n';
  }
}

function findingText(file: string, { location, message, help }: Finding): string {
  return `${file}:${location?.line ?? 1}:${location?.column ?? 1} ${sentences(message, help)}\n`;
}

function noteText(file: string, { location: { line, column }, message }: LocatedNote): string {
  return `note: ${file}:${line}:${column} ${message}\n`;
}

/** Why a rule was skipped, and where, if that is for a reference of the document. */
function skippedText(report: JudgedReport, file: string, reason = 'no reason was given'): string {
  const place = placeOfReference(report, reason);
  return place === undefined ? reason : `${file}:${place.line}:${place.column} ${reason}`;
}

function casesOf(report: JudgedReport, file: string): RuleCase[] {
  const byRule = new Map<string, Finding[]>();
  for (const finding of inOrderOfPlace(report.report.findings)) {
    const known = byRule.get(finding.rule);
    if (known === undefined) byRule.set(finding.rule, [finding]);
    else known.push(finding);
  }
  const caseOf = (rule: string, status?: RuleStatus): RuleCase => {
    const findings = byRule.get(rule) ?? [];
    const warnings = findings.filter(finding => findingLevel(report, finding) === 'warning');
    const notes = rule === 'S8' ? report.notes : [];
    return {
      rule,
      errors: findings.filter(finding => findingLevel(report, finding) === 'error'),
      told: [
        ...warnings.map(finding => `warning: ${findingText(file, finding)}`),
        ...notes.map(note => noteText(file, note)),
      ],
      skipped: status?.status === 'not_evaluated' ? skippedText(report, file, status.reason) : undefined,
    };
  };
  return [caseOf('SCHEMA'), ...report.report.rules.map(status => caseOf(status.rule, status))];
}

function messageOf(errors: readonly Finding[]): string {
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  return `${errors[0]?.message}${more}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text for XML 1.0; what cannot stand in it at all is shown as an escape of JSON. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, char => ESCAPES[char] as string)
    .replaceAll(/[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu, char =>
      char === '\n' || char === '\t' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
