import { nearest } from '../../schemas/index.js';
import { SuiteError } from '../error.js';
import { isOf, PROFILES } from '../runner/profile.js';
import { FAMILIES, type Property } from '../runner/property.js';
import type { Background } from './standing.js';

/** Gives the properties by family, one a line, with the requirements that each judges. */
export function listing(properties: readonly Property[]): string {
  const width = Math.max(...properties.map(({ id }) => id.length)) + 2;
  const lines = FAMILIES.flatMap(family =>
    properties
      .filter(property => property.family === family)
      .map(({ id, kind, requirements }) => `${id.padEnd(width)}${kind.padEnd(9)}${requirements.join(' ')}`),
  );
  const judged = new Set(properties.flatMap(({ requirements }) => requirements));
  return `${lines.join('\n')}\n\n${properties.length} properties judge ${judged.size} requirements.\n`;
}

/**
 * Gives what a requirement says, which properties judge it and how, and which planted faults break it; where none judges it,
 * why. Throws `usage` for what is no requirement.
 */
export function explain(id: string, { clauses, properties, mutants }: Background): string {
  const judges = properties.filter(({ requirements }) => requirements.includes(id));
  const clause = clauses.get(id);
  if (clause === undefined && judges.length === 0) throw unknownRequirement(id, [...clauses.keys()]);
  const lines = [id, `  ${clause?.text ?? 'The text is in spec/v1.0, under this identifier.'}`];
  if (clause?.link !== undefined) lines.push(`  ${clause.link}`);
  for (const property of judges) {
    const profile = PROFILES.find(name => isOf(property, name));
    lines.push('', `${property.id} (${property.kind}, from profile ${profile} on): ${property.title}`);
    if (property.capabilities.length > 0) lines.push(`  needs    ${property.capabilities.join(' ')}`);
    if (property.points.length > 0) lines.push(`  stops at ${property.points.join(' ')}`);
    lines.push(`  control  ${property.control}`, `  twin     ${property.twin}`);
  }
  if (judges.length > 0) lines.push('', ROLES);
  if (judges.length === 0) lines.push('', whyNot(clause?.untestable));
  const faults = mutants.filter(({ requirement }) => requirement === id);
  if (faults.length > 0) lines.push('', ...faults.map(mutant => `broken by ${mutant.id}: ${mutant.why}`));
  return `${lines.join('\n')}\n`;
}

const ROLES =
  'The control is the fixed case with which a property begins; a twin differs from it in one thing and must come out the ' +
  'other way, or is what was seen with one thing changed, which the suite itself must notice.';

function whyNot(untestable: string | undefined): string {
  if (untestable === undefined)
    return 'No property of this suite judges it yet: a report says nothing about it, and it counts as passed nowhere.';
  return `No test from outside can show it: ${untestable}. A report says nothing about it.`;
}

/** Gives the error that says that there is no such requirement, and which is meant by a near name. */
export function unknownRequirement(id: string, known: readonly string[]): SuiteError {
  const near = nearest(id, known);
  const hint = near === undefined ? 'reference/requirements.md lists them' : `did you mean '${near}'?`;
  return new SuiteError('usage', `there is no requirement '${id}'; ${hint}`, { details: { requirement: id } });
}
