import { ArsError } from '../../error.js';
import { dot } from './dot.js';
import type { Picture } from './picture.js';

/** How many nodes and edges a picture may have: beyond it the layout takes minutes and nobody can read it. */
export const SVG_NODES = 500;
export const SVG_EDGES = 1000;

/** What changes on a dark page; everything else is read on both. */
const STYLE = `<style>
@media (prefers-color-scheme: dark) {
  .graph > text { fill: #c9d1d9 }
  .edge > text { fill: #9fb0c0 }
  .edge.error > text { fill: #ff7b72 }
  .edge.warning > text { fill: #e3b341 }
}
</style>`;

/**
 * Returns a picture as SVG, laid out by Graphviz.
 *
 * Throws `usage` (details {nodes, edges}) where it has more than {@link SVG_NODES} nodes or {@link SVG_EDGES} edges.
 */
export async function svg(picture: Picture): Promise<string> {
  const [nodes, edges] = [picture.nodes.length, picture.edges.length];
  if (nodes > SVG_NODES || edges > SVG_EDGES)
    throw new ArsError(
      'usage',
      `The workflow has ${nodes} nodes and ${edges} edges; a picture has at most ${SVG_NODES} and ${SVG_EDGES}. --format dot gives it to a program of your own`,
      { details: { nodes, edges } },
    );
  const { instance } = await import('@viz-js/viz');
  const drawn = (await instance()).renderString([...dot(picture)].join(''), { format: 'svg', engine: 'dot' });
  return drawn.replace(/^[\s\S]*?(?=<svg)/, '').replace(/(<svg[^>]*>)/, `$1\n${STYLE}`);
}
