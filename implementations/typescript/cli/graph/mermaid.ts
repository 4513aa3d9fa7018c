import { markText } from './marks.js';
import type { NodeKind, Picture, PictureNode } from './picture.js';

const SHAPES: Readonly<Record<NodeKind, readonly [string, string]>> = {
  action: ['[', ']'],
  condition: ['{', '}'],
  skill: ['[[', ']]'],
  error: ['{{', '}}'],
  terminal: ['([', '])'],
  failed: ['([', '])'],
  missing: ['[/', '/]'],
};

/** Fill, line and text of each kind of node: every pair of them can be told apart on a light and on a dark page. */
const STYLES: Readonly<Record<NodeKind, string>> = {
  action: 'fill:#ddebff,stroke:#3b6fb6,color:#10233f',
  condition: 'fill:#fff3c9,stroke:#a07b00,color:#3a2d00',
  skill: 'fill:#e6e0fb,stroke:#6b54c0,color:#231a4d',
  error: 'fill:#ffe3d6,stroke:#b4552a,color:#431c08',
  terminal: 'fill:#dcf3e1,stroke:#2f7d4a,color:#0d2f1a',
  failed: 'fill:#ffdcdc,stroke:#b3261e,color:#45090b',
  missing: 'fill:#eeeeee,stroke:#777777,color:#333333,stroke-dasharray:4 3',
};

/** Gives a picture as a flowchart of Mermaid. */
export function* mermaid({ title, nodes, edges, notes }: Picture): Generator<string> {
  yield `---\ntitle: ${JSON.stringify(title)}\n---\nflowchart TD\n`;
  for (const node of nodes) {
    const [open, close] = SHAPES[node.kind];
    yield `  ${node.key}${open}"${labelOf(node)}"${close}:::${node.kind}\n`;
  }
  for (const { key, isStart } of nodes) if (isStart) yield `  start_${key}(("start")):::begin --> ${key}\n`;
  const shift = nodes.filter(({ isStart }) => isStart).length;
  for (const { from, to, label, mark } of edges) {
    const text = mark === undefined ? escapeMermaid(label) : `${escapeMermaid(label)} ${markText(mark)}`;
    yield `  ${from} -->${text === '' ? '' : `|"${text}"|`} ${to}\n`;
  }
  for (const [index, note] of notes.entries()) yield `  note${index}>"${escapeMermaid(note)}"]:::note\n`;
  for (const [kind, style] of Object.entries(STYLES)) yield `  classDef ${kind} ${style}\n`;
  yield '  classDef begin fill:#666666,stroke:#666666,color:#ffffff\n';
  yield '  classDef note fill:#fff0f0,stroke:#d1242f,color:#5c0b11\n';
  yield '  classDef found stroke:#d1242f,stroke-width:4px\n';
  yield '  classDef warned stroke:#d18616,stroke-width:4px\n';
  yield '  classDef irreversible stroke-dasharray:8 3,stroke-width:3px\n';
  for (const { key, mark, irreversible } of nodes) {
    if (irreversible) yield `  class ${key} irreversible\n`;
    if (mark !== undefined) yield `  class ${key} ${mark.level === 'error' ? 'found' : 'warned'}\n`;
  }
  for (const [index, { mark }] of edges.entries()) {
    const color = mark?.level === 'error' ? '#d1242f' : '#d18616';
    if (mark !== undefined) yield `  linkStyle ${index + shift} stroke:${color},stroke-width:3px\n`;
  }
}

function labelOf({ title, lines, irreversible, mark }: PictureNode): string {
  const parts = [`<b>${escapeMermaid(title)}</b>`, ...lines.map(escapeMermaid)];
  if (irreversible) parts.push('<i>irreversible</i>');
  if (mark !== undefined) parts.push(`<b>${markText(mark)}</b>`);
  return parts.join('<br/>');
}

/** Text in a label of Mermaid, in which nothing ends the label or is markup. */
export function escapeMermaid(text: string): string {
  return text.replaceAll(/[#"<>&`\\;[\]{}()|]/g, char => `#${char.charCodeAt(0)};`);
}
