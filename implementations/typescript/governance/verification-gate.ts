import type { GateReason, VerificationReport, Workflow } from '../../../schemas/types.js';
import type { StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import type { Plan } from '../workflow/plan.js';
import type { GateDecision } from './gate.js';

/** What somebody wants to start. */
export interface StartRequest {
  /** Allocated for the instance before the first gate. */
  readonly execution_id: string;
  readonly agent_id: string;
  readonly workflow: Workflow;
  /** What verification says of the workflow, with the registry of the workspace. */
  readonly report: () => VerificationReport;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Resolves and compiles the workflow; called once verification has passed. */
  readonly plan: () => Plan;
  /** The confirmation that is to be used up. */
  readonly confirmation_id?: string | undefined;
  /** What becomes durable with a denial; nothing else does. */
  readonly with_denial?: readonly StoredDocument[] | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** What the verification gate says: the plan, or a denial. */
export interface VerificationAnswer {
  /** Absent: denied. */
  readonly plan?: Plan;
  readonly decision: GateDecision;
  readonly report: VerificationReport;
  /** Whether the workflow is sound and this runtime does not execute it. */
  readonly unsupported: boolean;
}

const MOST_REASONS = 100;

/**
 * Whether the workflow is sound and everything that it refers to is there. What is no `ArsError` in resolving it is thrown.
 *
 * @requirement G4
 */
export function askVerification({ report: verified, plan }: StartRequest): VerificationAnswer {
  const report = verified();
  if (report.verdict === 'FAIL') return { decision: denial(reasonsOf(report)), report, unsupported: false };
  try {
    return { plan: plan(), decision: { decision: 'allowed', reasons: [] }, report, unsupported: false };
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const { code, message } = error;
    const reason = { code: code.toUpperCase(), message, ...(code === 'not_found' ? { requirement: 'S7' } : {}) };
    return { decision: denial([reason]), report, unsupported: code === 'unsupported' };
  }
}

function reasonsOf(report: VerificationReport): GateReason[] {
  return report.findings
    .filter(finding => finding.severity === 'blocking')
    .slice(0, MOST_REASONS)
    .map(({ rule, message }) => ({ code: rule, message, requirement: rule }));
}

function denial(reasons: readonly GateReason[]): GateDecision {
  return { decision: 'denied', reasons };
}
