import type { AuditRecord, DryRun, VerificationReport } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { RecordFacts } from '../audit/linked-record.js';
import type { RecordDraft, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import { continuationPermit, type ExecutionPermit } from '../execution/permit.js';
import { bindInputs, type Plan } from '../workflow/plan.js';
import { findAgent, inTurnOf, relyingOn } from './agents.js';
import type { Approvals } from './approvals.js';
import { confirmationFaults, decideSafety } from './confirmation.js';
import type { GateDecision, GovernanceDecision } from './gate.js';
import { askGovernance, type GovernedStart } from './governance-gate.js';
import type { ReasonOf } from './reasons.js';
import { riskOf } from './safety.js';
import { askVerification, type StartRequest } from './verification-gate.js';

/** How many reasons of a denial its message tells; its details have all of them. */
const MOST_REASONS = 10;
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

type Gate = NonNullable<AuditRecord['gate']>;

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

/** What the gates have said of one start so far. */
class Passage {
  readonly #journal: Journal;
  readonly #execution_id: string;
  readonly #agent_id: string;
  readonly #records: RecordDraft[] = [];
  readonly #documents: StoredDocument[] = [];
  readonly #with_denial: readonly StoredDocument[];

  constructor(journal: Journal, execution_id: string, agent_id: string, with_denial: readonly StoredDocument[] = []) {
    this.#journal = journal;
    this.#with_denial = with_denial;
    this.#execution_id = execution_id;
    this.#agent_id = agent_id;
  }

  /** What the gates have said so far. */
  get records(): readonly RecordDraft[] {
    return this.#records;
  }

  /** Asks verification, and gives the plan; throws at a denial. */
  async verified(request: StartRequest): Promise<Plan> {
    const { plan, decision, report, unsupported } = askVerification(request);
    if (plan === undefined) return this.deny('verification', decision, { report, unsupported });
    this.allow('verification', decision);
    return plan;
  }

  /**
   * Takes the decision of governance and goes on with it; throws where it is a denial, with what to confirm where that would
   * help.
   */
  governed<T>(ask: () => GovernanceDecision, risk: DryRun, goOn: (said: GovernanceDecision) => Promise<T>): Promise<T> {
    return this.govern(ask, async said => {
      if (said.decision === 'allowed') return goOn(said);
      return this.deny('governance', said, said.confirmation_needed === true ? { dry_run: risk } : {});
    });
  }

  /** Takes down that the start was only simulated. */
  simulate(workflow_id: string, risk: DryRun): void {
    this.#records.push({ record_type: 'dry_run', status: 'simulated', ...this.#head(), workflow_id, ...risk });
  }

  allow(gate: Gate, decision: GateDecision): void {
    this.#records.push(this.#draft(gate, decision));
  }

  /**
   * Takes the decision of governance and goes on with it while no other changes the trust of the agent, so that none is
   * overlooked or lost which still waits to be durable. A decision that can lower it is asked for anew in a turn of its own.
   */
  async govern<T>(ask: () => GovernanceDecision, goOn: (said: GovernanceDecision) => Promise<T>): Promise<T> {
    const relied = await relyingOn(this.#journal, this.#agent_id, async () => {
      const said = ask();
      return canLowerTrust(said) ? undefined : { result: await goOn(this.#take(said)) };
    });
    if (relied !== undefined) return relied.result;
    return inTurnOf(this.#journal, this.#agent_id, () => goOn(this.#take(ask())));
  }

  #take(decision: GovernanceDecision): GovernanceDecision {
    const agent = canLowerTrust(decision) ? findAgent(this.#journal.log, this.#agent_id) : undefined;
    const { trust_after } = decision;
    this.#records.push({ ...this.#draft('governance', decision), trust_after });
    if (agent !== undefined && agent.trust !== trust_after)
      this.#documents.push({ kind: 'agent', id: agent.agent_id, value: { ...agent, trust: trust_after } });
    return decision;
  }

  async record(): Promise<readonly RecordFacts[]> {
    const written = await this.#journal.append({ records: this.#records, documents: this.#documents });
    return written.map(({ facts }) => facts);
  }

  async deny(
    gate: Gate,
    decision: GateDecision,
    more: { report?: VerificationReport; unsupported?: boolean; dry_run?: DryRun } = {},
  ): Promise<never> {
    if (gate !== 'governance') this.#records.push(this.#draft(gate, decision));
    this.#documents.push(...this.#with_denial);
    await this.record();
    const { reasons } = decision;
    const { unsupported, ...facts } = more;
    throw new ArsError(unsupported === true ? 'unsupported' : 'denied', messageOf(gate, reasons), {
      details: { gate, execution_id: this.#execution_id, reasons, ...facts },
    });
  }

  #draft(gate: Gate, { decision, reasons }: GateDecision): RecordDraft {
    return { record_type: 'gate', status: decision, ...this.#head(), gate, reasons: [...reasons] };
  }

  #head() {
    return { execution_id: this.#execution_id, context_id: this.#execution_id, agent_id: this.#agent_id };
  }
}

function canLowerTrust({ reasons }: GovernanceDecision): boolean {
  return reasons.some(({ code }) => code === 'MISSING_PERMISSION');
}

/** The error of a denial that lets an instance stand where it is. */
export function standing(execution_id: string, reasons: GateDecision['reasons']): ArsError {
  return new ArsError('denied', messageOf('governance', reasons), {
    details: { gate: 'governance', execution_id, reasons },
  });
}

function messageOf(gate: Gate, reasons: GateDecision['reasons']): string {
  const told = reasons.slice(0, MOST_REASONS).map(({ message }) => message.replace(/\.$/, ''));
  const rest = reasons.length > told.length ? ` (and ${reasons.length - told.length} more)` : '';
  return `The ${gate} gate denied the start: ${told.join('; ') || 'no reason given'}${rest}`;
}
