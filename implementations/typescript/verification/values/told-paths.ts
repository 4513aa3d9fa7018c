import type { Path } from '../../workflow/mapping.js';
import type { Read } from './reads.js';

/** The paths that a finding was given for at the place that was judged last; what one place reads comes together. */
export class ToldPaths {
  #last: Read | undefined;
  #first: Path = [];
  /** Undefined while the first is the only one. */
  #paths: Set<string> | undefined;

  /** Whether the path has no finding at its place yet; from then on it has. */
  isNew(read: Read, path: Path): boolean {
    if (this.#last === undefined || !isSamePlace(this.#last, read)) {
      this.#last = read;
      this.#first = path;
      this.#paths = undefined;
      return true;
    }
    this.#paths ??= new Set([JSON.stringify(this.#first)]);
    const { size } = this.#paths;
    return this.#paths.add(JSON.stringify(path)).size > size;
  }
}

function isSamePlace(one: Read, other: Read): boolean {
  return one.reader === other.reader && one.pointer === other.pointer && one.action === other.action;
}
