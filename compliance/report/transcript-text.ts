import { dump } from 'js-yaml';
import type { Counterexample } from '../runner/property.js';
import { isObservation, timeline } from './timeline.js';

/**
 * Gives what a failure says and, below it, what was seen of its case: of a program its line of time, of anything else all
 * of it, and where the case broke off before anything was seen, that.
 */
export function transcriptText(counterexample: Counterexample): string {
  const { requirement, property, role, failure, evidence } = counterexample;
  const lines = [`${requirement}  ${property} (${role}): ${failure.message}`];
  for (const key of ['expected', 'observed'] as const) {
    const value = failure[key];
    if (value !== undefined)
      lines.push(`${key.padEnd(9)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  return `${lines.join('\n')}\n\n${seenText(evidence)}\n`;
}

/** Gives what was seen of a case: of a program its line of time, of anything else all of it. */
export function seenText(evidence: unknown): string {
  if (evidence === undefined) return 'nothing was seen of the case: it broke off before it had ended';
  if (isObservation(evidence)) return timeline(evidence).join('\n');
  return dump(evidence, { noRefs: true, skipInvalid: true, lineWidth: -1 }).trimEnd();
}
