import { nearest } from '../../schemas/index.js';
import { SuiteError } from '../error.js';
import { isOf, type Profile } from './profile.js';
import type { Property } from './property.js';

/** Gives the properties of a profile that judge one of the requirements; throws `usage` for an unknown requirement. */
export function select(
  properties: readonly Property[],
  profile: Profile,
  requirements: readonly string[] | undefined,
): readonly Property[] {
  const known = new Set(properties.flatMap(property => property.requirements));
  for (const requirement of requirements ?? []) {
    if (known.has(requirement)) continue;
    const near = nearest(requirement, [...known]);
    const hint = near === undefined ? 'see ars-compliance list' : `did you mean '${near}'?`;
    throw new SuiteError('usage', `no property judges '${requirement}'; ${hint}`, { details: { requirement } });
  }
  return properties.filter(
    property =>
      isOf(property, profile) &&
      (requirements === undefined || property.requirements.some(id => requirements.includes(id))),
  );
}
