import type { Mutant } from '../../compliance/mutants/mutant.js';
import type { Property } from '../../compliance/runner/property.js';
import type { Requirement } from '../chapters.js';
import type { Chapter } from '../generate-requirements.js';

/** What a property says of itself. */
export type Judge = Pick<Property, 'id' | 'title' | 'requirements' | 'kind' | 'capabilities'>;

/** What a planted fault says of itself. */
export type Fault = Pick<Mutant, 'id' | 'requirement' | 'why'>;

/** Everything that the pages about requirements are made from. */
export interface ReferenceSources {
  readonly chapters: readonly Chapter[];
  readonly requirements: readonly Requirement[];
  readonly properties: readonly Judge[];
  readonly mutants: readonly Fault[];
}

/** What shows a requirement: the properties that judge it and the faults that break it. */
export interface Shown {
  readonly properties: readonly Judge[];
  readonly mutants: readonly Fault[];
}

/** Gives what shows each requirement, by its identifier. */
export function shownBy({ requirements, properties, mutants }: ReferenceSources): ReadonlyMap<string, Shown> {
  const shown = new Map(requirements.map(({ id }) => [id, { properties: [] as Judge[], mutants: [] as Fault[] }]));
  for (const property of properties) for (const id of property.requirements) shown.get(id)?.properties.push(property);
  for (const mutant of mutants) shown.get(mutant.requirement)?.mutants.push(mutant);
  return shown;
}

/** Gives what properties and faults name that no chapter states. */
export function strayNames({ requirements, properties, mutants }: ReferenceSources): string[] {
  const known = new Set(requirements.map(({ id }) => id));
  return [
    ...properties.flatMap(({ id, requirements: judged }) =>
      judged
        .filter(name => !known.has(name))
        .map(name => `the property ${id} judges "${name}", which no chapter states`),
    ),
    ...mutants
      .filter(({ requirement }) => !known.has(requirement))
      .map(({ id, requirement }) => `the mutant ${id} breaks "${requirement}", which no chapter states`),
  ];
}

/** Gives the title of a chapter, its first heading. */
export function titleOf({ path, text }: Chapter): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? path;
}
