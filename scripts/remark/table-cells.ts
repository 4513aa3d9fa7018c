/** The part of a Markdown syntax tree that the rule looks at. */
interface Node {
  readonly type: string;
  readonly position?: unknown;
  readonly children?: readonly Node[];
}

interface File {
  message(reason: string, place: { readonly place: never }): unknown;
}

/**
 * A remark plugin that warns of a row of a table with more or fewer cells than the head has.
 *
 * What goes beyond the head is not shown to a reader; mostly it is a `|` in code that lacks its backslash.
 */
export function tableCells(): (tree: Node, file: File) => void {
  return (tree, file) => {
    const waiting: Node[] = [tree];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const children = node.children ?? [];
      if (node.type !== 'table') {
        for (const child of children) waiting.push(child);
        continue;
      }
      const wanted = children[0]?.children?.length ?? 0;
      for (const row of children) {
        const cells = row.children?.length ?? 0;
        if (cells === wanted) continue;
        const reason = `the row has ${cells} cells and the head of its table ${wanted}; a | inside of a cell is written \\|`;
        file.message(reason, { place: row.position as never });
      }
    }
  };
}
