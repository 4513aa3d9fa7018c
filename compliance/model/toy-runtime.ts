import type { ActionNode, AuditRecord, Node, RecoveryReport, TraceEntry } from '../../schemas/types.js';
import { type DrawnRecord, logOf, textOf } from '../history/sample.js';
import type { LedgerEntry, Observation, Program } from '../program.js';
import { failure } from './action-node.js';
import { type Answer, answerOf, checkPreconditions } from './attempt.js';
import { fitsSchema, hasSideEffects, resolveAction, retryLimit } from './contract.js';
import { workflowOutputs } from './expected.js';
import { finalStatus, fire, type Graph, graphOf, handlesFailure, type Resolution } from './firing.js';
import { instanceScope, resolveCondition } from './instance.js';
import { type Decision, decideByCategory, decideInterrupted, undoAction, undoDecision } from './judgement.js';
import { evaluateObjectMapping } from './mapping.js';
import { effectMoment, hostedProbe, nodeBehaviour, readProbe, undoBehaviour } from './script.js';
import { applyChanges, type Fold, versionsHold } from './state.js';

/** One way in which the toy runtime does wrong, for tests of the judge. */
export type Fault =
  | 'none'
  | 'forgets commits'
  | 'redoes anything'
  | 'invokes first'
  | 'skips nothing'
  | 'never retries'
  | 'undoes nothing';

class Killed extends Error {}

/**
 * A runtime in a hundred lines that runs one node at a time and keeps its log in memory, killed after a number of steps in
 * each incarnation in turn. It is for tests of the judge and the log checker: what it does right they must accept.
 */
export class ToyRuntime {
  readonly #program: Program;
  readonly #graph: Graph;
  readonly #fault: Fault;
  readonly #kills: readonly number[];
  readonly #log: DrawnRecord[] = [];
  readonly #ledger: (LedgerEntry & { effect: boolean; replied_at?: number; reply?: unknown })[] = [];
  readonly #recoveries: (RecoveryReport | null)[] = [];
  readonly #exports: string[] = [];
  #incarnation = 0;
  #steps = 0;
  #ids = 0;
  #time = 0;
  #trace: TraceEntry[] = [];

  constructor(program: Program, kills: readonly number[] = [], fault: Fault = 'none') {
    this.#program = program;
    this.#graph = graphOf(program.workflow);
    this.#kills = kills;
    this.#fault = fault;
  }

  /** Runs the program to its end and gives what there was to see. */
  observe(): Observation {
    let wait: NonNullable<Observation['wait']> | undefined;
    while (wait === undefined) {
      this.#incarnation += 1;
      this.#steps = this.#kills[this.#incarnation - 1] ?? Number.POSITIVE_INFINITY;
      this.#trace = [];
      try {
        this.#begin();
        this.#recover();
        wait = this.#drive();
      } catch (thrown) {
        if (!(thrown instanceof Killed)) throw thrown;
        while (this.#recoveries.length < this.#incarnation) this.#recoveries.push(null);
      }
      this.#exports.push(textOf(logOf(this.#log)));
    }
    const log = logOf(this.#log);
    const fold = [...this.#fold()].map(([key, entry]) => [key, entry] as const);
    return {
      start: { execution_id: 'i1' },
      wait,
      ledger: this.#ledger,
      log,
      exports: this.#exports,
      state: Object.fromEntries(fold) as NonNullable<Observation['state']>,
      recoveries: this.#recoveries,
      kills: this.#incarnation - 1,
    };
  }

  #step(): void {
    this.#steps -= 1;
    if (this.#steps < 0) throw new Killed();
  }

  #append(...records: DrawnRecord[]): void {
    this.#step();
    for (const record of records) this.#log.push({ ...record, incarnation: this.#incarnation });
    this.#step();
  }

  #begin(): void {
    if (this.#log.some(record => record.record_type === 'workflow')) return;
    this.#append({ record_type: 'gate', status: 'allowed', execution_id: 'i1' });
    this.#append({ record_type: 'workflow', status: 'workflow_started', execution_id: 'i1' });
  }

  #fold(): Fold {
    const fold: Fold = new Map();
    for (const record of this.#log) {
      if (record.record_type === 'action' && record.status === 'committed') {
        applyChanges(fold, record.state_changes ?? [], record.execution_id);
      }
    }
    return fold;
  }

  #newId(): string {
    this.#ids += 1;
    return `e${this.#ids}`;
  }

