import type { GateReason } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { nextCommand } from './next-command.js';

/** How to make an agent known that a gate denied for being unknown; undefined where that was not why. */
export function registerAdvice(reasons: readonly Pick<GateReason, 'code'>[], agent_id: string): string | undefined {
  if (!reasons.some(({ code }) => code === 'SECURITY_BREACH')) return undefined;
  const register = nextCommand('agent', 'register', agent_id);
  const grant = nextCommand('permission', 'grant', '--to', agent_id, '--domain', 'execution', '--actions', 'execute');
  return `to make it known:                 ${register}\nto let it start what it may then: ${grant}\n`;
}

/** The reasons of a start that a gate denied; none for any other error. */
export function reasonsOf(error: unknown): readonly Pick<GateReason, 'code'>[] {
  const { reasons } = error instanceof ArsError && error.code === 'denied' ? error.details : {};
  return Array.isArray(reasons) ? reasons : [];
}
