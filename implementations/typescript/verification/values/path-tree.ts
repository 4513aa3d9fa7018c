import { grown, int32s } from '../../workflow/number-arrays.js';

/**
 * A tree that grows at its leaves and answers which of two vertices lies above the other, and where two paths part, in
 * logarithmic time and constant memory per vertex (skew-binary jump pointers, Myers 1983).
 */
export class PathTree {
  readonly root: number;
  #parent: Int32Array;
  #jump: Int32Array;
  #depth: Int32Array;

  /**
   * A tree with room for as many vertices below its root as `size` says, and for more once they are added. The root is the
   * vertex behind these, or vertex 0 where none of the others is asked about before it is added.
   */
  constructor(size: number, root = size) {
    this.root = root;
    this.#parent = int32s(size + 1);
    this.#jump = int32s(size + 1);
    this.#depth = int32s(size + 1);
    if (root > 0) for (const vertices of [this.#parent, this.#jump]) vertices.fill(root);
  }

  depth(vertex: number): number {
    return this.#depth[vertex] as number;
  }

  parent(vertex: number): number {
    return this.#parent[vertex] as number;
  }

  add(vertex: number, parent: number): void {
    if (vertex >= this.#parent.length) this.#grow(2 * vertex);
    const near = this.#jump[parent] as number;
    const far = this.#jump[near] as number;
    const even = this.depth(parent) - this.depth(near) === this.depth(near) - this.depth(far);
    this.#parent[vertex] = parent;
    this.#depth[vertex] = this.depth(parent) + 1;
    this.#jump[vertex] = even ? far : parent;
  }

  /** Whether the one vertex is the other or lies on its path to the root. */
  isAbove(upper: number, lower: number): boolean {
    return this.depth(upper) <= this.depth(lower) && this.#climb(lower, this.depth(upper)) === upper;
  }

  /** The vertex right below an upper one on the path to a lower one; -1 where there is none. */
  below(upper: number, lower: number): number {
    const depth = this.depth(upper);
    if (depth >= this.depth(lower)) return -1;
    const child = this.#climb(lower, depth + 1);
    return this.#parent[child] === upper ? child : -1;
  }

  /** The lowest vertex that lies above both. */
  meet(a: number, b: number): number {
    const depth = Math.min(this.depth(a), this.depth(b));
    let one = this.#climb(a, depth);
    let other = this.#climb(b, depth);
    while (one !== other) {
      const apart = this.#jump[one] !== this.#jump[other];
      one = (apart ? this.#jump[one] : this.#parent[one]) as number;
      other = (apart ? this.#jump[other] : this.#parent[other]) as number;
    }
    return one;
  }

  #grow(size: number): void {
    this.#parent = grown(this.#parent, size);
    this.#jump = grown(this.#jump, size);
    this.#depth = grown(this.#depth, size);
  }

  #climb(vertex: number, depth: number): number {
    let at = vertex;
    while (this.depth(at) > depth) {
      const jump = this.#jump[at] as number;
      at = this.depth(jump) >= depth ? jump : (this.#parent[at] as number);
    }
    return at;
  }
}
