import type { GateReason } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { visible } from './code-frame.js';
import { nextCommand, quoted } from './next-command.js';

/** How to make an agent known that a gate denied for being unknown; undefined where that was not why. */
export function registerAdvice(
  reasons: readonly Pick<GateReason, 'code'>[],
  agent_id: string,
  workspace: string,
): string | undefined {
  if (!reasons.some(({ code }) => code === 'SECURITY_BREACH')) return undefined;
  const agent = quoted(agent_id);
  const register = nextCommand(`ars agent register ${agent}`, workspace);
  const grant = nextCommand(`ars permission grant --to ${agent} --domain execution --actions execute`, workspace);
  return `to make it known:                 ${visible(register)}\nto let it start what it may then: ${visible(grant)}\n`;
}

/** The reasons of a start that a gate denied; none for any other error. */
export function reasonsOf(error: unknown): readonly Pick<GateReason, 'code'>[] {
  const { reasons } = error instanceof ArsError && error.code === 'denied' ? error.details : {};
  return Array.isArray(reasons) ? reasons : [];
}