  #records(execution_id: string): DrawnRecord[] {
    return this.#log.filter(record => record.record_type === 'action' && record.execution_id === execution_id);
  }

  #executions(node_id: string): string[] {
    const own = this.#log.filter(
      record => record.record_type === 'action' && record.node_id === node_id && record.purpose === undefined,
    );
    return [...new Set(own.map(record => record.execution_id))];
  }

  #nodeOf(execution_id: string): ActionNode {
    const id = this.#records(execution_id)[0]?.node_id ?? '';
    return this.#graph.nodes.get(id) as ActionNode;
  }

  /** Recovery: unfinished undos first taken up, then the table. Redos run later, when the node is ready. */
  #recover(): void {
    const decisions: RecoveryReport['decisions'] = [];
    const pending = this.#log.filter(
      record => record.record_type === 'action' && record.status === 'pending' && record.purpose === undefined,
    );
    for (const { execution_id, incarnation } of pending) {
      if (incarnation === this.#incarnation || this.#records(execution_id).at(-1)?.status !== 'pending') continue;
      const begun = this.#log.find(record => record.record_type === 'recovery' && record.execution_id === execution_id);
      if (begun !== undefined) {
        this.#undo(execution_id, begun.new_execution_id ?? '', 'E3');
        continue;
      }
      const node = this.#nodeOf(execution_id);
      const action = resolveAction(node.action_def, this.#program);
      if (action === undefined) continue;
      const probe = hasSideEffects(action) ? this.#probe(execution_id).verdict : 'absent';
      const table = decideInterrupted(action, probe, undoAction(action, this.#program));
      const decision = this.#fault === 'redoes anything' ? 'redo' : table;
      this.#carryOut(execution_id, decision, 'E3', probe);
      decisions.push({ execution_id, node_id: node.node_id, probe, decision } as RecoveryReport['decisions'][number]);
    }
    const report: RecoveryReport = {
      schema_version: '1.0',
      level: 'PARTIAL',
      incarnation: this.#incarnation,
      decisions,
      in_doubt: [],
    };
    this.#recoveries.push(decisions.length === 0 ? null : report);
  }

  #probe(execution_id: string): ReturnType<typeof readProbe> {
    const node = this.#nodeOf(execution_id);
    const action = resolveAction(node.action_def, this.#program);
    if (action === undefined) return { verdict: 'unknown' };
    const entries = this.#ledger.filter(entry => entry.node_id === node.node_id);
    const applied = entries.findLastIndex(entry => entry.effect);
    const behaviour = nodeBehaviour(this.#program.script, node.node_id, applied === -1 ? 1 : applied + 1);
    return readProbe(action, hostedProbe(this.#program.script, node.node_id, applied !== -1, behaviour));
  }

  #carryOut(
    execution_id: string,
    decision: Decision,
    error_class: AuditRecord['error_class'] & string,
    probe: AuditRecord['probe'] & string,
  ): void {
    const pending = this.#records(execution_id)[0];
    if (pending === undefined) return;
    const { status: _, inputs, refers_to: __, ...mark } = pending;
    const recovery: DrawnRecord = { record_type: 'recovery', status: decision, execution_id, probe };
    const failed: DrawnRecord = { ...mark, status: 'failed', error_class, error_detail: 'closed' };
    if (decision === 'commit') {
      const answer = this.#probe(execution_id);
      const changes = answer.state_changes ?? [];
      if (!versionsHold(this.#fold(), changes)) {
        const action = resolveAction(this.#nodeOf(execution_id).action_def, this.#program);
        const undo = action === undefined ? undefined : undoAction(action, this.#program);
        const next = action === undefined || !hasSideEffects(action) ? 'close' : undoDecision(action, undo);
        this.#carryOut(execution_id, next, 'E4', 'partial');
        return;
      }
      const written = changes.length === 0 ? {} : { state_changes: changes };
      this.#append(recovery, { ...mark, status: 'committed', outputs: answer.outputs ?? {}, ...written });
    } else if (decision === 'redo') {
      const id = this.#newId();
      const fresh: DrawnRecord = {
        ...mark,
        status: 'pending',
        execution_id: id,
        refers_to: [execution_id],
        inputs: inputs ?? {},
      };
      this.#append({ ...recovery, new_execution_id: id }, failed, fresh);
    } else if (decision === 'close') this.#append(recovery, failed);
    else if (decision === 'in_doubt') this.#append(recovery, { ...mark, status: 'in_doubt' });
    else if (this.#fault === 'undoes nothing') this.#append(failed);
    else {
      const id = this.#newId();
      this.#append({ ...recovery, new_execution_id: id });
      this.#undo(execution_id, id, error_class);
    }
  }

  /** Executes an undo, or takes it up again under a new execution where it was interrupted. */
  #undo(original: string, id: string, error_class: AuditRecord['error_class'] & string): void {
    const action = resolveAction(this.#nodeOf(original).action_def, this.#program);
    const undo = action === undefined ? undefined : undoAction(action, this.#program);
    const first = this.#records(original)[0];
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
    const earlier = this.#log.filter(record => record.status === 'pending' && record.idempotency_key === key).at(-1);
    if (earlier === undefined) this.#append({ ...base, refers_to: [original], inputs });
    else {
      running = this.#newId();
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
      this.#append(decision, old, { ...base, execution_id: running, refers_to: [earlier.execution_id], inputs });
    }
    const behaviour = undoBehaviour(this.#program.script, undo.action_id, 1);
    this.#invoke(
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
    this.#append(
      end,
      done
        ? { ...mark, status: 'failed', error_class, error_detail: 'undone', refers_to: [running] }
        : { ...mark, status: 'in_doubt' },
    );
  }

  #invoke(
    call: Pick<
      LedgerEntry,
      'execution_id' | 'idempotency_key' | 'action_id' | 'version' | 'attempt' | 'inputs' | 'node_id'
    >,
    behaviour: ReturnType<typeof nodeBehaviour>,
  ): void {
    const ordinal = this.#ledger.filter(entry => entry.incarnation === this.#incarnation).length + 1;
    const moment = effectMoment(behaviour);
    this.#time += 1;
    const entry = {
      kind: 'invoke' as const,
      incarnation: this.#incarnation,
      ordinal,
      instance_id: 'i1',
      effect: moment === 'receipt',
      received_at: this.#time,
      ...call,
    };
    this.#ledger.push(entry);
    this.#step();
    this.#time += 1;
    const place = this.#ledger.length - 1;
    if (behaviour.reply !== undefined) {
      const effect = entry.effect || moment === 'reply';
      this.#ledger[place] = { ...entry, effect, reply: behaviour.reply, replied_at: this.#time };
    }
    this.#step();
  }

  #drive(): NonNullable<Observation['wait']> {
    const scope = instanceScope(this.#program);
    const doubt = () =>
      this.#program.workflow.nodes.some(
        node => this.#records(this.#executions(node.node_id).at(-1) ?? '').at(-1)?.status === 'in_doubt',
      );
    const resolve = (node: Node): Resolution => {
      const resolution = this.#resolve(node, scope, doubt);
      if (resolution.outputs !== undefined) scope.nodes.set(node.node_id, resolution.outputs);
      return resolution;
    };
    const resolved = fire(this.#fault === 'skips nothing' ? orOnly(this.#graph) : this.#graph, resolve);
    for (const [node_id, { outcome, attempts }] of resolved) {
      if (outcome !== 'running') this.#trace.push({ node_id, outcome, attempts });
    }
    const reached = finalStatus(this.#graph, resolved);
    const outputs = reached === 'completed' ? workflowOutputs(this.#program, scope) : undefined;
    const status = reached === 'completed' && outputs === undefined ? 'failed' : reached;
    const over = this.#log.some(record => record.status === `workflow_${status}`);
    if (status !== 'in_doubt' && status !== 'running' && !over) {
      this.#append({ record_type: 'workflow', status: `workflow_${status}`, execution_id: 'i1' });
    }
    return { status, trace: this.#trace, ...(outputs === undefined ? {} : { outputs }) };
  }

  #resolve(node: Node, scope: ReturnType<typeof instanceScope>, doubt: () => boolean): Resolution {
    if (node.type === 'condition') return resolveCondition(node, this.#graph, scope);
    if (node.type === 'terminal') {
      const known = this.#log.some(record => record.record_type === 'terminal' && record.node_id === node.node_id);
      if (!known && !doubt()) {
        const execution_id = this.#newId();
        this.#append({ record_type: 'terminal', status: node.status, execution_id, node_id: node.node_id });
      }
      return doubt() && !known ? { outcome: 'running', attempts: 0 } : { outcome: node.status, attempts: 0 };
    }
    if (node.type !== 'action') return failure('E5', false, 0);
    for (;;) {
      const stands = this.#stands(node, scope);
      if (typeof stands === 'object') return stands;
      if (doubt()) return { outcome: 'running', attempts: 0 };
      this.#attempt(node, stands, scope);
    }
  }

  /** How the node is resolved by the log, or which attempt comes next; 0 where a redo waits to be run. */
  #stands(node: ActionNode, scope: ReturnType<typeof instanceScope>): Resolution | number {
    const action = resolveAction(node.action_def, this.#program);
    const last = this.#executions(node.node_id).at(-1);
    if (last === undefined || action === undefined) return 1;
    const records = this.#records(last);
    const end = records.at(-1);
    const attempt = end?.attempt ?? 1;
    const handled = handlesFailure(this.#graph, node.node_id);
    if (end?.status === 'pending') return 0;
    if (end?.status === 'in_doubt') return { outcome: 'in_doubt', attempts: attempt };
    if (end?.status === 'committed') {
      if (this.#fault === 'forgets commits' && end.incarnation !== this.#incarnation) return attempt;
      const mapped =
        node.output_mapping === undefined
          ? undefined
          : evaluateObjectMapping(node.output_mapping, { ...scope, result: end.outputs ?? {} });
      const outputs = mapped === undefined ? (end.outputs ?? {}) : 'value' in mapped ? mapped.value : {};
      return { outcome: 'success', attempts: attempt, outputs };
    }
    const error_class = end?.error_class ?? 'E4';
    if (records.length === 1) return failure(error_class, handled, 0);
    const retried = end?.error_detail === 'to be retried';
    return retried ? attempt + 1 : failure(error_class, handled, attempt);
  }

  #attempt(node: ActionNode, attempt: number, scope: ReturnType<typeof instanceScope>): void {
    const action = resolveAction(node.action_def, this.#program);
    if (action === undefined) return;
    const mapped = evaluateObjectMapping(node.input_mapping ?? {}, scope);
    const inputs = 'value' in mapped ? mapped.value : undefined;
    const own = { inputs: inputs ?? {}, context: this.#program.context ?? {} };
    const key = `i1/${node.node_id}`;
    const mark: DrawnRecord = {
      ...{ record_type: 'action', status: 'pending', execution_id: this.#newId(), node_id: node.node_id },
      ...{ action_id: action.action_id, action_version: action.version, side_effects: action.side_effects ?? [] },
      ...{
        determinism: action.determinism,
        rollback: action.rollback,
        attempt: Math.max(1, attempt),
        idempotency_key: key,
      },
    };
    if (attempt === 0) {
      const waiting = this.#records(this.#executions(node.node_id).at(-1) ?? '')[0];
      this.#execute(
        node,
        { ...mark, execution_id: waiting?.execution_id ?? '', attempt: waiting?.attempt ?? 1 },
        own,
        scope,
        true,
      );
      return;
    }
    const before =
      inputs !== undefined && fitsSchema(action.input_schema, inputs) ? checkPreconditions(action, own) : 'blocked';
    if (before === 'blocked') {
      this.#append({ ...mark, status: 'failed', error_class: 'E4', error_detail: 'not invoked' });
      return;
    }
    const degraded = before === 'degraded' ? { degraded: true as const } : {};
    if (this.#fault === 'invokes first') this.#call(node, mark, inputs ?? {});
    this.#append({ ...mark, inputs: inputs ?? {}, ...degraded });
    this.#execute(node, { ...mark, ...degraded }, own, scope, false);
  }

  #call(node: ActionNode, mark: DrawnRecord, inputs: LedgerEntry['inputs']): ReturnType<typeof nodeBehaviour> {
    const n =
      this.#ledger.filter(entry => entry.node_id === node.node_id && entry.action_id === mark.action_id).length + 1;
    const behaviour = nodeBehaviour(this.#program.script, node.node_id, n);
    const { execution_id, idempotency_key = '', action_id = '', action_version: version = '', attempt = 1 } = mark;
    this.#invoke(
      { execution_id, idempotency_key, action_id, version, attempt, inputs, node_id: node.node_id },
      behaviour,
    );
    return behaviour;
  }

  #execute(
    node: ActionNode,
    mark: DrawnRecord,
    own: { inputs: LedgerEntry['inputs']; context: LedgerEntry['inputs'] },
    scope: ReturnType<typeof instanceScope>,
    redo: boolean,
  ): void {
    const action = resolveAction(node.action_def, this.#program);
    if (action === undefined) return;
    const { degraded, ...plain } = mark;
    const called = this.#ledger.filter(entry => entry.execution_id === mark.execution_id).length > 0;
    const behaviour = called
      ? nodeBehaviour(this.#program.script, node.node_id, 1)
      : this.#call(node, mark, own.inputs);
    const answer = answerOf(behaviour, action, node, own, scope);
    if (answer.kind === 'never') throw new Error('the toy runtime does not wait for ever');
    if (answer.kind === 'success' && versionsHold(this.#fold(), answer.changes)) {
      const changes = answer.changes.length === 0 ? {} : { state_changes: [...answer.changes] };
      const soft = answer.degraded || degraded === true ? { degraded: true as const } : {};
      this.#append({ ...plain, status: 'committed', outputs: answer.result, ...changes, ...soft });
      return;
    }
    const failed: Extract<Answer, { kind: 'error' }> =
      answer.kind === 'error' ? answer : { kind: 'error', error_class: 'E4', effect: 'unknown', refused: true };
    this.#fail(node, plain, failed, answer.kind === 'success', redo);
  }

  #fail(
    node: ActionNode,
    mark: DrawnRecord,
    failed: Extract<Answer, { kind: 'error' }>,
    conflict: boolean,
    redo: boolean,
  ): void {
    const action = resolveAction(node.action_def, this.#program);
    if (action === undefined) return;
    const { execution_id, attempt = 1 } = mark;
    const { error_class, effect, refused } = failed;
    const left = !conflict && this.#fault !== 'never retries' && attempt <= retryLimit(error_class, action, node);
    const sure =
      action.rollback !== 'irreversible' || effect === 'none' || this.#probe(execution_id).verdict === 'absent';
    if (left && sure) {
      this.#append({ ...mark, status: 'failed', error_class, error_detail: 'to be retried' });
      return;
    }
    const entries = this.#ledger.filter(entry => entry.node_id === node.node_id && entry.action_id === mark.action_id);
    const unknown = entries.some((_, index) => {
      const reply = nodeBehaviour(this.#program.script, node.node_id, index + 1).reply;
      return reply === undefined || !('error' in reply) || reply.error.effect !== 'none';
    });
    if (!hasSideEffects(action) || !(unknown || redo)) {
      this.#append({ ...mark, status: 'failed', error_class, error_detail: 'failed' });
      return;
    }
    const undo = undoAction(action, this.#program);
    const probe = refused ? 'unknown' : this.#probe(execution_id).verdict;
    this.#carryOut(
      execution_id,
      refused ? undoDecision(action, undo) : decideByCategory(action, probe, undo),
      error_class,
      probe,
    );
  }
}

function orOnly(graph: Graph): Graph {
  const nodes = new Map([...graph.nodes].map(([id, node]) => [id, { ...node, join_type: 'OR' } as Node]));
  return { ...graph, nodes };
}
