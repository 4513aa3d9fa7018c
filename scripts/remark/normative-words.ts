import { FAMILY_OF } from '../catalogue.js';
import { keyWordsIn } from '../key-words.js';

/** The part of a Markdown syntax tree that the rule looks at. */
interface Node {
  readonly type: string;
  readonly value?: string;
  readonly depth?: number;
  readonly children?: readonly Node[];
}

interface File {
  readonly path?: string;
  message(reason: string, place: { readonly place: never }): unknown;
}

/** Where the sentences of the chapters are repeated by a generator. */
const GENERATED = /(?:^|\/)reference\//;
const CONVENTION = /\bRFC 2119\b|\bBCP 14\b/;

/**
 * A remark plugin that warns of key words of RFC 2119 outside the one sentence of a requirement.
 *
 * The paragraph that says how key words are to be read, and code, may hold them.
 */
export function normativeWords(): (tree: Node, file: File) => void {
  return (tree, file) => {
    if (GENERATED.test(file.path ?? '')) return;
    const blocks = tree.children ?? [];
    for (const [index, block] of blocks.entries()) {
      const text = textOf(block);
      if (isRequirement(blocks[index - 1]) || CONVENTION.test(text)) continue;
      for (const word of keyWordsIn(text)) {
        const reason = `"${word}" stands outside the sentence of a requirement; write it in lower case or state a requirement`;
        file.message(reason, { place: (block as { position?: unknown }).position as never });
      }
    }
  };
}

/** Whether a block is a heading that is exactly an identifier. */
function isRequirement(block: Node | undefined): boolean {
  return block?.type === 'heading' && block.depth === 4 && FAMILY_OF.has(textOf(block));
}

/** The prose of a block, without code. */
function textOf(node: Node): string {
  if (node.type === 'text') return node.value ?? '';
  if (node.children === undefined) return '';
  return node.children.map(textOf).join(node.type === 'paragraph' || node.type === 'heading' ? '' : '\n');
}
