import type { DryRun } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { RecordDraft } from '../audit/log.js';
import { ArsError } from '../error.js';
import { continuationPermit, type ExecutionPermit } from '../execution/permit.js';
import { bindInputs, type Plan } from '../workflow/plan.js';
import type { Approvals } from './approvals.js';
import { confirmationFaults, decideSafety } from './confirmation.js';
import type { GateDecision, GovernanceDecision } from './gate.js';
import { askGovernance, type GovernedStart } from './governance-gate.js';
import { Passage } from './passage.js';
import type { ReasonOf } from './reasons.js';
import { riskOf } from './safety.js';
import type { StartRequest } from './verification-gate.js';

const UNFIT: ReasonOf<'execution'> = 'INPUTS_UNFIT';

/** What the gates read and write. */
export interface GateParts {
  readonly journal: Journal;
  readonly approvals: Approvals;
}

/** A start that all gates allowed. */
export interface AllowedStart {
  /** What the gates said. It becomes durable in one step with the start, which follows it there. */
  readonly records: readonly RecordDraft[];
  readonly plan: Plan;
  /** With defaults. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The confirmation that the start uses up; absent where neither the safety level nor a policy needs one. */
  readonly confirmation_id?: string;
}

/**
 * Asks the four gates in order, hands what they say to the start, to be recorded with it, and gives what that gives. Until
 * it has, the trust that the agent had at the gates stays what it is.
 *
 * Throws what the start throws, `denied` (details {gate, execution_id, reasons, report?, dry_run?}) at the first denial, and `unsupported` with the
 * same details for a workflow that this runtime does not execute; the denial is then in the log and nothing else is.
 * `dry_run` says what a confirmation has to be for, where the safety gate denies.
 *
 * Starts with one confirmation have to come one after the other: see {@link Approvals.inTurn}.
 *
 * @requirement GL1
 * @requirement GL2
 * @requirement GL3
 */
export async function passGates<T>(
  parts: GateParts,
  request: StartRequest,
  start: (allowed: AllowedStart) => Promise<T>,
): Promise<T> {
  const { journal } = parts;
  const passage = new Passage(journal, request.execution_id, request.agent_id, request.with_denial);
  const plan = await passage.verified(request);
  const risk = riskOf(plan, request.inputs);
  return passage.governed(
    () => askGovernance(journal.log, governedStart(parts, request, plan)),
    risk,
    async said => start(await passLastGates(parts, request, passage, { plan, risk, said })),
  );
}

/** Asks safety and execution. */
async function passLastGates(
  { journal, approvals }: GateParts,
  request: StartRequest,
  passage: Passage,
  { plan, risk, said }: { readonly plan: Plan; readonly risk: DryRun; readonly said: GovernanceDecision },
): Promise<AllowedStart> {
  const { execution_id, confirmation_id } = request;
  const by_level = needsConfirmation(risk) ? confirmation_id : undefined;
  const safety = askSafety(approvals, { ...request, confirmation_id: by_level }, plan, risk);
  if (safety.decision === 'denied') return passage.deny('safety', safety, { dry_run: risk });
  passage.allow('safety', safety);
  let inputs: Record<string, unknown>;
  try {
    inputs = bindInputs(plan, request.inputs);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const reasons = [{ code: UNFIT, message: error.message }];
    return passage.deny('execution', { decision: 'denied', reasons });
  }
  passage.allow('execution', { decision: 'allowed', reasons: [] });
  journal.pass('gate_allowed', execution_id);
  const used = said.confirmation_needed === true ? confirmation_id : by_level;
  const { records } = passage;
  return { records, plan, inputs, ...(used === undefined ? {} : { confirmation_id: used }) };
}

/**
 * Asks verification and governance, records what they say and that this was a dry run, and gives what a confirmation
 * has to be for. The trust of the agent stays as it is. Throws as {@link passGates} does.
 *
 * @requirement MS2
 */
export async function passDryRun(parts: GateParts, request: StartRequest): Promise<DryRun> {
  const { journal } = parts;
  const passage = new Passage(journal, request.execution_id, request.agent_id);
  const plan = await passage.verified(request);
  const risk = riskOf(plan, request.inputs);
  const start = { ...governedStart(parts, request, plan), dry_run: true } as const;
  return passage.governed(
    () => askGovernance(journal.log, start),
    risk,
    async () => {
      passage.simulate(plan.workflow_id, risk);
      await passage.record();
      return risk;
    },
  );
}

/** What governance is asked about a start, with what becomes of the confirmation that it names. */
export function governedStart({ approvals }: GateParts, request: StartRequest, plan: Plan): GovernedStart {
  const { agent_id, inputs, context, confirmation_id, now } = request;
  const start = { agent_id, plan, inputs, context, now };
  if (confirmation_id === undefined) return { ...start, confirmed: false };
  const given = approvals.facts(confirmation_id, plan.workflow.workflow.name, now);
  const [fault] = confirmationFaults(given, { ...riskOf(plan, inputs), agent_id }, now);
  return { ...start, confirmed: fault === undefined, ...(fault === undefined ? {} : { unfit: fault.message }) };
}

function needsConfirmation({ safety_level }: DryRun): boolean {
  return safety_level === 'RISKY' || safety_level === 'IRREVERSIBLE';
}

function askSafety(approvals: Approvals, request: StartRequest, plan: Plan, risk: DryRun): GateDecision {
  const { agent_id, confirmation_id, now } = request;
  const { resolved_digest, inputs_digest, safety_level } = risk;
  const given =
    confirmation_id === undefined ? undefined : approvals.facts(confirmation_id, plan.workflow.workflow.name, now);
  return decideSafety({
    level: safety_level,
    start: { resolved_digest, inputs_digest, agent_id },
    ...(given === undefined ? {} : { given }),
    dry_run: safety_level === 'IRREVERSIBLE' && approvals.hasDryRun(resolved_digest, inputs_digest),
    now,
  });
}

/** What governance says of an instance that is to go on: the permit, or none and why. */
export interface Continuation {
  readonly permit?: ExecutionPermit;
  readonly reasons: GateDecision['reasons'];
}

/**
 * Asks governance anew before an instance goes on, records what it says, and gives the permit; none after a denial.
 *
 * @requirement G1
 * @requirement GFR2
 */
export async function passContinuation(
  journal: Journal,
  execution_id: string,
  start: GovernedStart,
): Promise<Continuation> {
  const passage = new Passage(journal, execution_id, start.agent_id);
  const [{ decision, reasons }, records] = await passage.govern(
    () => askGovernance(journal.log, start),
    async said => [said, await passage.record()] as const,
  );
  return decision === 'allowed' ? { permit: continuationPermit(execution_id, records), reasons } : { reasons };
}
