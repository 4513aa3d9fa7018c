import type { Observation } from '../../program.js';
import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** State is what the log says, no more and no less. */
export const fold = programProperty({
  id: 'state/fold',
  title: 'State equals the fold of the committed state changes, each applied once',
  requirements: ['AII4', 'CI2'],
  capabilities: ['audit', 'state'],
  cases: anyProgram,
  control: { title: 'a chain of three writes three keys', case: chain(3) },
  twins: [
    {
      requirement: 'AII4',
      title: 'State without one of the keys',
      tamper: withoutKey,
    },
    { requirement: 'CI2', title: 'State with one more write to one of the keys', tamper: writtenAgain },
  ],
});

/** Gives the observation with one key of State gone. */
export function withoutKey(observation: Observation): Observation {
  const [, ...others] = Object.entries(observation.state ?? {});
  return { ...observation, state: Object.fromEntries(others) };
}

function writtenAgain(observation: Observation): Observation {
  const [first, ...others] = Object.entries(observation.state ?? {});
  if (first === undefined) return observation;
  const [key, entry] = first;
  return { ...observation, state: Object.fromEntries([[key, { ...entry, version: entry.version + 1 }], ...others]) };
}
