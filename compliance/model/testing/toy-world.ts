import type { ActionNode } from '../../../schemas/types.js';
import type { DrawnRecord } from '../../history/sample.js';
import type { LedgerEntry, Program } from '../../program.js';
import { resolveAction } from '../contract.js';
import { type Graph, graphOf } from '../firing.js';
import { effectMoment, hostedProbe, nodeBehaviour, readProbe } from '../script.js';
import { applyChanges, type Fold } from '../state.js';

/** One way in which the toy runtime does wrong, for tests of the judge. */
export type Fault =
  | 'none'
  | 'forgets commits'
  | 'redoes anything'
  | 'invokes first'
  | 'skips nothing'
  | 'never retries'
  | 'undoes nothing'
  | 'best terminal';

/** What ends an incarnation of the toy runtime. */
export class Killed extends Error {}

/** What is outside of the toy runtime: its log, the actions that are hosted, and the kill that comes after so many steps. */
export class ToyWorld {
  readonly program: Program;
  readonly graph: Graph;
  readonly fault: Fault;
  readonly log: DrawnRecord[] = [];
  readonly ledger: (LedgerEntry & { effect: boolean; replied_at?: number; reply?: unknown })[] = [];
  incarnation = 0;
  readonly #kills: readonly number[];
  #steps = 0;
  #ids = 0;
  #time = 0;

  constructor(program: Program, kills: readonly number[], fault: Fault) {
    this.program = program;
    this.graph = graphOf(program.workflow);
    this.#kills = kills;
    this.fault = fault;
  }

  /** Begins the next incarnation. */
  begin(): void {
    this.incarnation += 1;
    this.#steps = this.#kills[this.incarnation - 1] ?? Number.POSITIVE_INFINITY;
  }

  #step(): void {
    this.#steps -= 1;
    if (this.#steps < 0) throw new Killed();
  }

  append(...records: DrawnRecord[]): void {
    this.#step();
    for (const record of records) this.log.push({ ...record, incarnation: this.incarnation });
    this.#step();
  }

  fold(): Fold {
    const fold: Fold = new Map();
    for (const record of this.log) {
      if (record.record_type === 'action' && record.status === 'committed') {
        applyChanges(fold, record.state_changes ?? [], record.execution_id);
      }
    }
    return fold;
  }

  newId(): string {
    this.#ids += 1;
    return `e${this.#ids}`;
  }

  records(execution_id: string): DrawnRecord[] {
    return this.log.filter(record => record.record_type === 'action' && record.execution_id === execution_id);
  }

  executions(node_id: string): string[] {
    const own = this.log.filter(
      record => record.record_type === 'action' && record.node_id === node_id && record.purpose === undefined,
    );
    return [...new Set(own.map(record => record.execution_id))];
  }

  nodeOf(execution_id: string): ActionNode {
    const id = this.records(execution_id)[0]?.node_id ?? '';
    return this.graph.nodes.get(id) as ActionNode;
  }

  probe(execution_id: string): ReturnType<typeof readProbe> {
    const node = this.nodeOf(execution_id);
    const action = resolveAction(node.action_def, this.program);
    if (action === undefined) return { verdict: 'unknown' };
    const entries = this.ledger.filter(entry => entry.node_id === node.node_id);
    const applied = entries.findLastIndex(entry => entry.effect);
    const behaviour = nodeBehaviour(this.program.script, node.node_id, applied === -1 ? 1 : applied + 1);
    return readProbe(action, hostedProbe(this.program.script, node.node_id, applied !== -1, behaviour));
  }

  invoke(
    call: Pick<
      LedgerEntry,
      'execution_id' | 'idempotency_key' | 'action_id' | 'version' | 'attempt' | 'inputs' | 'node_id'
    >,
    behaviour: ReturnType<typeof nodeBehaviour>,
  ): void {
    const ordinal = this.ledger.filter(entry => entry.incarnation === this.incarnation).length + 1;
    const moment = effectMoment(behaviour);
    this.#time += 1;
    const entry = {
      kind: 'invoke' as const,
      incarnation: this.incarnation,
      ordinal,
      instance_id: 'i1',
      effect: moment === 'receipt',
      received_at: this.#time,
      ...call,
    };
    this.ledger.push(entry);
    this.#step();
    this.#time += 1;
    const place = this.ledger.length - 1;
    if (behaviour.reply !== undefined) {
      const effect = entry.effect || moment === 'reply';
      this.ledger[place] = { ...entry, effect, reply: behaviour.reply, replied_at: this.#time };
    }
    this.#step();
  }
}
