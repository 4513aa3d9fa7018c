import { actionStatus } from './action-status.js';
import { chain } from './chain.js';
import type { Check, Witness } from './check.js';
import { form } from './form.js';
import { gates } from './gates.js';
import { identity } from './identity.js';
import { instance } from './instance.js';
import { invocations } from './invocations.js';
import { links } from './links.js';
import { order } from './order.js';
import { checkPrefixes } from './prefix.js';
import { readLines } from './read-lines.js';
import { recovery } from './recovery.js';
import { stateFold } from './state-fold.js';
import { undo } from './undo.js';
import type { Violation } from './violation.js';

/** All checks of a log, in the order in which they report. */
export const CHECKS: readonly Check[] = [
  form,
  order,
  chain,
  actionStatus,
  undo,
  identity,
  instance,
  links,
  gates,
  invocations,
  recovery,
  stateFold,
];

/**
 * The requirements that an exported log breaks, by itself and against a witness; an empty list where none is. The log is
 * the text of the interchange form or its records. Linear in the log.
 */
export function checkLog(log: string | readonly unknown[], witness: Witness = {}): Violation[] {
  const found: Violation[] = [];
  const passes = CHECKS.map(check => check.begin(violation => found.push(violation), witness));
  for (const line of readLines(log)) {
    for (const pass of passes) {
      pass.line?.(line);
      if (line.record !== undefined) pass.record?.(line.record);
    }
  }
  for (const pass of passes) pass.end?.();
  const exports = witness.exports ?? [];
  return [...found, ...checkPrefixes(typeof log === 'string' ? [...exports, log] : exports)];
}
