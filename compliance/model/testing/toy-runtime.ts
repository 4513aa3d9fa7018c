import type { ActionNode, Node, RecoveryReport, TraceEntry } from '../../../schemas/types.js';
import { type DrawnRecord, logOf, textOf } from '../../history/sample.js';
import type { LedgerEntry, Observation, Program } from '../../program.js';
import { failure } from '../action-node.js';
import { type Answer, answerOf, checkPreconditions } from '../attempt.js';
import { fitsSchema, hasSideEffects, resolveAction, retryLimit } from '../contract.js';
import { workflowOutputs } from '../expected.js';
import { failureOf, finalStatus, fire, type Graph, handlesFailure, type Resolution } from '../firing.js';
import { instanceScope, resolveCondition } from '../instance.js';
import { decideByCategory, undoAction, undoDecision } from '../judgement.js';
import { evaluateObjectMapping } from '../mapping.js';
import { nodeBehaviour } from '../script.js';
import { versionsHold } from '../state.js';
import { ToyRecovery } from './toy-recovery.js';
import { type Fault, Killed, ToyWorld } from './toy-world.js';

/**
 * A small runtime that runs one node at a time and keeps its log in memory, killed after a number of steps in
 * each incarnation in turn. It is for tests of the judge and the log checker: what it does right they must accept.
 */
export class ToyRuntime {
  readonly #world: ToyWorld;
  readonly #recovery: ToyRecovery;
  readonly #recoveries: (RecoveryReport | null)[] = [];
  readonly #exports: string[] = [];
  #trace: TraceEntry[] = [];

  constructor(program: Program, kills: readonly number[] = [], fault: Fault = 'none') {
    this.#world = new ToyWorld(program, kills, fault);
    this.#recovery = new ToyRecovery(this.#world);
  }

