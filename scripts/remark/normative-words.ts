import { FAMILY_OF } from '../catalogue.js';
import { keyWordsIn, unclearWordsIn } from '../key-words.js';

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
/** Where a word that only sounds like a key word would be read as one. */
const SPECIFICATION = /(?:^|\/)spec\//;
const CONVENTION = /\bRFC 2119\b|\bBCP 14\b/;

/**
 * A remark plugin that warns of key words of RFC 2119 outside the one sentence of a requirement, and in the
 * specification of words such as a lower-case must, which leave open whether they bind.
 *
 * The paragraph that says how key words are to be read, and code, may hold them.
 */
export function normativeWords(): (tree: Node, file: File) => void {
  return (tree, file) => {
    if (GENERATED.test(file.path ?? '')) return;
    const blocks = tree.children ?? [];
    for (const [index, block] of blocks.entries()) {
      const text = textOf(block);
      if (CONVENTION.test(text)) continue;
      const warn = (reason: string): void =>
        void file.message(reason, { place: (block as { position?: unknown }).position as never });
      if (SPECIFICATION.test(file.path ?? ''))
        for (const word of unclearWordsIn(text))
          warn(`"${word}" leaves open whether it binds; say what is (it is refused), or state a requirement`);
      if (isRequirement(blocks[index - 1])) continue;
      for (const word of keyWordsIn(text)) {
        warn(`"${word}" stands outside the sentence of a requirement; say what is, or state a requirement`);
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
