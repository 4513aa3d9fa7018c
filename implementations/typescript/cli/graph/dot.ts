import { markText, type NodeKind, type Picture, type PictureNode } from './picture.js';

const SHAPES: Readonly<Record<NodeKind, string>> = {
  action: 'shape=box style="rounded,filled"',
  condition: 'shape=diamond style=filled margin="0.05,0.08"',
  skill: 'shape=component style=filled',
  error: 'shape=octagon style=filled',
  terminal: 'shape=oval style=filled',
  failed: 'shape=oval style=filled',
  missing: 'shape=box style="dashed,filled"',
};

const COLORS: Readonly<Record<NodeKind, string>> = {
  action: 'fillcolor="#ddebff" color="#3b6fb6" fontcolor="#10233f"',
  condition: 'fillcolor="#fff3c9" color="#a07b00" fontcolor="#3a2d00"',
  skill: 'fillcolor="#e6e0fb" color="#6b54c0" fontcolor="#231a4d"',
  error: 'fillcolor="#ffe3d6" color="#b4552a" fontcolor="#431c08"',
  terminal: 'fillcolor="#dcf3e1" color="#2f7d4a" fontcolor="#0d2f1a"',
  failed: 'fillcolor="#ffdcdc" color="#b3261e" fontcolor="#45090b"',
  missing: 'fillcolor="#eeeeee" color="#777777" fontcolor="#333333"',
};

const FOUND = { error: '#d1242f', warning: '#bf7a00' } as const;

/** A grey that is read on white and on black. */
const INK = '#768390';

/** Gives a picture in the language of Graphviz. */
export function* dot({ title, nodes, edges, notes }: Picture): Generator<string> {
  yield `digraph ${quoted(title)} {\n`;
  yield `  graph [bgcolor=transparent rankdir=TB nodesep=0.35 ranksep=0.45 fontname="Helvetica-Bold" fontcolor="${INK}" label=${captionOf(title, notes)} labelloc=t]\n`;
  yield '  node [fontname="Helvetica" fontsize=12 margin="0.14,0.07" penwidth=1.2]\n';
  yield `  edge [fontname="Helvetica" fontsize=11 color="${INK}" fontcolor="${INK}" arrowsize=0.8]\n`;
  for (const node of nodes) yield `  ${node.key} [${attributesOf(node)}]\n`;
  for (const { key, isStart } of nodes) {
    if (isStart)
      yield `  start_${key} [shape=circle style=filled width=0.16 label="" fillcolor="${INK}" color="${INK}" class="start"]\n  start_${key} -> ${key} [class="start"]\n`;
  }
  for (const { from, to, label, mark } of edges) {
    if (mark === undefined) yield `  ${from} -> ${to} [label=${quoted(` ${label} `)}]\n`;
    else {
      const color = FOUND[mark.level];
      yield `  ${from} -> ${to} [label=${quoted(` ${label} ${markText(mark)} `)} color="${color}" fontcolor="${color}" penwidth=2.4 class="${mark.level}"]\n`;
    }
  }
  yield '}\n';
}

function attributesOf(node: PictureNode): string {
  const { kind, irreversible, mark } = node;
  const border = irreversible ? ' peripheries=2' : '';
  const found = mark === undefined ? '' : ` color="${FOUND[mark.level]}" penwidth=3`;
  const classes = [kind, ...(mark === undefined ? [] : [mark.level])].join(' ');
  return `label=<${labelOf(node)}> ${SHAPES[kind]} ${COLORS[kind]}${border}${found} class="${classes}"`;
}

function labelOf({ title, lines, irreversible, mark }: PictureNode): string {
  const parts = [`<B>${escapeHtml(title)}</B>`];
  for (const line of lines) parts.push(`<FONT POINT-SIZE="10">${escapeHtml(line)}</FONT>`);
  if (irreversible) parts.push('<I>irreversible</I>');
  if (mark !== undefined) parts.push(`<FONT COLOR="${FOUND[mark.level]}"><B>${markText(mark)}</B></FONT>`);
  return parts.join('<BR/>');
}

/** The caption; a plain text is centred by whoever shows it, marked-up text is as wide as Graphviz guesses the font to be. */
function captionOf(title: string, notes: readonly string[]): string {
  if (notes.length === 0) return quoted(title);
  const told = notes.map(note => `<BR/><FONT COLOR="${FOUND.error}" POINT-SIZE="11">${escapeHtml(note)}</FONT>`);
  return `<<B>${escapeHtml(title)}</B>${told.join('')}<BR/>>`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('[', '&#91;')
    .replaceAll(']', '&#93;');
}
