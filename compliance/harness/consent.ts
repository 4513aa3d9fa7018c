import { needsConfirmation } from '../model/safety.js';
import { APPROVER, DEFAULT_AGENT, type Observation, OWNER, type Program } from '../program.js';
import { answered } from './answered.js';
import type { Session } from './session.js';
import { startParams } from './setup.js';

/** When a confirmation lapses that is not to lapse. */
export const FAR = '2999-12-31T23:59:59.999Z';

/** What was found out and done before a start. */
export interface Consent {
  /** The answer to the dry run; absent where the runtime serves none. */
  readonly dry_run?: Observation['dry_run'];
  readonly confirmation_id?: string;
}

/**
 * Dry-runs a program, and has the approver confirm it where the runtime calls it risky. A refusal is an observation: the
 * start then goes without a confirmation.
 */
export async function seekConsent(session: Session, program: Program): Promise<Consent> {
  if (!session.has('governance')) return {};
  const answer = await answered(session.request('workflow/start', { ...startParams(program), dry_run: true }));
  if ('error' in answer) return answer.error.kind === 'unsupported' ? {} : { dry_run: answer };
  const { dry_run } = answer.result;
  if (dry_run === undefined) return {};
  if (!needsConfirmation(dry_run.safety_level)) return { dry_run };
  await registerApprover(session);
  const { resolved_digest, inputs_digest } = dry_run;
  const agent_id = program.agent_id ?? DEFAULT_AGENT;
  const wanted = { resolved_digest, inputs_digest, agent_id, approver: APPROVER, expires_at: FAR };
  const approved = await answered(session.request('governance/approve', wanted));
  return 'error' in approved ? { dry_run } : { dry_run, confirmation_id: approved.result.confirmation_id };
}

/** Registers the agent that approves. */
export async function registerApprover(session: Session): Promise<void> {
  await session.request('governance/register_agent', { agent: { agent_id: APPROVER, trust: 'TRUSTED' }, by: OWNER });
  await session.request('governance/grant', {
    permission: { domain: 'approval', actions: ['grant'], granted_to: APPROVER, granted_by: OWNER },
  });
}
