import type { Mutant } from '../mutants/mutant.js';
import { FAMILIES, type Property } from '../runner/property.js';
import type { Clause } from './clause.js';

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

/** Gives what a requirement says, which properties judge it and how, and which planted faults break it. */
export function explain(
  id: string,
  properties: readonly Property[],
  mutants: readonly Mutant[],
  clauses: ReadonlyMap<string, Clause>,
): string {
  const lines = [id, `  ${clauses.get(id)?.text ?? 'The text is in spec/v1.0, under this identifier.'}`];
  for (const property of properties.filter(({ requirements }) => requirements.includes(id))) {
    lines.push('', `${property.id} (${property.kind}): ${property.title}`);
    if (property.capabilities.length > 0) lines.push(`  needs    ${property.capabilities.join(' ')}`);
    if (property.points.length > 0) lines.push(`  stops at ${property.points.join(' ')}`);
    lines.push(`  control  ${property.control}`, `  twin     ${property.twin}`);
  }
  const faults = mutants.filter(({ requirement }) => requirement === id);
  if (faults.length > 0) lines.push('', ...faults.map(mutant => `broken by ${mutant.id}: ${mutant.why}`));
  return `${lines.join('\n')}\n`;
}
