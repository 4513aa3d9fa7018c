import { readFileSync } from 'node:fs';
import type { ComplianceReport } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { systemReason } from '../system-reason.js';

/** One deviation that is known, and until when it is put up with. */
export interface Expected {
  readonly id: string;
  readonly kind: 'FAIL' | 'INCONCLUSIVE';
  /** For INCONCLUSIVE the word of the report; for FAIL whatever explains it. */
  readonly reason: string;
  /** Where it is being worked on. */
  readonly issue: string;
  /** The last day, as in 2027-01-31. */
  readonly expires: string;
}

/** What is not as the baseline says. */
export interface Surprise {
  readonly id: string;
  readonly what: 'not_expected' | 'passes' | 'unknown_id' | 'other_kind' | 'expired';
  readonly text: string;
}

/** Gives the entries of a baseline file; throws `usage` where it cannot be read or says something else. */
export function readBaseline(path: string): readonly Expected[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SuiteError('usage', `cannot read the baseline '${path}': ${systemReason(cause)}`, { cause });
  }
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = entries.findIndex(entry => misfit(entry) !== undefined);
  if (!Array.isArray(value) || wrong >= 0) {
    const where = Array.isArray(value) ? `entry ${wrong + 1}: ${misfit(entries[wrong])}` : 'the whole is no list';
    const form = 'a list of {id, kind: FAIL or INCONCLUSIVE, reason, issue, expires: YYYY-MM-DD}, and nothing else';
    throw new SuiteError('usage', `'${path}' is no baseline: ${where}; it is ${form}`);
  }
  const ids = (value as readonly Expected[]).map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new SuiteError('usage', `'${path}' has two entries for ${twice}`);
  return value as readonly Expected[];
}

const FIELDS = ['id', 'kind', 'reason', 'issue', 'expires'] as const;

/** What keeps a value from being an entry, in words; undefined where it is one. */
function misfit(entry: unknown): string | undefined {
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return 'it is no object';
  const fields = entry as Readonly<Record<string, unknown>>;
  for (const field of FIELDS) {
    if (!Object.hasOwn(fields, field)) return `'${field}' is missing`;
    if (typeof fields[field] !== 'string') return `'${field}' is no text`;
  }
  const other = Object.keys(fields).find(key => !FIELDS.some(field => field === key));
  if (other !== undefined) return `'${other}' is no field of an entry`;
  if (fields.kind !== 'FAIL' && fields.kind !== 'INCONCLUSIVE') return "'kind' is neither FAIL nor INCONCLUSIVE";
  return isDay(String(fields.expires)) ? undefined : "'expires' is no day such as 2027-01-31";
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
}

/**
 * Gives everything in which a run differs from its baseline, in both directions; nothing means as expected. An entry for a
 * requirement that the run left out says nothing; `known` are all identifiers of the specification.
 */
export function surprises(
  report: ComplianceReport,
  baseline: readonly Expected[],
  known: ReadonlySet<string>,
): readonly Surprise[] {
  const expected = new Map(baseline.map(entry => [entry.id, entry]));
  const today = report.started_at.slice(0, 10);
  const found: Surprise[] = [];
  const add = (id: string, what: Surprise['what'], text: string) => found.push({ id, what, text });
  for (const { id, expires } of baseline) {
    if (!known.has(id)) add(id, 'unknown_id', 'is no requirement of the specification');
    else if (expires < today) add(id, 'expired', `was expected until ${expires}`);
  }
  for (const { requirement, verdict, reason } of report.requirements) {
    const entry = expected.get(requirement);
    const fine = verdict === 'PASS' || verdict === 'NOT_APPLICABLE';
    const seen = reason === undefined ? verdict : `${verdict} (${reason})`;
    if (entry === undefined) {
      if (!fine) add(requirement, 'not_expected', `is ${seen} and not in the baseline`);
    } else if (fine) add(requirement, 'passes', `is ${seen}: take its entry out of the baseline`);
    else if (entry.kind !== verdict || (verdict === 'INCONCLUSIVE' && entry.reason !== reason))
      add(
        requirement,
        'other_kind',
        `is ${seen}, and expected as ${entry.kind}${entry.kind === 'INCONCLUSIVE' ? ` (${entry.reason})` : ''}`,
      );
  }
  return found;
}
