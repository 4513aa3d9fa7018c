import type { Finding, RuleStatus } from '../../../schemas/types.js';
import type { SourceDocument } from '../workspace/document.js';
import type { SkippedFile } from './collect.js';
import { counted } from './counted.js';
import { isBlocking, type Level, type Levels, levelOf, type Preset, withoutRulesThatAreOff } from './levels.js';
import type { DocumentReport } from './verify-report.js';

/** The report of a document, and how much its findings count. */
export interface JudgedReport extends DocumentReport {
  readonly source: SourceDocument;
  readonly levels: Levels;
  readonly errors: number;
  /** Rules that are off here although the document has a finding of them that keeps it from starting. */
  readonly hidden: readonly string[];
  readonly warnings: number;
  /** How many rules were not evaluated, those that are off here aside. */
  readonly unevaluated: number;
  /** With more rules not evaluated than this the call fails; absent where any number will do. */
  readonly mostUnevaluated?: number;
}

/** What a call of `ars verify` has found out: all that a format prints. */
export interface Outcome {
  readonly reports: readonly JudgedReport[];
  readonly skipped: readonly SkippedFile[];
  /** Registries among the files. */
  readonly registries: number;
  /** The limits of the call that do not hold. */
  readonly exceeded: readonly ExceededLimit[];
  /** What could not be read, a sentence each. */
  readonly problems: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

/** Returns a report as the levels of its rules make it. */
export function judge(
  source: SourceDocument,
  { file, document, report, notes }: DocumentReport,
  levels: Levels,
  preset?: Preset,
): JudgedReport {
  const kept = withoutRulesThatAreOff(report, levels);
  const errors = kept.findings.filter(finding => levelOf(levels, finding) === 'error').length;
  const isHidden = (finding: Finding): boolean => levelOf(levels, finding) === 'off' && isBlocking(finding.rule);
  const hidden = [...new Set(report.findings.filter(isHidden).map(({ rule }) => rule))];
  const isOpen = ({ rule, status }: RuleStatus): boolean =>
    status === 'not_evaluated' && levels.get(rule)?.level !== 'off';
  return {
    file,
    document,
    report: kept,
    notes: levels.get('S8')?.level === 'off' ? [] : notes,
    source,
    levels,
    errors,
    hidden,
    warnings: kept.findings.length - errors,
    unevaluated: kept.rules.filter(isOpen).length,
    ...(preset === 'strict' ? { mostUnevaluated: 0 } : {}),
  };
}

/** Returns the level of a finding of a report; never off. */
export function findingLevel({ levels }: JudgedReport, finding: Finding): Exclude<Level, 'off'> {
  return levelOf(levels, finding) === 'error' ? 'error' : 'warning';
}

/** How much there may be of what is no error; absent where any number will do. */
export interface Limits {
  readonly maxWarnings?: number;
  /** Of all reports together; it takes the place of what their presets say. */
  readonly maxUnevaluated?: number;
}

/** A limit of the call, or of a preset, of which there is more. */
export interface ExceededLimit {
  readonly limit: 'max-warnings' | 'max-unevaluated';
  readonly count: number;
  /** What was counted, what is allowed, and what to do. */
  readonly message: string;
}

/** Returns the limits that do not hold. */
export function limitsExceeded(reports: readonly JudgedReport[], limits: Limits): ExceededLimit[] {
  const exceeded: ExceededLimit[] = [];
  const warnings = reports.reduce((sum, report) => sum + report.warnings, 0);
  const { maxWarnings = Number.POSITIVE_INFINITY } = limits;
  if (warnings > maxWarnings) {
    const message = `${counted(warnings, 'warning')}, more than --max-warnings ${maxWarnings} allows`;
    exceeded.push({ limit: 'max-warnings', count: warnings, message });
  }
  const unevaluated = tooManyUnevaluated(reports, limits);
  if (unevaluated > 0) {
    const were = unevaluated === 1 ? 'was' : 'were';
    const message = `${counted(unevaluated, 'rule')} ${were} not evaluated, more than is allowed here; give the registries that are missing, or allow it with --max-unevaluated ${unevaluated}`;
    exceeded.push({ limit: 'max-unevaluated', count: unevaluated, message });
  }
  return exceeded;
}

/** Returns the rules that were not evaluated although they had to be; 0 where their number is allowed. */
function tooManyUnevaluated(reports: readonly JudgedReport[], { maxUnevaluated }: Limits): number {
  const sum = (list: readonly JudgedReport[]): number =>
    list.reduce((total, { unevaluated }) => total + unevaluated, 0);
  if (maxUnevaluated !== undefined) return sum(reports) > maxUnevaluated ? sum(reports) : 0;
  return sum(reports.filter(({ unevaluated, mostUnevaluated = unevaluated }) => unevaluated > mostUnevaluated));
}

/**
 * Returns the exit code: 2 where something could not be read, 1 with errors, too many warnings or too many rules that
 * were not evaluated, else 0.
 */
export function exitCodeOf({
  reports,
  problems,
  exceeded,
}: Pick<Outcome, 'reports' | 'problems' | 'exceeded'>): 0 | 1 | 2 {
  if (problems.length > 0) return 2;
  return exceeded.length > 0 || reports.some(report => report.errors > 0) ? 1 : 0;
}
