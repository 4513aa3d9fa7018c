import type { WorkflowStartParams } from '../../schemas/types.js';
import { OWNER, type Runtime } from './runtime.js';

/** Who approves in tests. */
export const APPROVER = 'approver';

/** When confirmations of tests lapse: never. */
export const FAR = '2999-01-01T00:00:00.000Z';

/** Dry-runs a start, has another agent approve it, and gives the confirmation_id. */
export async function confirm(runtime: Runtime, params: WorkflowStartParams): Promise<string> {
  await registerApprover(runtime);
  const { dry_run } = await runtime.start({ ...params, dry_run: true });
  const { resolved_digest, inputs_digest } = dry_run;
  const { agent_id } = params;
  return runtime.approve({ resolved_digest, inputs_digest, agent_id, approver: APPROVER, expires_at: FAR });
}

/** Makes the approver known where it is not. */
export async function registerApprover(runtime: Runtime): Promise<void> {
  if (runtime.agent(APPROVER) !== undefined) return;
  await runtime.registerAgent({ agent_id: APPROVER, trust: 'TRUSTED' }, OWNER);
  await runtime.grant({ domain: 'approval', actions: ['grant'], granted_to: APPROVER, granted_by: OWNER });
}
