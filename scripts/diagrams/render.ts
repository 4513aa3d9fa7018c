import { instance } from '@viz-js/viz';
import { styleSheet } from './style.js';

/** A graph to be drawn, in the language of Graphviz, with what a reader who cannot see it is told. */
export interface Diagram {
  /** The name of the picture, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly dot: string;
}

/** What is told of a source in comments at its beginning: `// title: …` and `// desc: …`. */
export function readDiagram(name: string, dot: string): Diagram {
  const told = (label: string): string =>
    [...dot.matchAll(new RegExp(`^// ${label}: (.+)$`, 'gm'))].map(match => match[1] ?? '').join(' ');
  return { name, title: told('title'), description: told('desc'), dot };
}

/** Attributes that every graph has unless it says otherwise. */
const DEFAULTS = {
  graphAttributes: { fontname: 'Helvetica', fontsize: 12, pad: 0.25, nodesep: 0.3, ranksep: 0.4 },
  nodeAttributes: { fontname: 'Helvetica', fontsize: 12, shape: 'box', style: 'rounded,filled', margin: '0.14,0.07' },
  edgeAttributes: { fontname: 'Helvetica', fontsize: 11, arrowsize: 0.7 },
};

/** Gives a picture of a diagram as SVG: readable in light and dark, with a title and a description. */
export async function renderDiagram(diagram: Diagram): Promise<string> {
  const viz = await instance();
  const svg = viz.renderString(diagram.dot, { format: 'svg', ...DEFAULTS });
  return finish(svg, diagram);
}

/** Gives what Graphviz drew with colours by class, title and description in place of its own. */
export function finish(svg: string, { name, title, description }: Diagram): string {
  const box = /viewBox="([^"]+)"/.exec(svg)?.[1] ?? '0 0 100 100';
  const [, , width = 0, height = 0] = box.split(' ').map(Number);
  const body = svg
    .slice(svg.indexOf('<g '), svg.lastIndexOf('</svg>'))
    .replaceAll(/<title>[^<]*<\/title>\n?/g, '')
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/ (?:fill|stroke|font-family|text-decoration)="[^"]*"/g, '')
    .replace(/<polygon points=/, '<polygon class="paper" points=')
    .trim();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${Math.round(width)}" height="${Math.round(height)}" role="img" aria-labelledby="${name}-title ${name}-desc">
<title id="${name}-title">${escaped(title)}</title>
<desc id="${name}-desc">${escaped(description)}</desc>
<style>${styleSheet()}path{fill:none}</style>
${body}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
