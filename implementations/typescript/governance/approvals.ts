import type { ApproveParams, AuditRecord, Confirmation } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { RecordDraft } from '../audit/log.js';
import { ArsError } from '../error.js';
import { demand, findAgent, permissionsOf } from './agents.js';
import type { ConfirmationFacts } from './confirmation.js';
import { isPermitted } from './permission.js';
import { refusal } from './reasons.js';

/** The confirmations and dry runs of a workspace, as its log tells of them. */
export class Approvals {
  readonly #journal: Journal;
  /** The instance that used up a confirmation. */
  readonly #used = new Map<string, string>();
  readonly #dryRuns = new Set<string>();
  #read = false;

  constructor(journal: Journal) {
    this.#journal = journal;
    journal.subscribe(
      record => this.#take(record),
      ({ record_type, confirmation_id }) => record_type === 'dry_run' || confirmation_id !== undefined,
    );
  }

  /**
   * Does work under the name of a confirmation, after all other work under it: of several starts with one confirmation
   * each sees whether those before have used it up.
   */
  inTurn<T>(confirmation_id: string, work: () => Promise<T>): Promise<T> {
    return this.#journal.turns.take(`confirmation ${confirmation_id}`, work);
  }

  /** What the log tells of a confirmation, asked for a workflow of this name at this time (RFC 3339). */
  facts(confirmation_id: string, workflow: string, now: string): ConfirmationFacts {
    this.#catchUp();
    const confirmation = this.#find(confirmation_id);
    const used_by = this.#used.get(confirmation_id);
    return {
      confirmation_id,
      ...(confirmation === undefined ? {} : { confirmation }),
      ...(used_by === undefined ? {} : { used_by }),
      approver_fit: confirmation !== undefined && this.#mayApprove(confirmation.approver, workflow, now),
    };
  }

  /** Whether a dry run of these documents with these inputs is recorded. */
  hasDryRun(resolved_digest: string, inputs_digest: string): boolean {
    this.#catchUp();
    return this.#dryRuns.has(dryRunName(resolved_digest, inputs_digest));
  }

  /**
   * Records a confirmation and gives its name.
   *
   * Throws `denied` unless the approver is registered, another agent than the one that may start, and holds
   * approval:grant, and `conflict` where the name is taken.
   *
   * @requirement MS1
   */
  async approve(params: ApproveParams, own: { now: string; newId: () => string }): Promise<string> {
    const confirmation_id = params.confirmation_id ?? own.newId();
    return this.inTurn(confirmation_id, async () => {
      const { approver, agent_id, resolved_digest, inputs_digest, expires_at } = params;
      demand(this.#journal.log, approver, { domain: 'approval', action: 'grant' }, own.now);
      if (approver === agent_id) throw selfApproval(approver);
      this.#demandNew(confirmation_id);
      const record: RecordDraft = {
        record_type: 'approval',
        status: 'granted',
        execution_id: confirmation_id,
        context_id: confirmation_id,
        agent_id: approver,
        granted_to: agent_id,
        resolved_digest,
        inputs_digest,
        expires_at,
      };
      await this.#journal.append({ records: [record] });
      return confirmation_id;
    });
  }

  #find(confirmation_id: string): Confirmation | undefined {
    const query = { execution_id: confirmation_id, record_type: 'approval', status: 'granted' } as const;
    for (const {
      agent_id: approver,
      granted_to,
      resolved_digest,
      inputs_digest,
      expires_at,
    } of this.#journal.log.records(query))
      if (granted_to !== undefined && resolved_digest !== undefined && inputs_digest !== undefined && expires_at)
        return { confirmation_id, resolved_digest, inputs_digest, agent_id: granted_to, approver, expires_at };
    return undefined;
  }

  /** False too where the documents of governance cannot be used. */
  #mayApprove(approver: string, name: string, now: string): boolean {
    const { log } = this.#journal;
    try {
      const agent = findAgent(log, approver);
      if (agent === undefined || agent.trust === 'UNKNOWN') return false;
      return isPermitted(permissionsOf(log, approver), { domain: 'approval', action: 'grant', name }, now);
    } catch (error) {
      if (error instanceof ArsError) return false;
      throw error;
    }
  }

  #demandNew(confirmation_id: string): void {
    for (const { record_type } of this.#journal.log.records({ execution_id: confirmation_id, limit: 1 }))
      throw new ArsError('conflict', `'${confirmation_id}' names a record of type ${record_type} already.`, {
        details: { confirmation_id },
      });
  }

  /** Reads what earlier incarnations left, once it is asked for. */
  #catchUp(): void {
    if (this.#read) return;
    this.#read = true;
    const { log } = this.#journal;
    for (const record of log.records({ record_type: 'workflow', status: 'workflow_started' })) this.#take(record);
    for (const record of log.records({ record_type: 'dry_run' })) this.#take(record);
  }

  #take({ record_type, confirmation_id, execution_id, resolved_digest = '', inputs_digest = '' }: AuditRecord): void {
    if (record_type === 'dry_run') this.#dryRuns.add(dryRunName(resolved_digest, inputs_digest));
    else if (record_type === 'workflow' && confirmation_id !== undefined) this.#used.set(confirmation_id, execution_id);
  }
}

function dryRunName(resolved_digest: string, inputs_digest: string): string {
  return `${resolved_digest} ${inputs_digest}`;
}

function selfApproval(approver: string): ArsError {
  const message = `The agent '${approver}' cannot approve what it starts itself; another agent has to.`;
  return refusal('SELF_APPROVAL', message);
}
