/** The place of something in its family: the one above it, for a node of which it is there, and those below its own nodes. */
export class Kin<Member> {
  readonly self: Member;
  readonly #children = new Map<number, Kin<Member>>();
  #above: Kin<Member> | undefined;
  #node = -1;

  constructor(self: Member) {
    this.self = self;
  }

  /** The one above; undefined for the root. */
  get above(): Kin<Member> | undefined {
    return this.#above;
  }

  /** The node of the one above for which this one is there. */
  get node(): number {
    return this.#node;
  }

  get root(): Member {
    let root: Kin<Member> = this;
    while (root.#above !== undefined) root = root.#above;
    return root.self;
  }

  /** Itself and all descendants, ancestors first. */
  descent(): Member[] {
    const found: Kin<Member>[] = [this];
    for (let at = 0; at < found.length; at++) found.push(...(found[at] as Kin<Member>).#children.values());
    return found.map(({ self }) => self);
  }

  /** Takes one below a node. */
  adopt(node: number, child: Kin<Member>): void {
    this.#children.set(node, child);
    child.#above = this;
    child.#node = node;
  }

  /** Lets go of the one below a node, and gives it; it still knows who was above it. */
  release(node: number): Member | undefined {
    const child = this.#children.get(node);
    this.#children.delete(node);
    return child?.self;
  }
}
