import type { AuditRecord } from '../../schemas/types.js';
import { DEFAULT_AGENT, type Program, type UndoOutcome, type UndoWish } from '../program.js';
import { answered } from './answered.js';
import type { ActionHost } from './host.js';
import type { Session } from './session.js';
import { exportLog, recordsOf } from './setup.js';

/** What every request says of why. */
const EVIDENCE = { why: 'asked for by the compliance suite' };

/** The wishes of a program to have something undone, and what became of them. */
export class UndoWishes {
  readonly outcomes: UndoOutcome[] = [];
  readonly #session: Session;
  readonly #host: ActionHost;
  readonly #program: Program;
  #next = 0;

  constructor(session: Session, host: ActionHost, program: Program) {
    this.#session = session;
    this.#host = host;
    this.#program = program;
  }

  /** Asks for everything that has not been answered. Without a log nothing can be named, and nothing is asked for. */
  async ask(): Promise<void> {
    const wishes = this.#program.undos ?? [];
    if (!this.#session.has('audit')) return;
    for (let wish = wishes[this.#next]; wish !== undefined; wish = wishes[this.#next]) {
      const before = await this.#records();
      const target = this.#targetOf(wish, before);
      if (target !== undefined) this.outcomes.push(await this.#request(wish, target, before.length));
      this.#next += 1;
    }
  }

  async #request(wish: UndoWish, execution_id: string, before: number): Promise<UndoOutcome> {
    const invoked = this.#invocations();
    const params = {
      execution_id,
      agent_id: wish.agent_id ?? this.#program.agent_id ?? DEFAULT_AGENT,
      ...(wish.without_evidence === true ? {} : { evidence: EVIDENCE }),
    };
    const ask = () => answered(this.#session.request('execution/rollback', params));
    const answers = await Promise.all(Array.from({ length: wish.times ?? 1 }, ask));
    return {
      wish: this.#next,
      target: execution_id,
      answers: answers.map(answer => ('error' in answer ? answer : answer.result)),
      records: (await this.#records()).length - before,
      invocations: this.#invocations() - invoked,
    };
  }

  #targetOf({ of }: UndoWish, log: readonly AuditRecord[]): string | undefined {
    if ('undo' in of) {
      const answer = this.outcomes.find(({ wish }) => wish === of.undo)?.answers[0];
      return answer !== undefined && 'execution_id' in answer ? answer.execution_id : undefined;
    }
    return log.findLast(
      ({ record_type, node_id, purpose = 'execute' }) =>
        record_type === 'action' && node_id === of.node_id && purpose === 'execute',
    )?.execution_id;
  }

  async #records(): Promise<readonly AuditRecord[]> {
    return recordsOf(await exportLog(this.#session), []);
  }

  #invocations(): number {
    return this.#host.ledger().filter(({ kind }) => kind === 'invoke').length;
  }
}
