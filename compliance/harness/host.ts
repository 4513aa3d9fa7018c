import type { ActionInvokeParams, ActionInvokeResult, ActionProbeParams, ProbeAnswer } from '../../schemas/types.js';
import type { Behaviour, LedgerEntry, Script } from '../program.js';
import { NO_ANSWER } from '../wire/peer.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry extends Mutable<LedgerEntry> {
  scripted?: ActionInvokeResult;
  /** The reply, and the effect that it brings, may still come. */
  open?: boolean;
}

/** Sees each invocation at two moments: when it came in, and when its reply has been sent. */
export type InvocationWatch = (when: 'receipt' | 'reply', entry: LedgerEntry) => void;

/** The actions of one program, hosted outside the runtime, so that what was invoked outlives every kill. */
export class ActionHost {
  readonly #script: Script;
  readonly #entries: Entry[] = [];
  readonly #used = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  readonly #watches = new Set<InvocationWatch>();
  readonly #cancels = new Set<string>();
  #held: (() => void)[] = [];
  #position = 0;
  #alive = 0;
  #last_at = performance.now();

  constructor(script: Script) {
    this.#script = script;
  }

  /** Everything that was asked so far, in the order of receipt. */
  ledger(): LedgerEntry[] {
    return this.#entries.map(({ scripted: _scripted, open: _open, ...entry }) => ({ ...entry }));
  }

  /** When the runtime last asked or was answered, on the clock of `performance.now()`. */
  get last_at(): number {
    return this.#last_at;
  }

  /** Takes the next position on the line of time. */
  tick(): number {
    this.#position += 1;
    this.#last_at = performance.now();
    return this.#position;
  }

  /** From here on only this incarnation is answered; what an earlier one has open is never answered. */
  begin(incarnation: number): void {
    this.#alive = incarnation;
    for (const entry of this.#entries) entry.open = false;
  }

  /** The incarnation is dead: nothing more is answered. */
  stop(): void {
    this.begin(0);
  }

  /** Calls the watch at the receipt of each invocation, and once each reply is on its way. Gives back how to end it. */
  watch(watch: InvocationWatch): () => void {
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  /** Lets the invocations that are held be answered. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const answer of held) answer();
  }

  /** Settles when something of an instance has been invoked, or after so many milliseconds. */
  async received(instance_id: string, within_ms: number): Promise<void> {
    if (this.#entries.some(entry => entry.instance_id === instance_id && entry.incarnation === this.#alive)) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, within_ms);
      const unwatch = this.watch((when, entry) => {
        if (when !== 'receipt' || entry.instance_id !== instance_id) return;
        unwatch();
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** How many invocations of the living incarnation wait for a reply that will never come. */
  hanging(): number {
    return this.#entries
      .filter(entry => entry.incarnation === this.#alive && entry.kind === 'invoke')
      .filter(entry => entry.scripted === undefined).length;
  }

  /** Executes one attempt as the script wants it. */
  async invoke(incarnation: number, params: ActionInvokeParams): Promise<ActionInvokeResult | typeof NO_ANSWER> {
    const behaviour = this.#behaviour(params);
    const entry = this.#receive('invoke', incarnation, params);
    if (behaviour.reply !== undefined) entry.scripted = behaviour.reply;
    const effect = behaviour.effect ?? (isFailure(behaviour.reply) ? 'never' : 'receipt');
    if (effect === 'receipt') entry.effect = true;
    entry.open = incarnation === this.#alive;
    this.#tell('receipt', entry);
    if (behaviour.held === true) await new Promise<void>(resolve => this.#held.push(resolve));
    await pause(behaviour.delay_ms);
    if (behaviour.reply === undefined || !entry.open) return NO_ANSWER;
    if (effect === 'reply') entry.effect = true;
    entry.open = false;
    this.#reply(entry, behaviour.reply);
    queueMicrotask(() => setImmediate(() => this.#tell('reply', entry)));
    return behaviour.reply;
  }

  /** Answers what became of an execution, as the script wants it or as the ledger knows it. */
  probe(incarnation: number, params: ActionProbeParams): ProbeAnswer | typeof NO_ANSWER {
    const entry = this.#receive('probe', incarnation, params);
    if (incarnation !== this.#alive) return NO_ANSWER;
    const scripted = this.#script.probes?.[params.node_id ?? ''] ?? { verdict: 'unknown' };
    const answer = scripted === 'ledger' ? this.#known(params.idempotency_key) : scripted;
    this.#reply(entry, answer);
    return answer;
  }

  /** The runtime does not want the result of this execution any more. */
  cancel(execution_id: string): void {
    this.#cancels.add(execution_id);
  }

  /** The executions whose results the runtime called off. */
  cancelled(): ReadonlySet<string> {
    return this.#cancels;
  }

  #behaviour(params: ActionInvokeParams): Behaviour {
    const by_action = own(this.#script.actions, params.action_id);
    const list = by_action ?? own(this.#script.nodes, params.node_id ?? '');
    const name = by_action === undefined ? `node ${params.node_id}` : `action ${params.action_id}`;
    const used = this.#used.get(name) ?? 0;
    this.#used.set(name, used + 1);
    const behaviour = list?.[Math.min(used, list.length - 1)];
    if (behaviour !== undefined) return behaviour;
    return { reply: { error: { error_class: 'E5', detail: `the script has no ${name}`, effect: 'none' } } };
  }

  #receive(kind: LedgerEntry['kind'], incarnation: number, params: ActionInvokeParams | ActionProbeParams): Entry {
    const counter = `${kind} ${incarnation}`;
    const ordinal = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, ordinal);
    const { execution_id, idempotency_key, action_id, version, inputs, node_id, attempt } = params;
    const entry: Entry = {
      ...{ kind, incarnation, ordinal, execution_id, idempotency_key, action_id, version, inputs },
      ...(node_id === undefined ? {} : { node_id }),
      ...('instance_id' in params && params.instance_id !== undefined ? { instance_id: params.instance_id } : {}),
      ...(attempt === undefined ? {} : { attempt }),
      effect: false,
      received_at: this.tick(),
    };
    this.#entries.push(entry);
    return entry;
  }

  #reply(entry: Entry, reply: unknown): void {
    entry.reply = reply;
    entry.replied_at = this.tick();
  }

  #known(idempotency_key: string): ProbeAnswer {
    const same = this.#entries.filter(entry => entry.kind === 'invoke' && entry.idempotency_key === idempotency_key);
    const applied = same.findLast(entry => entry.effect);
    if (applied === undefined) return { verdict: same.some(entry => entry.open) ? 'unknown' : 'absent' };
    const reply = applied.scripted;
    if (reply === undefined || isFailure(reply)) return { verdict: 'partial' };
    const { outputs, state_changes, evidence } = reply as Exclude<ActionInvokeResult, { error: unknown }>;
    return {
      verdict: 'applied',
      outputs,
      ...(state_changes === undefined ? {} : { state_changes }),
      ...(evidence === undefined ? {} : { evidence }),
    };
  }

  #tell(when: 'receipt' | 'reply', entry: Entry): void {
    for (const watch of [...this.#watches]) watch(when, entry);
  }
}

function own<T>(map: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

function isFailure(reply: ActionInvokeResult | undefined): boolean {
  return reply !== undefined && 'error' in reply;
}

function pause(ms: number | undefined): Promise<void> {
  return ms === undefined || ms <= 0 ? Promise.resolve() : new Promise(resolve => setTimeout(resolve, ms).unref());
}
