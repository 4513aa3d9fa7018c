/** Work under names, one after the other under each: who decides by what is stored sees what those before have stored. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work after all work that was given under the same name before, and gives its result. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
