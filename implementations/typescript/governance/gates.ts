import type { Agent, AuditRecord, GateReason, Registry, VerificationReport, Workflow } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { RecordDraft, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import { continuationPermit, type ExecutionPermit, startPermit } from '../execution/permit.js';
import { verify } from '../verification/index.js';
import { bindInputs, type Plan } from '../workflow/plan.js';
import { findAgent, OWNER, permissionsOf } from './agents.js';
import { decideGovernance, decideSafety, type GateDecision, type GovernanceDecision, governanceFault } from './gate.js';
import { highestLevel } from './safety.js';

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
  /** RFC 3339. */
  readonly now: string;
}

/** A start that all gates allowed. */
export interface AllowedStart {
  readonly permit: ExecutionPermit;
  readonly plan: Plan;
  /** With defaults. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

type Gate = NonNullable<AuditRecord['gate']>;

const MOST_REASONS = 100;

/**
 * Asks the four gates in order, records what they say, and gives the permit.
 *
 * Throws `denied` (details {gate, execution_id, reasons, report?}) at the first denial, and `unsupported` with the same
 * details for a workflow that this runtime does not execute; the denial is then in the log and nothing else is.
 *
 * @requirement GL1
 * @requirement GL2
 * @requirement GL3
 */
export async function passGates(journal: Journal, request: StartRequest): Promise<AllowedStart> {
  const passage = new Passage(journal, request.execution_id, request.agent_id);
  const report = verify(request.workflow, request.registry);
  if (report.verdict === 'FAIL') return passage.deny('verification', denial(reasonsOf(report)), { report });
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
    return passage.deny('verification', denial([reason]), { report, ...(unsupported ? { code: 'unsupported' } : {}) });
  }
  passage.allow('verification', { decision: 'allowed', reasons: [] });
  passage.govern(askGovernance(journal, request.agent_id, plan, request.now));
  if (passage.denied !== undefined) return passage.deny('governance', passage.denied);
  passage.allow('safety', decideSafety(levelOf(plan)));
  let inputs: Record<string, unknown>;
  try {
    inputs = bindInputs(plan, request.inputs);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    return passage.deny('execution', denial([{ code: 'INPUTS_UNFIT', message: error.message }]));
  }
  passage.allow('execution', { decision: 'allowed', reasons: [] });
  const records = await passage.record();
  journal.pass('gate_allowed', request.execution_id);
  return { permit: startPermit(request.execution_id, records), plan, inputs };
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
  denied: GateDecision | undefined;

  constructor(journal: Journal, execution_id: string, agent_id: string) {
    this.#journal = journal;
    this.#execution_id = execution_id;
    this.#agent_id = agent_id;
  }

  allow(gate: Gate, decision: GateDecision): void {
    this.#records.push(this.#draft(gate, decision));
  }

  /** Takes the decision of governance, and the trust that follows from it. */
  govern(decision: GovernanceDecision): void {
    const { trust_after } = decision;
    this.#records.push({ ...this.#draft('governance', decision), trust_after });
    if (decision.decision === 'denied') this.denied = decision;
    if (this.#agent_id === OWNER || decision.reasons.some(r => r.code === 'GOVERNANCE_FAULT')) return;
    const agent = findAgent(this.#journal.log, this.#agent_id);
    if (agent === undefined || agent.trust === trust_after) return;
    this.#documents.push({ kind: 'agent', id: agent.agent_id, value: { ...agent, trust: trust_after } });
  }

  record(): Promise<readonly AuditRecord[]> {
    return this.#journal.append({ records: this.#records, documents: this.#documents });
  }

  async deny(
    gate: Gate,
    decision: GateDecision,
    more: { report?: VerificationReport; code?: string } = {},
  ): Promise<never> {
    if (gate !== 'governance') this.#records.push(this.#draft(gate, decision));
    await this.record();
    const { reasons } = decision;
    const { report } = more;
    throw new ArsError(more.code === 'unsupported' ? 'unsupported' : 'denied', messageOf(gate, reasons), {
      details: { gate, execution_id: this.#execution_id, reasons, ...(report === undefined ? {} : { report }) },
    });
  }

  #draft(gate: Gate, { decision, reasons }: GateDecision): RecordDraft {
    return {
      record_type: 'gate',
      status: decision,
      execution_id: this.#execution_id,
      context_id: this.#execution_id,
      agent_id: this.#agent_id,
      gate,
      reasons: [...reasons],
    };
  }
}

function closureOf(plan: Plan): string[] {
  const names = new Set([plan.workflow.workflow.name]);
  for (const { action } of plan.actions.values()) names.add(action.action_id);
  return [...names];
}

function levelOf(plan: Plan) {
  return highestLevel([...plan.actions.values()].map(({ action }) => action));
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
