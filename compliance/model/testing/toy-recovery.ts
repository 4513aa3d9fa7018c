import type { AuditRecord, RecoveryReport } from '../../../schemas/types.js';
import type { DrawnRecord } from '../../history/sample.js';
import { hasSideEffects, resolveAction } from '../contract.js';
import { type Decision, decideInterrupted, undoAction, undoDecision } from '../judgement.js';
import { undoBehaviour } from '../script.js';
import { versionsHold } from '../state.js';
import type { ToyWorld } from './toy-world.js';

/** What the toy runtime does about executions that were interrupted, and about undos. */
export class ToyRecovery {
  readonly #world: ToyWorld;

  constructor(world: ToyWorld) {
    this.#world = world;
  }

  /** Recovery: unfinished undos first taken up, then the table. Redos run later, when the node is ready. */
  recover(): RecoveryReport | null {
    const decisions: RecoveryReport['decisions'] = [];
    const pending = this.#world.log.filter(
      record => record.record_type === 'action' && record.status === 'pending' && record.purpose === undefined,
    );
    for (const { execution_id, incarnation } of pending) {
      if (incarnation === this.#world.incarnation || this.#world.records(execution_id).at(-1)?.status !== 'pending')
        continue;
      const begun = this.#world.log.find(
        record => record.record_type === 'recovery' && record.execution_id === execution_id,
      );
      if (begun !== undefined) {
        this.#undo(execution_id, begun.new_execution_id ?? '', 'E3');
        continue;
      }
      const node = this.#world.nodeOf(execution_id);
      const action = resolveAction(node.action_def, this.#world.program);
      if (action === undefined) continue;
      const probe = hasSideEffects(action) ? this.#world.probe(execution_id).verdict : 'absent';
      const table = decideInterrupted(action, probe, undoAction(action, this.#world.program));
      const decision = this.#world.fault === 'redoes anything' ? 'redo' : table;
      this.carryOut(execution_id, decision, 'E3', probe);
      decisions.push({ execution_id, node_id: node.node_id, probe, decision } as RecoveryReport['decisions'][number]);
    }
    const report: RecoveryReport = {
      schema_version: '1.0',
      level: 'PARTIAL',
      incarnation: this.#world.incarnation,
      decisions,
      in_doubt: [],
    };
    return decisions.length === 0 ? null : report;
  }

  carryOut(
    execution_id: string,
    decision: Decision,
    error_class: AuditRecord['error_class'] & string,
    probe: AuditRecord['probe'] & string,
  ): void {
    const pending = this.#world.records(execution_id)[0];
    if (pending === undefined) return;
    const { status: _, inputs, refers_to: __, ...mark } = pending;
    const recovery: DrawnRecord = { record_type: 'recovery', status: decision, execution_id, probe };
    const failed: DrawnRecord = { ...mark, status: 'failed', error_class, error_detail: 'closed' };
    if (decision === 'commit') {
      const answer = this.#world.probe(execution_id);
      const changes = answer.state_changes ?? [];
      if (!versionsHold(this.#world.fold(), changes)) {
        const action = resolveAction(this.#world.nodeOf(execution_id).action_def, this.#world.program);
        const undo = action === undefined ? undefined : undoAction(action, this.#world.program);
        const next = action === undefined || !hasSideEffects(action) ? 'close' : undoDecision(action, undo);
        this.carryOut(execution_id, next, 'E4', 'partial');
        return;
      }
      const written = changes.length === 0 ? {} : { state_changes: changes };
      this.#world.append(recovery, { ...mark, status: 'committed', outputs: answer.outputs ?? {}, ...written });
    } else if (decision === 'redo') {
      const id = this.#world.newId();
      const fresh: DrawnRecord = {
        ...mark,
        status: 'pending',
        execution_id: id,
        refers_to: [execution_id],
        inputs: inputs ?? {},
      };
      this.#world.append({ ...recovery, new_execution_id: id }, failed, fresh);
    } else if (decision === 'close') this.#world.append(recovery, failed);
    else if (decision === 'in_doubt') this.#world.append(recovery, { ...mark, status: 'in_doubt' });
    else if (this.#world.fault === 'undoes nothing') this.#world.append(failed);
    else {
      const id = this.#world.newId();
      this.#world.append({ ...recovery, new_execution_id: id });
      this.#undo(execution_id, id, error_class);
    }
  }

  /** Executes an undo, or takes it up again under a new execution where it was interrupted. */
  #undo(original: string, id: string, error_class: AuditRecord['error_class'] & string): void {
    const action = resolveAction(this.#world.nodeOf(original).action_def, this.#world.program);
    const undo = action === undefined ? undefined : undoAction(action, this.#world.program);
    const first = this.#world.records(original)[0];
    if (undo === undefined || first === undefined) return;
    const purpose = action?.rollback === 'rollbackable' ? 'revert' : 'compensate';
    const key = `undo of ${original}`;
    const inputs = { execution_id: original, idempotency_key: first.idempotency_key, inputs: first.inputs };
    const { node_id, parent_execution_id } = first;
    const base: DrawnRecord = {
      ...{
        record_type: 'action',
        status: 'pending',
        execution_id: id,
        action_id: undo.action_id,
        action_version: undo.version,
      },
      ...{ purpose, idempotency_key: key, attempt: 1 },
      ...(node_id === undefined ? {} : { node_id }),
      ...(parent_execution_id === undefined ? {} : { parent_execution_id }),
    };
    let running = id;
    const earlier = this.#world.log
      .filter(record => record.status === 'pending' && record.idempotency_key === key)
      .at(-1);
    if (earlier === undefined) this.#world.append({ ...base, refers_to: [original], inputs });
    else {
      running = this.#world.newId();
      const decision: DrawnRecord = {
        record_type: 'recovery',
        status: 'redo',
        execution_id: earlier.execution_id,
        probe: 'unknown',
        new_execution_id: running,
      };
      const old: DrawnRecord = {
        ...base,
        execution_id: earlier.execution_id,
        status: 'failed',
        error_class: 'E3',
        error_detail: 'redone',
      };
      this.#world.append(decision, old, { ...base, execution_id: running, refers_to: [earlier.execution_id], inputs });
    }
    const behaviour = undoBehaviour(this.#world.program.script, undo.action_id, 1);
    this.#world.invoke(
      {
        execution_id: running,
        idempotency_key: key,
        action_id: undo.action_id,
        version: undo.version,
        attempt: 1,
        inputs,
        ...(node_id === undefined ? {} : { node_id }),
      },
      behaviour,
    );
    const done = behaviour.reply !== undefined && 'outputs' in behaviour.reply;
    const { inputs: _, refers_to: __, ...mark } = first;
    const end: DrawnRecord = {
      ...base,
      execution_id: running,
      status: done ? 'committed' : 'failed',
      ...(done ? { outputs: {} } : {}),
    };
    this.#world.append(
      end,
      done
        ? { ...mark, status: 'failed', error_class, error_detail: 'undone', refers_to: [running] }
        : { ...mark, status: 'in_doubt' },
    );
  }
}
