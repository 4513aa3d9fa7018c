import type { Confirmation, SafetyLevel } from '../../schemas/types.js';
import type { GateAnswer } from './governance-gate.js';
import { needsConfirmation } from './safety.js';

/** Everything that the safety gate may look at (Ch9). Times are RFC 3339. */
export interface SafetyFacts {
  readonly safety_level: SafetyLevel;
  readonly start: { readonly resolved_digest: string; readonly inputs_digest: string; readonly agent_id: string };
  /** The confirmation that the start names; absent: it names none. */
  readonly confirmation_id?: string;
  /** What was granted under that name; absent: nothing. */
  readonly confirmation?: Confirmation;
  /** The instance that used it up. */
  readonly used_by?: string;
  /** Whether its approver is registered and holds the permission for the workflow. */
  readonly approver_permitted?: boolean;
  readonly dry_run_recorded: boolean;
  readonly now: string;
}

/** What the safety gate decides, with every reason that applies. */
export function safetyDecision(facts: SafetyFacts): GateAnswer {
  const { safety_level } = facts;
  if (!needsConfirmation(safety_level))
    return { decision: 'allowed', reasons: safety_level === 'SAFE' ? [] : ['RISK_WARNING'] };
  const reasons = confirmationReasons(facts);
  if (safety_level === 'IRREVERSIBLE' && !facts.dry_run_recorded) reasons.push('DRY_RUN_NEEDED');
  return { decision: reasons.length > 0 ? 'denied' : 'allowed', reasons };
}

function confirmationReasons(facts: SafetyFacts): string[] {
  const { start, confirmation, now } = facts;
  if (facts.confirmation_id === undefined) return ['CONFIRMATION_NEEDED'];
  if (confirmation === undefined) return ['CONFIRMATION_UNKNOWN'];
  const matches = (['resolved_digest', 'inputs_digest', 'agent_id'] as const).every(
    field => confirmation[field] === start[field],
  );
  const fit = facts.approver_permitted === true && confirmation.approver !== start.agent_id;
  const found: [boolean, string][] = [
    [!matches, 'CONFIRMATION_MISMATCH'],
    [facts.used_by !== undefined, 'CONFIRMATION_USED'],
    [confirmation.expires_at <= now, 'CONFIRMATION_EXPIRED'],
    [!fit, 'APPROVER_UNFIT'],
  ];
  return found.filter(([applies]) => applies).map(([, reason]) => reason);
}
