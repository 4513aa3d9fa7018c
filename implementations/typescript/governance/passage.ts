import type { AuditRecord, DryRun, VerificationReport } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { RecordFacts } from '../audit/linked-record.js';
import type { RecordDraft, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import type { Plan } from '../workflow/plan.js';
import { findAgent, inTurnOf, relyingOn } from './agents.js';
import type { GateDecision, GovernanceDecision } from './gate.js';
import { askVerification, type StartRequest } from './verification-gate.js';

/** How many reasons of a denial its message tells; its details have all of them. */
const MOST_REASONS = 10;

type Gate = NonNullable<AuditRecord['gate']>;

/** What the gates have said of one start so far. */
export class Passage {
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
