/** Work that was given under a name. Neither promise rejects. */
interface Line {
  /** The end of the last work that has its turn alone. */
  readonly alone: Promise<void>;
  /** The ends of work that was given since and goes on side by side. */
  readonly beside: Set<Promise<void>>;
}

/**
 * Work under names, one after the other under each: who decides by what is stored sees what those before have stored. Those
 * who only rely on what is stored go on side by side, none of them beside one who changes it.
 */
export class Turns {
  readonly #lines = new Map<string, Line>();

  /** Does the work after all work that was given under the same name before, and gives its result. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { alone, beside } = this.#lines.get(name) ?? newLine();
    const turn = Promise.all([alone, ...beside]).then(work);
    const line = newLine(endOf(turn));
    this.#lines.set(name, line);
    try {
      return await turn;
    } finally {
      this.#leave(name, line);
    }
  }

  /** Does the work after all that {@link Turns.take} was given before, which waits in turn until this has ended. */
  async share<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? newLine();
    this.#lines.set(name, line);
    const turn = line.alone.then(work);
    const ended = endOf(turn);
    line.beside.add(ended);
    try {
      return await turn;
    } finally {
      line.beside.delete(ended);
      this.#leave(name, line);
    }
  }

  /** Whether work that was given under the name has not ended. */
  isTaken(name: string): boolean {
    return this.#lines.has(name);
  }

  #leave(name: string, line: Line): void {
    if (line.beside.size === 0 && this.#lines.get(name) === line) this.#lines.delete(name);
  }
}

function newLine(alone: Promise<void> = Promise.resolve()): Line {
  return { alone, beside: new Set() };
}

function endOf(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => undefined,
    () => undefined,
  );
}
