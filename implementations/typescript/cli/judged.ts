import type { Finding } from '../../../schemas/types.js';
import type { SourceDocument } from '../workspace/document.js';
import type { SkippedFile } from './collect.js';
import { isBlocking, type Level, type Levels, levelOf, withoutRulesThatAreOff } from './levels.js';
import type { DocumentReport } from './verify-report.js';

/** The report of a document, and how much its findings count. */
export interface JudgedReport extends DocumentReport {
  readonly source: SourceDocument;
  readonly levels: Levels;
  readonly errors: number;
  /** Rules that are off here although the document has a finding of them that keeps it from starting. */
  readonly hidden: readonly string[];
  readonly warnings: number;
}

/** What a call of `ars verify` has found out: all that a format prints. */
export interface Outcome {
  readonly reports: readonly JudgedReport[];
  readonly skipped: readonly SkippedFile[];
  /** Registries among the files. */
  readonly registries: number;
  /** What could not be read, a sentence each. */
  readonly problems: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

/** Returns a report as the levels of its rules make it. */
export function judge(
  source: SourceDocument,
  { file, document, report }: DocumentReport,
  levels: Levels,
): JudgedReport {
  const kept = withoutRulesThatAreOff(report, levels);
  const errors = kept.findings.filter(finding => levelOf(levels, finding) === 'error').length;
  const isHidden = (finding: Finding): boolean => levelOf(levels, finding) === 'off' && isBlocking(finding.rule);
  const hidden = [...new Set(report.findings.filter(isHidden).map(({ rule }) => rule))];
  return { file, document, report: kept, source, levels, errors, hidden, warnings: kept.findings.length - errors };
}

/** Returns the level of a finding of a report; never off. */
export function findingLevel({ levels }: JudgedReport, finding: Finding): Exclude<Level, 'off'> {
  return levelOf(levels, finding) === 'error' ? 'error' : 'warning';
}

/** Returns the exit code: 2 where something could not be read, 1 with errors or too many warnings, else 0. */
export function exitCodeOf(
  { reports, problems }: Pick<Outcome, 'reports' | 'problems'>,
  maxWarnings = Number.POSITIVE_INFINITY,
): 0 | 1 | 2 {
  if (problems.length > 0) return 2;
  const warnings = reports.reduce((sum, report) => sum + report.warnings, 0);
  return reports.some(report => report.errors > 0) || warnings > maxWarnings ? 1 : 0;
}
