import type { Writable } from 'node:stream';

/** Where the lines of one side go. */
export interface LineSink {
  /** Takes a line; never blocks and never throws. Lines leave in the order in which they were given. */
  write(line: string): void;
  /** Settles when all lines given so far have left the process, or can't leave it any more. */
  flushed(): Promise<void>;
  /** Takes no further line, and closes what is behind it once the lines are out. */
  end(): void;
}

/** The most bytes that wait for a reader who does not read. */
const BACKLOG_CAP = 256 * 1024 * 1024;

/**
 * A sink over a stream: hands over one line after the other and waits wherever the stream asks it to. Lines that are given
 * at one time leave together, so that requests that are to meet do so also where the machine is busy.
 */
export class StreamSink implements LineSink {
  readonly #stream: Writable;
  readonly #onOverflow: () => void;
  readonly #waiting: string[] = [];
  #next = 0;
  #bytes = 0;
  #blocked = false;
  /** Lines are with the stream that it holds until all of this time are. */
  #held = false;
  #broken = false;
  #ended = false;
  #idle: (() => void)[] = [];

  constructor(stream: Writable, onOverflow: () => void = () => {}) {
    this.#stream = stream;
    this.#onOverflow = onOverflow;
    stream.on('drain', () => {
      this.#blocked = false;
      this.#pump();
    });
    stream.on('error', () => this.#break());
    stream.on('close', () => this.#break());
  }

  write(line: string): void {
    if (this.#broken || this.#ended) return;
    this.#waiting.push(line);
    this.#bytes += line.length;
    if (this.#bytes > BACKLOG_CAP) {
      this.#break();
      this.#onOverflow();
      return;
    }
    this.#hold();
    this.#pump();
  }

  flushed(): Promise<void> {
    if (this.#broken || this.#isIdle()) return Promise.resolve();
    return new Promise(resolve => this.#idle.push(resolve));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.flushed().then(() => this.#stream.end());
  }

  #isIdle(): boolean {
    return this.#next === this.#waiting.length && !this.#blocked && !this.#held;
  }

  #hold(): void {
    if (this.#held) return;
    this.#held = true;
    this.#stream.cork();
    process.nextTick(() => {
      this.#held = false;
      this.#stream.uncork();
      if (this.#isIdle()) this.#settle();
    });
  }

  #pump(): void {
    while (!this.#blocked && !this.#broken && this.#next < this.#waiting.length) {
      const line = this.#waiting[this.#next] ?? '';
      this.#next += 1;
      this.#bytes -= line.length;
      this.#blocked = !this.#stream.write(`${line}\n`);
    }
    if (this.#next === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#next = 0;
      if (this.#isIdle()) this.#settle();
    }
  }

  #break(): void {
    this.#broken = true;
    this.#waiting.length = 0;
    this.#next = 0;
    this.#settle();
  }

  #settle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
