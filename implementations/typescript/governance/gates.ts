import type {
  Agent,
  AuditRecord,
  DryRun,
  GateReason,
  Registry,
  VerificationReport,
  Workflow,
} from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { RecordDraft, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import { continuationPermit, type ExecutionPermit, startPermit } from '../execution/permit.js';
import { digest } from '../state/canonical.js';
import { verify } from '../verification/index.js';
import { actionsOf, bindInputs, type Plan, withDefaults } from '../workflow/plan.js';
import { findAgent, OWNER, permissionsOf } from './agents.js';
import type { Approvals } from './approvals.js';
import { decideSafety } from './confirmation.js';
import { decideGovernance, type GateDecision, type GovernanceDecision, governanceFault } from './gate.js';
import type { ReasonOf } from './reasons.js';
import { levelOf } from './safety.js';

const UNFIT: ReasonOf<'execution'> = 'INPUTS_UNFIT';

/** What somebody wants to start. */
export interface StartRequest {
  /** Allocated for the instance before the first gate. */
  readonly execution_id: string;
  readonly agent_id: string;
  readonly workflow: Workflow;
  readonly registry: Registry;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Resolves and compiles the workflow; called once verification has passed. */
  readonly plan: () => Plan;
  /** The confirmation that is to be used up. */
  readonly confirmation_id?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** What the gates read and write. */
export interface GateParts {
  readonly journal: Journal;
  readonly approvals: Approvals;
}

/** A start that all gates allowed. */
export interface AllowedStart {
  readonly permit: ExecutionPermit;
  readonly plan: Plan;
  /** With defaults. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The confirmation that the start uses up; absent where the safety level needs none. */
  readonly confirmation_id?: string;
}

type Gate = NonNullable<AuditRecord['gate']>;

const MOST_REASONS = 100;

/**
 * Asks the four gates in order, records what they say, and gives the permit.
 *
 * Throws `denied` (details {gate, execution_id, reasons, report?, dry_run?}) at the first denial, and `unsupported` with the
 * same details for a workflow that this runtime does not execute; the denial is then in the log and nothing else is.
 * `dry_run` says what a confirmation has to be for, where the safety gate denies.
 *
 * Starts with one confirmation have to come one after the other: see {@link Approvals.inTurn}.
 *
 * @requirement GL1
 * @requirement GL2
 * @requirement GL3
 */
export async function passGates({ journal, approvals }: GateParts, request: StartRequest): Promise<AllowedStart> {
  const { execution_id, confirmation_id } = request;
  const passage = new Passage(journal, execution_id, request.agent_id);
  const plan = await passage.admit(journal, request);
  const risk = riskOf(plan, request.inputs);
  const confirmed = needsConfirmation(risk) ? confirmation_id : undefined;
  const safety = askSafety(approvals, { ...request, confirmation_id: confirmed }, plan, risk);
  if (safety.decision === 'denied') return passage.deny('safety', safety, { dry_run: risk });
  passage.allow('safety', safety);
  let inputs: Record<string, unknown>;
  try {
    inputs = bindInputs(plan, request.inputs);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    return passage.deny('execution', denial([{ code: UNFIT, message: error.message }]));
  }
  passage.allow('execution', { decision: 'allowed', reasons: [] });
  const records = await passage.record();
  journal.pass('gate_allowed', execution_id);
  const permit = startPermit(execution_id, records);
  return { permit, plan, inputs, ...(confirmed === undefined ? {} : { confirmation_id: confirmed }) };
}

/**
 * Asks verification and governance, records what they say and that this was a dry run, and gives what a confirmation
 * has to be for. The trust of the agent stays as it is. Throws as {@link passGates} does.
 *
 * @requirement MS2
 */
export async function passDryRun({ journal }: GateParts, request: StartRequest): Promise<DryRun> {
  const passage = new Passage(journal, request.execution_id, request.agent_id, { trust_stays: true });
  const plan = await passage.admit(journal, request);
  const risk = riskOf(plan, request.inputs);
  passage.simulate(plan.workflow_id, risk);
  await passage.record();
  return risk;
}

/** What a start of the plan with these inputs has to be confirmed for, and how risky it is. */
export function riskOf(plan: Plan, inputs: Readonly<Record<string, unknown>>): DryRun {
  const { resolved_digest } = plan;
  return { resolved_digest, inputs_digest: digest(withDefaults(plan, inputs)), safety_level: levelOf(plan) };
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

/**
 * Asks governance anew before an instance goes on, records what it says, and gives the permit; undefined after a denial.
 *
 * @requirement G1
 */
export async function passContinuation(
  journal: Journal,
  instance: { readonly execution_id: string; readonly agent_id: string; readonly plan: Plan },
  now: string,
): Promise<ExecutionPermit | undefined> {
  const passage = new Passage(journal, instance.execution_id, instance.agent_id);
  passage.govern(askGovernance(journal, instance.agent_id, instance.plan, now));
  const records = await passage.record();
  return passage.denied === undefined ? continuationPermit(instance.execution_id, records) : undefined;
}

/** What governance would say now; nothing is recorded. */
export function askGovernance(journal: Journal, agent_id: string, plan: Plan, now: string): GovernanceDecision {
  let agent: Agent | undefined;
  try {
    agent = findAgent(journal.log, agent_id);
    const permissions = permissionsOf(journal.log, agent_id);
    const facts = { agent_id, permissions, closure: closureOf(plan), level: levelOf(plan), now };
    return decideGovernance(agent === undefined ? facts : { ...facts, agent });
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    return governanceFault(error.message, agent?.trust ?? 'UNKNOWN');
  }
}

/** What the gates have said of one start so far. */
class Passage {
  readonly #journal: Journal;
  readonly #execution_id: string;
  readonly #agent_id: string;
  readonly #records: RecordDraft[] = [];
  readonly #documents: StoredDocument[] = [];
  readonly #trust_stays: boolean;
  denied: GateDecision | undefined;

  constructor(journal: Journal, execution_id: string, agent_id: string, options: { trust_stays?: boolean } = {}) {
    this.#journal = journal;
    this.#execution_id = execution_id;
    this.#agent_id = agent_id;
    this.#trust_stays = options.trust_stays === true;
  }

  /** Asks verification and governance, and gives the plan; throws at a denial. */
  async admit(journal: Journal, request: StartRequest): Promise<Plan> {
    const report = verify(request.workflow, request.registry);
    if (report.verdict === 'FAIL') return this.deny('verification', denial(reasonsOf(report)), { report });
    let plan: Plan;
    try {
      plan = request.plan();
    } catch (error) {
      if (!(error instanceof ArsError)) throw error;
      const reason = {
        code: error.code.toUpperCase(),
        message: error.message,
        ...(error.code === 'not_found' ? { requirement: 'S7' } : {}),
      };
      const unsupported = error.code === 'unsupported';
      return this.deny('verification', denial([reason]), { report, ...(unsupported ? { code: 'unsupported' } : {}) });
    }
    this.allow('verification', { decision: 'allowed', reasons: [] });
    this.govern(askGovernance(journal, request.agent_id, plan, request.now));
    if (this.denied !== undefined) return this.deny('governance', this.denied);
    return plan;
  }

  /** Takes down that the start was only simulated. */
  simulate(workflow_id: string, risk: DryRun): void {
    this.#records.push({ record_type: 'dry_run', status: 'simulated', ...this.#head(), workflow_id, ...risk });
  }

  allow(gate: Gate, decision: GateDecision): void {
    this.#records.push(this.#draft(gate, decision));
  }

  /** Takes the decision of governance, and the trust that follows from it. */
  govern(decision: GovernanceDecision): void {
    const faulty = decision.reasons.some(r => r.code === 'GOVERNANCE_FAULT');
    const agent = faulty || this.#agent_id === OWNER ? undefined : findAgent(this.#journal.log, this.#agent_id);
    const trust_after = this.#trust_stays && agent !== undefined ? agent.trust : decision.trust_after;
    this.#records.push({ ...this.#draft('governance', decision), trust_after });
    if (decision.decision === 'denied') this.denied = decision;
    if (agent === undefined || agent.trust === trust_after) return;
    this.#documents.push({ kind: 'agent', id: agent.agent_id, value: { ...agent, trust: trust_after } });
  }

  record(): Promise<readonly AuditRecord[]> {
    return this.#journal.append({ records: this.#records, documents: this.#documents });
  }

  async deny(
    gate: Gate,
    decision: GateDecision,
    more: { report?: VerificationReport; code?: string; dry_run?: DryRun } = {},
  ): Promise<never> {
    if (gate !== 'governance') this.#records.push(this.#draft(gate, decision));
    await this.record();
    const { reasons } = decision;
    const { code: _code, ...facts } = more;
    throw new ArsError(more.code === 'unsupported' ? 'unsupported' : 'denied', messageOf(gate, reasons), {
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

function closureOf(plan: Plan): string[] {
  const names = new Set([plan, ...plan.skills].map(({ workflow }) => workflow.workflow.name));
  for (const { action } of actionsOf(plan)) names.add(action.action_id);
  return [...names];
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

function messageOf(gate: Gate, reasons: readonly GateReason[]): string {
  const [first] = reasons;
  const rest = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
  return `The ${gate} gate denied the start: ${first?.message ?? 'no reason given'}${rest}`;
}
