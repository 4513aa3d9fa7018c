import type { Kill } from '../program.js';
import type { ActionHost } from './host.js';
import type { Session } from './session.js';

/** Waits for the moment at which one incarnation is to die, and kills it then. */
export class KillTrap {
  readonly #session: Session;
  readonly #host: ActionHost;
  readonly #kill: Kill | undefined;
  #unwatch: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #death: Promise<void> | undefined;
  #position = 0;
  #armed = false;
  #cleared = false;

  /** @param kill where the incarnation dies; absent means that it is left alone */
  constructor(session: Session, host: ActionHost, kill: Kill | undefined) {
    this.#session = session;
    this.#host = host;
    this.#kill = kill;
  }

  /** Whether a point was armed; a process in which it was not reached can't serve another case. */
  get armed(): boolean {
    return this.#armed;
  }

  /** From here on the moment may come. A point that the runtime does not declare is never reached. */
  async set(): Promise<void> {
    const kill = this.#kill;
    if (kill?.at === 'time') this.#timer = setTimeout(() => this.#spring(), kill.after_ms);
    else if (kill?.at === 'invocation')
      this.#unwatch = this.#host.watch((when, entry) => this.#see(kill, when, entry.ordinal));
    else if (kill?.at === 'point' && this.#session.identity.fault_points?.includes(kill.point) === true) {
      this.#session.onPoint(kill.point, () => this.#spring());
      this.#armed = true;
      const { point: name, occurrence } = kill;
      await this.#session.request('fault/arm', { name, occurrence, effect: 'kill' });
    }
  }

  /** The position at which the kill was delivered, once the process is dead; undefined where it was not. */
  async sprung(): Promise<number | undefined> {
    if (this.#death === undefined) return undefined;
    await this.#death;
    return this.#position;
  }

  /** Ends the waiting. */
  clear(): void {
    this.#cleared = true;
    clearTimeout(this.#timer);
    this.#unwatch();
    this.#session.offPoint();
  }

  #see(kill: Extract<Kill, { at: 'invocation' }>, when: 'receipt' | 'reply', ordinal: number): void {
    if (when !== kill.when || ordinal !== kill.ordinal) return;
    if (when === 'receipt') this.#spring();
    else void this.#session.flushed().then(() => this.#spring());
  }

  #spring(): void {
    if (this.#death !== undefined || this.#cleared) return;
    this.#position = this.#host.tick();
    this.#death = this.#session.kill();
  }
}
