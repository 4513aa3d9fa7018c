import type { Confirmation, GateReason, SafetyLevel } from '../../../schemas/types.js';
import type { GateDecision } from './gate.js';
import { REASONS, type ReasonOf } from './reasons.js';

/** What exactly is to be started, and by whom. */
export interface ConfirmedStart {
  readonly resolved_digest: string;
  readonly inputs_digest: string;
  readonly agent_id: string;
}

/** What the log tells of the confirmation that a start names. */
export interface ConfirmationFacts {
  readonly confirmation_id: string;
  /** Absent: nobody granted it. */
  readonly confirmation?: Confirmation;
  /** The instance that used it up. */
  readonly used_by?: string;
  /** Whether the approver is registered and holds approval:grant for the workflow now. */
  readonly approver_fit: boolean;
}

/** The facts that the safety gate decides on. */
export interface SafetyFacts {
  readonly level: SafetyLevel;
  readonly start: ConfirmedStart;
  /** Absent: the start names no confirmation. */
  readonly given?: ConfirmationFacts;
  /** Whether a dry run of these documents and inputs is recorded. */
  readonly dry_run: boolean;
  /** RFC 3339. */
  readonly now: string;
}

/**
 * Whether the risk of a start is accepted.
 *
 * A confirmation where the level needs none is not looked at.
 *
 * @requirement MS1
 * @requirement MS2
 * @requirement EG1
 */
export function decideSafety(facts: SafetyFacts): GateDecision {
  const { level, given } = facts;
  if (level === 'SAFE') return { decision: 'allowed', reasons: [] };
  if (level === 'CONDITIONALLY_SAFE')
    return { decision: 'allowed', reasons: [reason('RISK_WARNING', `The safety level is ${level}.`)] };
  const reasons =
    given === undefined
      ? [reason('CONFIRMATION_NEEDED', `The safety level is ${level}: it needs a confirmation.`)]
      : confirmationFaults(given, facts.start, facts.now);
  if (level === 'IRREVERSIBLE' && !facts.dry_run)
    reasons.push(
      reason('DRY_RUN_NEEDED', `The safety level is ${level}: it needs a dry run with the same inputs first.`),
    );
  return { decision: reasons.length === 0 ? 'allowed' : 'denied', reasons };
}

/** Why a confirmation does not serve for a start at this time (RFC 3339); empty where it does. */
export function confirmationFaults(given: ConfirmationFacts, start: ConfirmedStart, now: string): GateReason[] {
  const { confirmation_id, confirmation, used_by } = given;
  const name = `The confirmation '${confirmation_id}'`;
  if (confirmation === undefined) return [reason('CONFIRMATION_UNKNOWN', `${name} does not exist.`)];
  const faults: GateReason[] = [];
  const other = mismatch(confirmation, start);
  if (other !== undefined) faults.push(reason('CONFIRMATION_MISMATCH', `${name} is for ${other}.`));
  if (used_by !== undefined) faults.push(reason('CONFIRMATION_USED', `${name} was used up by '${used_by}'.`));
  if (now >= confirmation.expires_at)
    faults.push(reason('CONFIRMATION_EXPIRED', `${name} lapsed at ${confirmation.expires_at}.`));
  if (!given.approver_fit || confirmation.approver === start.agent_id)
    faults.push(reason('APPROVER_UNFIT', `${name} is by '${confirmation.approver}', who may not approve this start.`));
  return faults;
}

function mismatch(confirmation: Confirmation, start: ConfirmedStart): string | undefined {
  if (confirmation.resolved_digest !== start.resolved_digest)
    return `the documents ${confirmation.resolved_digest}, not ${start.resolved_digest}`;
  if (confirmation.inputs_digest !== start.inputs_digest)
    return `the inputs ${confirmation.inputs_digest}, not ${start.inputs_digest}`;
  if (confirmation.agent_id !== start.agent_id) return `the agent '${confirmation.agent_id}', not '${start.agent_id}'`;
  return undefined;
}

function reason(code: ReasonOf<'safety'>, message: string): GateReason {
  return { code, message, requirement: REASONS[code].requirement };
}
