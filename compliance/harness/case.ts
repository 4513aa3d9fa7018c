import type { AuditRecord, RecoveryReport, WorkflowWaitResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { DEFAULT_AGENT, type Observation, OWNER, type Program } from '../program.js';
import { violationText } from '../wire/event.js';
import { answered } from './answered.js';
import { type Consent, seekConsent } from './consent.js';
import { ActionHost } from './host.js';
import { KillTrap } from './kill-trap.js';
import type { Session } from './session.js';
import { exportLog, recordsOf, setUp, startParams } from './setup.js';
import { UndoWishes } from './undo-wishes.js';

/** Under this key each program's workflow is started, and asked for again where the answer was lost. */
const REQUEST_KEY = 'program';

/** How long one `workflow/wait` waits, in milliseconds. */
const SLICE_MS = 1000;

/**
 * Everything that is seen of a program that runs in a workspace of its own, with its kills delivered.
 *
 * Rejects with a SuiteError where the adapter breaks the protocol (`protocol`), ends by itself (`adapter_exit`), is too
 * slow (`timeout`) or refuses a step that no program may be refused (`request_failed`). A refused start is an observation.
 */
export async function runProgram(session: Session, program: Program): Promise<Observation> {
  const run = new ProgramRun(session, program);
  return session.inCase(
    run.host,
    () => run.execute(),
    () => run.spoilt,
  );
}

/** Gives a function an open workspace of its own, for steps that no program describes. */
export async function withWorkspace<T>(
  session: Session,
  program: Program,
  steps: (host: ActionHost) => Promise<T>,
): Promise<T> {
  const host = new ActionHost(program.script);
  return session.inCase(host, async () => {
    await session.open();
    await setUp(session, program);
    return steps(host);
  });
}

/** What a runtime may answer about an instance that it does not have, or that is not to be continued. */
const REFUSALS: ReadonlySet<unknown> = new Set(['not_found', 'illegal_state', 'conflict', 'denied']);

function kindOf(error: unknown): unknown {
  return error instanceof SuiteError && error.code === 'request_failed' ? error.details.kind : undefined;
}

class ProgramRun {
  readonly host: ActionHost;
  readonly #session: Session;
  readonly #program: Program;
  readonly #recoveries: (RecoveryReport | null)[] = [];
  readonly #exports: string[] = [];
  readonly #killed_at: number[] = [];
  readonly #undos: UndoWishes;
  #consent: Consent = {};
  #start: Observation['start'] | undefined;
  #wait: WorkflowWaitResult | undefined;
  #armed_in_vain = false;
  #cancelled_at: number | undefined;
  #resumed: Observation['resumed'];

  constructor(session: Session, program: Program) {
    this.#session = session;
    this.#program = program;
    this.host = new ActionHost(program.script);
    this.#undos = new UndoWishes(session, this.host, program);
  }

  /** Whether the process still has something of this case in it: an armed point, or an instance that runs. */
  get spoilt(): boolean {
    return this.#armed_in_vain || this.#wait?.status === 'running';
  }

  async execute(): Promise<Observation> {
    for (let incarnation = 1; ; incarnation += 1) {
      const killed_at = await this.#live(incarnation);
      if (killed_at === undefined) break;
      this.#killed_at.push(killed_at);
    }
    return this.#collect();
  }

  /** Lives through one incarnation and gives back when it was killed, or undefined where it was not. */
  async #live(incarnation: number): Promise<number | undefined> {
    const trap = new KillTrap(this.#session, this.host, this.#program.kills[incarnation - 1]);
    try {
      if (incarnation === 1) await this.#begin(trap);
      else await this.#continue(trap);
      if (this.#wait !== undefined && this.#wait.status !== 'running') await this.#undos.ask();
      trap.clear();
    } catch (error) {
      trap.clear();
      if ((await trap.sprung()) === undefined) throw error;
    }
    const killed_at = await trap.sprung();
    this.#armed_in_vain = trap.armed && killed_at === undefined;
    return killed_at;
  }

  async #begin(trap: KillTrap): Promise<void> {
    this.#recoveries.push(await this.#session.open());
    await setUp(this.#session, this.#program);
    this.#consent = await seekConsent(this.#session, this.#program);
    await trap.set();
    const unwatch = this.#cancelWhenDue();
    await this.#ask();
    await this.#follow();
    unwatch();
    if (this.#program.resume === true) await this.#resumeEnded();
  }

  /** Cancels the instance at the receipt of the invocation that the program says; gives how to end the waiting. */
  #cancelWhenDue(): () => void {
    const { cancel_at, agent_id = DEFAULT_AGENT } = this.#program;
    if (cancel_at === undefined) return () => {};
    return this.host.watch((when, { ordinal, kind, instance_id }) => {
      if (when !== 'receipt' || kind !== 'invoke' || ordinal !== cancel_at) return;
      const execution_id = this.#instance() ?? instance_id;
      if (execution_id === undefined) return;
      void answered(this.#session.request('workflow/cancel', { execution_id, agent_id })).then(
        answer => {
          if (!('error' in answer)) this.#cancelled_at = this.host.tick();
        },
        () => undefined,
      );
    });
  }

  async #resumeEnded(): Promise<void> {
    const execution_id = this.#instance();
    if (execution_id === undefined || this.#wait === undefined || this.#wait.status === 'running') return;
    const { agent_id = DEFAULT_AGENT } = this.#program;
    // The confirmation of the first start is used up, and a new instance needs one of its own.
    const { confirmation_id } =
      this.#wait.status === 'completed' ? {} : await seekConsent(this.#session, this.#program);
    const more = confirmation_id === undefined ? {} : { confirmation_id };
    const answer = await answered(this.#session.request('workflow/resume', { execution_id, agent_id, ...more }));
    if ('error' in answer) {
      this.#resumed = { answer };
      return;
    }
    const { result } = answer;
    const id = result.execution_id;
    const wait = id === undefined || id === execution_id ? undefined : await this.#look(id, 4 * SLICE_MS);
    this.#resumed = { answer: result, ...(wait === undefined ? {} : { wait }) };
  }

  async #continue(trap: KillTrap): Promise<void> {
    const session = this.#session;
    await session.prepare();
    await trap.set();
    this.#recoveries.push(await session.open());
    if (session.has('audit')) this.#exports.push(await exportLog(session));
    if (this.#start === undefined) await this.#ask();
    const execution_id = this.#instance();
    if (execution_id === undefined) return;
    if (session.identity.continuation === 'resume') {
      this.#wait = await this.#look(execution_id, 0);
      if (this.#wait !== undefined && this.#wait.status !== 'running') return;
      await this.#resume(execution_id);
    }
    await this.#follow();
  }

  /** A refusal is no end: what became of the instance is seen by waiting for it. */
  async #resume(execution_id: string): Promise<void> {
    const params = { execution_id, agent_id: this.#program.agent_id ?? DEFAULT_AGENT };
    try {
      await this.#session.request('workflow/resume', params);
    } catch (error) {
      if (!REFUSALS.has(kindOf(error))) throw error;
    }
  }

  async #ask(): Promise<void> {
    const { confirmation_id } = this.#consent;
    const more = confirmation_id === undefined ? {} : { confirmation_id };
    const params = startParams(this.#program, { request_key: REQUEST_KEY, ...more });
    const answer = await answered(this.#session.request('workflow/start', params));
    this.#start = 'error' in answer ? answer : answer.result;
  }

  /** Where the instance stands; undefined where the runtime does not know it, or only once it is resumed. */
  async #look(execution_id: string, budget_ms: number): Promise<WorkflowWaitResult | undefined> {
    const session = this.#session;
    try {
      const options = { budget_ms: session.request_ms + budget_ms };
      return await session.request('workflow/wait', { execution_id, budget_ms }, options);
    } catch (error) {
      if (REFUSALS.has(kindOf(error))) return undefined;
      throw error;
    }
  }

  async #follow(): Promise<void> {
    const execution_id = this.#instance();
    if (execution_id === undefined) return;
    const session = this.#session;
    const slice = SLICE_MS * session.scale;
    const give_up = performance.now() + 0.8 * session.case_ms;
    const quiet_ms = slice + 2 * longestPause(this.#program);
    for (;;) {
      const began = performance.now();
      this.#wait = await this.#look(execution_id, Math.round(slice));
      if (this.#wait?.status !== 'running') return;
      const now = performance.now();
      if (now > give_up || (this.host.hanging() > 0 && now - this.host.last_at > quiet_ms)) return;
      await new Promise(resolve => setTimeout(resolve, Math.max(0, Math.min(50, slice - (now - began)))));
    }
  }

  #instance(): string | undefined {
    return this.#start !== undefined && 'execution_id' in this.#start ? this.#start.execution_id : undefined;
  }

  async #collect(): Promise<Observation> {
    const session = this.#session;
    const violations = session.events.map(violationText);
    const seen: { log?: AuditRecord[]; exports?: string[]; state?: Observation['state'] } = {};
    if (session.has('audit')) {
      const text = await exportLog(session);
      seen.exports = [...this.#exports, text];
      seen.log = recordsOf(text, violations);
    }
    if (session.has('state')) seen.state = (await session.request('state/get', { agent_id: OWNER })).state;
    const { log, exports, state } = seen;
    const { dry_run } = this.#consent;
    return {
      ...(dry_run === undefined ? {} : { dry_run }),
      start: this.#start as Observation['start'],
      ...(this.#wait === undefined ? {} : { wait: this.#wait }),
      ...(this.#cancelled_at === undefined ? {} : { cancelled_at: this.#cancelled_at }),
      ...(this.#resumed === undefined ? {} : { resumed: this.#resumed }),
      ledger: this.host.ledger(),
      ...(log === undefined ? {} : { log }),
      ...(exports === undefined ? {} : { exports }),
      ...(state === undefined ? {} : { state }),
      recoveries: this.#recoveries,
      ...(this.#program.undos === undefined ? {} : { undos: this.#undos.outcomes }),
      kills: this.#killed_at.length,
      killed_at: this.#killed_at,
      violations,
    };
  }
}

/** The longest time for which the runtime may rightly say nothing, in milliseconds: a timeout or a wait before a retry. */
function longestPause(program: Program): number {
  const workflows = [program.workflow, ...(program.registry?.workflows ?? [])];
  const actions = [...(program.registry?.actions ?? []), ...workflows.flatMap(({ actions: own }) => own ?? [])];
  let longest = 0;
  for (const { timeout_ms } of actions) longest = Math.max(longest, Math.min(timeout_ms ?? 0, 10_000));
  for (const node of workflows.flatMap(({ nodes }) => nodes)) {
    if (node.type === 'action') longest = Math.max(longest, Math.min(node.timeout_ms ?? 0, 10_000));
    if (node.type === 'action')
      longest = Math.max(longest, node.retry_policy?.max_backoff_ms ?? node.retry_policy?.backoff_ms ?? 0);
    if (node.type === 'error') longest = Math.max(longest, node.backoff_ms ?? 0);
  }
  return longest;
}
