import type { Observation } from '../program.js';
import type { Failure } from '../runner/verdict.js';
import { invoked } from './seen.js';

/** Gives what is wrong unless a start that a gate has to deny was denied by it, and nothing was invoked; `what` names the start. */
export function notDenied(
  observation: Observation,
  gate: 'governance' | 'verification',
  what: string,
): Failure | undefined {
  const expected = `denied by the ${gate} gate, nothing invoked`;
  if (invoked(observation)) return { message: `${what} was executed`, expected, observed: 'invoked' };
  if ('execution_id' in observation.start) return { message: `${what} was started`, expected, observed: 'started' };
  const { kind, gate: by } = observation.start.error;
  if (kind === 'denied' && by === gate) return undefined;
  return { message: `${what} was refused otherwise`, expected, observed: `${kind} by ${by ?? 'no gate'}` };
}
