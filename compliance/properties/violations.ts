import { checkLog } from '../history/check-log.js';
import type { Violation } from '../history/violation.js';
import type { Observation, Program } from '../program.js';
import { crashViolations } from './crash.js';

/** Everything that a run breaks: by its log against the suite's ledger, after its crashes, and by the model. */
export function violationsOf(program: Program, observation: Observation): readonly Violation[] {
  return [...logViolations(observation), ...crashViolations(program, observation)];
}

function logViolations(observation: Observation): Violation[] {
  const exports = observation.exports ?? [];
  const text = exports.at(-1);
  if (text === undefined) return [];
  const { ledger, state } = observation;
  const violations = checkLog(text, {
    ledger,
    exports: exports.slice(0, -1),
    ...(state === undefined ? {} : { state }),
  });
  // After a crash a State that is not what the log says shows a commit of which only one half is there.
  const torn = observation.kills > 0 ? violations.filter(({ requirement }) => requirement === 'AII4') : [];
  return [...violations, ...torn.map(violation => ({ ...violation, requirement: 'CC2' }))];
}
