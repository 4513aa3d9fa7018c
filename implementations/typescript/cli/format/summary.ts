import type { Finding, RuleStatus } from '../../../../schemas/types.js';
import type { SkippedFile } from '../collect.js';
import { counted } from '../counted.js';
import type { JudgedReport } from '../judged.js';

/** Returns the findings of a report in the order of their places. */
export function inOrderOfPlace(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    ({ location: a }, { location: b }) => (a?.line ?? 1) - (b?.line ?? 1) || (a?.column ?? 1) - (b?.column ?? 1),
  );
}

/** Returns how much there is in all reports together; rules that were evaluated in part have findings of that part. */
export function totals(reports: readonly JudgedReport[]): {
  errors: number;
  warnings: number;
  rulesNotEvaluated: number;
  rulesInPart: number;
} {
  let [errors, warnings, rulesNotEvaluated, rulesInPart] = [0, 0, 0, 0];
  for (const report of reports) {
    errors += report.errors;
    warnings += report.warnings;
    for (const status of report.report.rules) {
      if (status.status === 'not_evaluated') rulesNotEvaluated++;
      else if (isInPart(status)) rulesInPart++;
    }
  }
  return { errors, warnings, rulesNotEvaluated, rulesInPart };
}

/** Returns how many rules were not evaluated and how many only in part, as in `5 rules not evaluated, 1 in part`; nothing where all were. */
export function unevaluatedText({
  rulesNotEvaluated,
  rulesInPart,
}: Pick<ReturnType<typeof totals>, 'rulesNotEvaluated' | 'rulesInPart'>): string {
  if (rulesNotEvaluated === 0) return rulesInPart === 0 ? '' : `${counted(rulesInPart, 'rule')} evaluated in part`;
  return `${counted(rulesNotEvaluated, 'rule')} not evaluated${rulesInPart === 0 ? '' : `, ${rulesInPart} in part`}`;
}

/** Why rules of a document, or of several, were not evaluated, or only in part. */
export interface Unevaluated {
  /** The rules, as in S9–S11, S14; those with findings of the part that was evaluated after them, as in S5 (in part). */
  readonly rules: string;
  readonly reason: string;
  readonly documents: readonly JudgedReport[];
}

/**
 * Returns the reasons why rules were not evaluated, or only in part; documents in which the same rules have one reason are
 * together.
 */
export function reasonsNotEvaluated(reports: readonly JudgedReport[]): Unevaluated[] {
  const told = new Map<string, { rules: string; reason: string; documents: JudgedReport[] }>();
  for (const report of reports) {
    const byReason = new Map<string, { whole: string[]; inPart: string[] }>();
    for (const status of report.report.rules) {
      if (status.status !== 'not_evaluated' && !isInPart(status)) continue;
      const { rule, reason = 'no reason was given' } = status;
      const ids = byReason.get(reason) ?? { whole: [], inPart: [] };
      byReason.set(reason, ids);
      ids[isInPart(status) ? 'inPart' : 'whole'].push(rule);
    }
    for (const [reason, { whole, inPart }] of byReason) {
      const rules = [ruleRanges(whole), ...(inPart.length === 0 ? [] : [`${ruleRanges(inPart)} (in part)`])]
        .filter(text => text !== '')
        .join(', ');
      const known = told.get(`${rules} ${reason}`);
      if (known === undefined) told.set(`${rules} ${reason}`, { rules, reason, documents: [report] });
      else known.documents.push(report);
    }
  }
  return [...told.values()];
}

/** How many documents a line names. */
const MAX_DOCUMENTS = 3;

/** Returns in which documents something holds, as in ` (in a.yaml, b.yaml and 2 more)`; nothing where there is one alone. */
export function inDocuments(
  documents: readonly JudgedReport[],
  reports: readonly JudgedReport[],
  nameOf: (file: string) => string = file => file,
): string {
  if (reports.length === 1) return '';
  if (documents.length === reports.length && documents.length > MAX_DOCUMENTS) return ` (in all ${reports.length})`;
  const names = documents.slice(0, MAX_DOCUMENTS).map(({ file, document }) => {
    const isLater = document > 0 ? ` document ${document + 1}` : '';
    return `${nameOf(file)}${isLater}`;
  });
  const rest = documents.length - names.length;
  return ` (in ${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`})`;
}

/** Whether a rule has findings, and there is something that it could not judge. */
function isInPart({ status, reason }: RuleStatus): boolean {
  return (status === 'fail' || status === 'warn') && reason !== undefined;
}

/** Returns the ids of rules in their order, with runs of neighbours drawn together, as in S1, S9–S11. */
export function ruleRanges(ids: readonly string[]): string {
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

/** Returns what is wrong and what to do as sentences, one behind the other. */
export function sentences(message: string, help: string): string {
  return `${message}${message.endsWith('?') ? '' : '.'} ${help}`;
}

/** Returns how many files were skipped, each counted once however many documents it has. */
export function filesIn(skipped: readonly SkippedFile[]): number {
  return new Set(skipped.map(({ file }) => file)).size;
}
