import { ArsError } from '../error.js';

/** What a reason of a denial means. */
export interface ReasonMeaning {
  /** Who gives it: one of the four gates of a start, or the door of another request. */
  readonly source: 'verification' | 'governance' | 'safety' | 'execution' | 'request';
  /** The requirement that asks for it, where one does. */
  readonly requirement?: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** Every reason that a gate or a request is answered with, beside the identifiers of verification rules. */
export const REASONS = {
  NOT_FOUND: {
    source: 'verification',
    requirement: 'S7',
    meaning: 'A reference of the workflow leads to nothing in the registry of the workspace.',
    remedy: 'Put the definition into the registry, or correct the reference.',
  },
  SECURITY_BREACH: {
    source: 'governance',
    requirement: 'AI1',
    meaning: 'The agent is not registered, or its trust is UNKNOWN.',
    remedy: 'Register the agent, as somebody who holds `governance:grant`.',
  },
  GOVERNANCE_FAULT: {
    source: 'governance',
    requirement: 'G2',
    meaning: 'The documents of governance cannot be read or contradict each other.',
    remedy: 'Mend what the message names; until then nothing starts.',
  },
  MISSING_PERMISSION: {
    source: 'governance',
    requirement: 'PR1',
    meaning: 'A permission is missing for the workflow, or for something that it can come to execute.',
    remedy:
      'Grant `execution:execute` for the name in the message, and raise the trust again: at a start it fell by one level.',
  },
  UNTRUSTED: {
    source: 'governance',
    requirement: 'G2',
    meaning: 'The agent is UNTRUSTED, or its CONDITIONAL trust has lapsed.',
    remedy: 'Have its trust raised or renewed.',
  },
  TRUST_TOO_LOW: {
    source: 'governance',
    requirement: 'G2',
    meaning: 'The agent has CONDITIONAL trust, and the workflow is not SAFE.',
    remedy: 'Start it as a TRUSTED agent.',
  },
  POLICY_DENIES: {
    source: 'governance',
    requirement: 'MG2',
    meaning: 'A policy that applies to the start denies it.',
    remedy: 'Change what the policy is about, or have the policy changed by somebody who holds `governance:write`.',
  },
  RISK_WARNING: {
    source: 'safety',
    requirement: 'RS1',
    meaning: 'Allowed, with a warning: the level is CONDITIONALLY_SAFE.',
    remedy: 'Nothing has to be done.',
  },
  CONFIRMATION_NEEDED: {
    source: 'safety',
    requirement: 'MS1',
    meaning: 'The level or a policy needs a confirmation, and the start names none.',
    remedy: 'Have another agent approve these documents and inputs, and start with the `confirmation_id`.',
  },
  CONFIRMATION_UNKNOWN: {
    source: 'safety',
    requirement: 'MS1',
    meaning: 'No confirmation of that name was granted.',
    remedy: 'Check the `confirmation_id`.',
  },
  CONFIRMATION_MISMATCH: {
    source: 'safety',
    requirement: 'MS1',
    meaning: 'The confirmation is for other documents, other inputs or another agent.',
    remedy: 'Have exactly this start approved.',
  },
  CONFIRMATION_EXPIRED: {
    source: 'safety',
    requirement: 'MS1',
    meaning: 'The confirmation has lapsed.',
    remedy: 'Have it approved anew.',
  },
  CONFIRMATION_USED: {
    source: 'safety',
    requirement: 'MS1',
    meaning: 'An instance has used the confirmation up.',
    remedy: 'Have it approved anew.',
  },
  APPROVER_UNFIT: {
    source: 'safety',
    requirement: 'MS1',
    meaning: 'The approver is the agent itself, or does not hold `approval:grant` for the workflow any more.',
    remedy: 'Have somebody else approve it.',
  },
  DRY_RUN_NEEDED: {
    source: 'safety',
    requirement: 'MS2',
    meaning: 'The level needs a dry run, and none of these documents and inputs is recorded.',
    remedy: 'Start it as a dry run first.',
  },
  INPUTS_UNFIT: {
    source: 'execution',
    meaning: 'An input is missing, unknown or does not fit its schema.',
    remedy: 'Correct the inputs; the message names the first.',
  },
  SELF_APPROVAL: {
    source: 'request',
    meaning: 'An agent wants to approve what it would start itself.',
    remedy: 'Have another agent approve it.',
  },
  SELF_GRANT: {
    source: 'request',
    meaning: 'An agent wants to grant something to itself.',
    remedy: 'Have another agent grant it.',
  },
  BEYOND_OWN: {
    source: 'request',
    meaning: 'An agent wants to grant more than it holds.',
    remedy: 'Have it granted by somebody who holds it, such as `owner`.',
  },
  OTHER_AGENT: {
    source: 'request',
    meaning: 'An agent wants to undo or resume what another one had executed.',
    remedy: 'Ask as the agent that made the original.',
  },
} as const satisfies Readonly<Record<string, ReasonMeaning>>;

/** One of {@link REASONS}. */
export type ReasonCode = keyof typeof REASONS;

/** The reasons of one source. */
export type ReasonOf<Source extends ReasonMeaning['source']> = {
  [Code in ReasonCode]: (typeof REASONS)[Code]['source'] extends Source ? Code : never;
}[ReasonCode];

/** The error `denied` that a request other than a start is answered with. */
export function refusal(code: ReasonOf<'governance' | 'request'>, message: string): ArsError {
  return new ArsError('denied', message, { details: { reasons: [{ code, message }] } });
}
