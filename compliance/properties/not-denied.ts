import { refusalText } from '../model/refusal.js';
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
  const { error } = observation.start;
  if (error.kind === 'denied' && error.gate === gate) return undefined;
  const observed = error.gate === undefined ? `${refusalText(error)}, by no gate` : refusalText(error);
  return { message: `${what} was refused otherwise: ${observed}`, expected, observed };
}
