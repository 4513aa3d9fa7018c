import type { ComplianceReport, ComplianceVerdict } from '../../schemas/types.js';
import type { Standing } from './standing.js';

/** How many requirements have each verdict, in the order of {@link VERDICTS}; those without any are left out. */
export function verdictCounts(report: ComplianceReport): (readonly [ComplianceVerdict, number])[] {
  return VERDICTS.map(
    verdict => [verdict, report.requirements.filter(row => row.verdict === verdict).length] as const,
  ).filter(([, count]) => count > 0);
}

/** The verdicts, what calls for attention first. */
export const VERDICTS: readonly ComplianceVerdict[] = [
  'FAIL',
  'HARNESS_ERROR',
  'INCONCLUSIVE',
  'NOT_APPLICABLE',
  'PASS',
];

/** How a runtime stands by a profile, in words. */
export const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  conforms: 'conforms',
  conforms_with_gaps: 'conforms with gaps',
  does_not_conform: 'does not conform',
  not_claimed: 'not claimed',
  not_run: 'not fully run',
};

/** The chapters by number. */
export const CHAPTER_TITLES: Readonly<Record<number, string>> = {
  1: 'Principles',
  2: 'Components',
  3: 'Workspace',
  4: 'State',
  5: 'Execution',
  6: 'Audit',
  7: 'Workflow',
  8: 'Verification',
  9: 'Governance',
};

/** Gives the command that repeats the run of a report. */
export function reproduceCommand({ profile, asked, scale, seed, runs, command }: ComplianceReport): string {
  const options = [
    ...(profile === undefined ? [] : [`--profile ${profile}`]),
    ...(asked === undefined ? [] : [`--req ${asked.map(quoted).join(',')}`]),
    `--seed ${seed}`,
    `--runs ${runs}`,
    ...(scale === undefined ? [] : [`--scale ${scale}`]),
  ];
  return `ars-compliance run ${options.join(' ')} -- ${command.map(quoted).join(' ')}`;
}

/** What properties found beside their verdicts, each with the name of its property. */
export function notesOf({ properties }: ComplianceReport): readonly string[] {
  return properties.flatMap(({ property, notes }) => notes.map(note => `${property}: ${note}`));
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A text or another value as one reads it. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