  /** Runs the program to its end and gives what there was to see. */
  observe(): Observation {
    let wait: NonNullable<Observation['wait']> | undefined;
    while (wait === undefined) {
      this.#world.begin();
      this.#trace = [];
      try {
        this.#begin();
        this.#recoveries.push(this.#recovery.recover());
        wait = this.#drive();
      } catch (thrown) {
        if (!(thrown instanceof Killed)) throw thrown;
        while (this.#recoveries.length < this.#world.incarnation) this.#recoveries.push(null);
      }
      this.#exports.push(textOf(logOf(this.#world.log)));
    }
    const log = logOf(this.#world.log);
    const fold = [...this.#world.fold()].map(([key, entry]) => [key, entry] as const);
    return {
      start: { execution_id: 'i1' },
      wait,
      ledger: this.#world.ledger,
      log,
      exports: this.#exports,
      state: Object.fromEntries(fold) as NonNullable<Observation['state']>,
      recoveries: this.#recoveries,
      kills: this.#world.incarnation - 1,
    };
  }

  #begin(): void {
    if (this.#world.log.some(record => record.record_type === 'workflow')) return;
    this.#world.append({ record_type: 'gate', status: 'allowed', execution_id: 'i1' });
    this.#world.append({ record_type: 'workflow', status: 'workflow_started', execution_id: 'i1' });
  }

  #drive(): NonNullable<Observation['wait']> {
    const scope = instanceScope(this.#world.program);
    const doubt = () =>
      this.#world.program.workflow.nodes.some(
        node => this.#world.records(this.#world.executions(node.node_id).at(-1) ?? '').at(-1)?.status === 'in_doubt',
      );
    const resolve = (node: Node): Resolution => {
      const resolution = this.#resolve(node, scope, doubt);
      if (resolution.outputs !== undefined) scope.nodes.set(node.node_id, resolution.outputs);
      return resolution;
    };
    const resolved = fire(
      this.#world.fault === 'skips nothing' ? orOnly(this.#world.graph) : this.#world.graph,
      resolve,
    );
    for (const [node_id, { outcome, attempts }] of resolved) {
      if (outcome !== 'running') this.#trace.push({ node_id, outcome, attempts });
    }
    const worst = finalStatus(this.#world.graph, resolved);
    const ends = [...resolved.values()].some(({ outcome }) => outcome === 'completed');
    const reached = this.#world.fault === 'best terminal' && ends && worst !== 'in_doubt' ? 'completed' : worst;
    const outputs = reached === 'completed' ? workflowOutputs(this.#world.program, scope) : undefined;
    const status = reached === 'completed' && outputs === undefined ? 'failed' : reached;
    const over = this.#world.log.some(record => record.status === `workflow_${status}`);
    if (status !== 'in_doubt' && status !== 'running' && !over) {
      const error = status === 'failed' && reached === 'failed' ? failureOf(this.#world.graph, resolved) : undefined;
      const told = error === undefined ? {} : { ...error, error_detail: 'scripted' };
      this.#world.append({ record_type: 'workflow', status: `workflow_${status}`, execution_id: 'i1', ...told });
    }
    return { status, trace: this.#trace, ...(outputs === undefined ? {} : { outputs }) };
  }

  #resolve(node: Node, scope: ReturnType<typeof instanceScope>, doubt: () => boolean): Resolution {
    if (node.type === 'condition') return resolveCondition(node, this.#world.graph, scope);
    if (node.type === 'terminal') {
      const known = this.#world.log.some(
        record => record.record_type === 'terminal' && record.node_id === node.node_id,
      );
      if (!known && !doubt()) {
        const execution_id = this.#world.newId();
        this.#world.append({ record_type: 'terminal', status: node.status, execution_id, node_id: node.node_id });
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
    const action = resolveAction(node.action_def, this.#world.program);
    const last = this.#world.executions(node.node_id).at(-1);
    if (last === undefined || action === undefined) return 1;
    const records = this.#world.records(last);
    const end = records.at(-1);
    const attempt = end?.attempt ?? 1;
    const handled = handlesFailure(this.#world.graph, node.node_id);
    if (end?.status === 'pending') return 0;
    if (end?.status === 'in_doubt') return { outcome: 'in_doubt', attempts: attempt };
    if (end?.status === 'committed') {
      if (this.#world.fault === 'forgets commits' && end.incarnation !== this.#world.incarnation) return attempt;
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
    const action = resolveAction(node.action_def, this.#world.program);
    if (action === undefined) return;
    const mapped = evaluateObjectMapping(node.input_mapping ?? {}, scope);
    const inputs = 'value' in mapped ? mapped.value : undefined;
    const own = { inputs: inputs ?? {}, context: this.#world.program.context ?? {} };
    const key = `i1/${node.node_id}`;
    const mark: DrawnRecord = {
      ...{ record_type: 'action', status: 'pending', execution_id: this.#world.newId(), node_id: node.node_id },
      ...{ action_id: action.action_id, action_version: action.version, side_effects: action.side_effects ?? [] },
      ...{
        determinism: action.determinism,
        rollback: action.rollback,
        attempt: Math.max(1, attempt),
        idempotency_key: key,
      },
    };
    if (attempt === 0) {
      const waiting = this.#world.records(this.#world.executions(node.node_id).at(-1) ?? '')[0];
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
      this.#world.append({ ...mark, status: 'failed', error_class: 'E4', error_detail: 'not invoked' });
      return;
    }
    const degraded = before === 'degraded' ? { degraded: true as const } : {};
    if (this.#world.fault === 'invokes first') this.#call(node, mark, inputs ?? {});
    this.#world.append({ ...mark, inputs: inputs ?? {}, ...degraded });
    this.#execute(node, { ...mark, ...degraded }, own, scope, false);
  }

  #call(node: ActionNode, mark: DrawnRecord, inputs: LedgerEntry['inputs']): ReturnType<typeof nodeBehaviour> {
    const n =
      this.#world.ledger.filter(entry => entry.node_id === node.node_id && entry.action_id === mark.action_id).length +
      1;
    const behaviour = nodeBehaviour(this.#world.program.script, node.node_id, n);
    const { execution_id, idempotency_key = '', action_id = '', action_version: version = '', attempt = 1 } = mark;
    this.#world.invoke(
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
    const action = resolveAction(node.action_def, this.#world.program);
    if (action === undefined) return;
    const { degraded, ...plain } = mark;
    const called = this.#world.ledger.filter(entry => entry.execution_id === mark.execution_id).length > 0;
    const behaviour = called
      ? nodeBehaviour(this.#world.program.script, node.node_id, 1)
      : this.#call(node, mark, own.inputs);
    const answer = answerOf(behaviour, action, node, own, scope);
    if (answer.kind === 'never') throw new Error('the toy runtime does not wait for ever');
    if (answer.kind === 'success' && versionsHold(this.#world.fold(), answer.changes)) {
      const changes = answer.changes.length === 0 ? {} : { state_changes: [...answer.changes] };
      const soft = answer.degraded || degraded === true ? { degraded: true as const } : {};
      this.#world.append({ ...plain, status: 'committed', outputs: answer.result, ...changes, ...soft });
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
    const action = resolveAction(node.action_def, this.#world.program);
    if (action === undefined) return;
    const { execution_id, attempt = 1 } = mark;
    const { error_class, effect, refused } = failed;
    const left = !conflict && this.#world.fault !== 'never retries' && attempt <= retryLimit(error_class, action, node);
    const sure =
      action.rollback !== 'irreversible' || effect === 'none' || this.#world.probe(execution_id).verdict === 'absent';
    if (left && sure) {
      this.#world.append({ ...mark, status: 'failed', error_class, error_detail: 'to be retried' });
      return;
    }
    const entries = this.#world.ledger.filter(
      entry => entry.node_id === node.node_id && entry.action_id === mark.action_id,
    );
    const unknown = entries.some((_, index) => {
      const reply = nodeBehaviour(this.#world.program.script, node.node_id, index + 1).reply;
      return reply === undefined || !('error' in reply) || reply.error.effect !== 'none';
    });
    if (!hasSideEffects(action) || !(unknown || redo)) {
      this.#world.append({ ...mark, status: 'failed', error_class, error_detail: 'failed' });
      return;
    }
    const undo = undoAction(action, this.#world.program);
    const probe = refused ? 'unknown' : this.#world.probe(execution_id).verdict;
    this.#recovery.carryOut(
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
