import type { Capability } from '../../schemas/types.js';
import type { Property } from './property.js';

/** The profiles of the specification, each containing the one before it. */
export const PROFILES = ['core', 'verified', 'governed', 'full'] as const;

/** One of {@link PROFILES}. */
export type Profile = (typeof PROFILES)[number];

const ADDED: Readonly<Record<Profile, readonly Capability[]>> = {
  core: ['core'],
  verified: ['verification'],
  governed: ['audit', 'state', 'recovery', 'governance'],
  full: ['components', 'clock', 'faults'],
};

/** Gives the capabilities that a runtime of a profile serves. */
export function capabilitiesOf(profile: Profile): readonly Capability[] {
  return PROFILES.slice(0, PROFILES.indexOf(profile) + 1).flatMap(name => ADDED[name]);
}

/** Tells whether a property needs no more than a profile has; what no profile has is judged in full only. */
export function isOf(property: Pick<Property, 'capabilities' | 'points'>, profile: Profile): boolean {
  if (profile === 'full') return true;
  const served = capabilitiesOf(profile);
  return property.points.length === 0 && property.capabilities.every(wanted => served.includes(wanted));
}
