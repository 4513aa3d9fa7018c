import type { GateResult } from '../../../schemas/types.js';
import { findAgent } from './agents.js';
import { type GateParts, governedStart } from './gates.js';
import { askGovernance } from './governance-gate.js';
import { askVerification, type StartRequest } from './verification-gate.js';

/**
 * What the governance gate would say of a start, or the verification gate where that denies first. Nothing is recorded, and
 * `trust_after` is the trust that the agent has, since a check changes none.
 *
 * @requirement EG1
 * @requirement EG2
 */
export function checkStart(parts: GateParts, request: StartRequest): GateResult {
  const { plan, decision, report } = askVerification(request);
  if (plan === undefined) return { gate: 'verification', decision: 'denied', reasons: [...decision.reasons], report };
  const governance = askGovernance(parts.journal.log, governedStart(parts, request, plan));
  const missing = governance.reasons.some(({ code }) => code === 'MISSING_PERMISSION');
  const trust_after = missing ? findAgent(parts.journal.log, request.agent_id)?.trust : governance.trust_after;
  return {
    gate: 'governance',
    decision: governance.decision,
    reasons: [...governance.reasons],
    ...(trust_after === undefined ? {} : { trust_after }),
  };
}
