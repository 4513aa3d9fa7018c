import { type Fence, fencesOf } from '../fences.js';
import { isPlayed, rewritten, withBlocks } from './block.js';
import { makeStage, play } from './play.js';

/** A document with its outputs as they are now. */
export interface PlayedDocument {
  readonly text: string;
  /** The blocks whose outputs differ from what they showed, each as `file:line`. */
  readonly differing: readonly string[];
}

/** Plays the console blocks of a document one after the other, as a reader would type them. */
export async function playDocument(path: string, markdown: string): Promise<PlayedDocument> {
  const blocks = fencesOf(path, markdown).filter(fence => fence.language === 'console' && isPlayed(fence));
  if (blocks.length === 0) return { text: markdown, differing: [] };
  const stage = makeStage();
  const changes: { fence: Fence; text: string }[] = [];
  try {
    for (const fence of blocks) {
      const text = rewritten(fence.text, await play(fence, stage), fence.attributes.kill !== undefined);
      if (text !== fence.text) changes.push({ fence, text });
    }
  } finally {
    stage.remove();
  }
  return { text: withBlocks(markdown, changes), differing: changes.map(({ fence }) => fence.place) };
}
