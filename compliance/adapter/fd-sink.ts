import { writeSync } from 'node:fs';
import type { LineSink } from '../wire/sink.js';

/** How long a writer sleeps before it tries a full pipe again, in milliseconds. */
const RETRY_MS = 1;

/**
 * A sink over a file descriptor that can also be written to synchronously, in the same order. A full pipe never blocks
 * the event loop, so that reading goes on.
 */
export class FdSink implements LineSink {
  readonly #fd: number;
  #waiting: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #broken = false;
  #ended = false;
  #idle: (() => void)[] = [];

  /** @param fd an open file descriptor, best one that does not block */
  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#broken || this.#ended) return;
    this.#waiting.push(Buffer.from(`${line}\n`));
    this.#pump();
  }

  /** Writes everything that waits and then the line, and returns when the reader's side of the pipe has all of it. */
  writeNow(line: string): void {
    this.#waiting.push(Buffer.from(`${line}\n`));
    const cell = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#broken && !this.#drain()) Atomics.wait(cell, 0, 0, RETRY_MS);
  }

  flushed(): Promise<void> {
    if (this.#broken || this.#waiting.length === 0) return Promise.resolve();
    return new Promise(resolve => this.#idle.push(resolve));
  }

  end(): void {
    this.#ended = true;
  }

  #pump(): void {
    if (this.#timer !== undefined) return;
    if (this.#drain()) {
      const idle = this.#idle;
      this.#idle = [];
      for (const resolve of idle) resolve();
    } else {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#pump();
      }, RETRY_MS);
    }
  }

  /** True when nothing waits any more; false when the pipe is full. */
  #drain(): boolean {
    let done = 0;
    try {
      for (; done < this.#waiting.length; done += 1) {
        let rest = this.#waiting[done] as Buffer;
        while (rest.length > 0) {
          rest = rest.subarray(writeSync(this.#fd, rest));
          this.#waiting[done] = rest;
        }
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.#broken = true;
    }
    this.#waiting = this.#broken ? [] : this.#waiting.slice(done);
    return this.#waiting.length === 0;
  }
}
