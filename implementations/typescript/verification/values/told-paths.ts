import type { Path } from '../../workflow/mapping.js';
import type { Read } from './reads.js';

/** The paths that a finding was given for at the place that was judged last; what one place reads comes together. */
export class ToldPaths {
  #reader: number | undefined;
  #pointer: string | undefined;
  #action: Read['action'];
  readonly #paths = new Set<string>();

  /** Whether the path has no finding at its place yet; from then on it has. */
  isNew({ reader, pointer, action }: Read, path: Path): boolean {
    if (reader !== this.#reader || pointer !== this.#pointer || action !== this.#action) {
      this.#reader = reader;
      this.#pointer = pointer;
      this.#action = action;
      this.#paths.clear();
    }
    const { size } = this.#paths;
    this.#paths.add(JSON.stringify(path));
    return this.#paths.size > size;
  }
}
