import { markText } from './marks.js';
import type { NodeKind, Picture, PictureNode } from './picture.js';

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

/** How a finding is shown that is about nothing that is drawn. */
const NOTE = 'shape=note style=filled fillcolor="#fff0f0" color="#d1242f" fontcolor="#5c0b11" fontsize=11';

/** A grey that is read on white and on black. */
const INK = '#768390';

/** Gives a picture in the language of Graphviz. */
export function* dot({ title, nodes, edges, notes }: Picture): Generator<string> {
  yield `digraph ${quoted(title)} {\n`;
  yield `  graph [bgcolor=transparent rankdir=TB nodesep=0.35 ranksep=0.45 fontname="Helvetica-Bold" fontcolor="${INK}" label=${captionOf(title)} labelloc=t]\n`;
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
  for (const [index, note] of notes.entries())
    yield `  note${index} [label=${quotedLines(linesOf(note))} ${NOTE} class="note"]\n`;
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

/**
 * The caption, with room beside it: Graphviz takes the font for narrower than it is shown, and what is wider than the
 * picture is cut off.
 */
function captionOf(title: string): string {
  const room = ' '.repeat(2 + Math.ceil(title.length / 6));
  return quoted(`${room}${title}${room}`);
}

/** How wide and how high a note is, in characters. */
const NOTE_WIDTH = 36;
const NOTE_LINES = 6;

/** A text in lines, broken between words where it can be, and cut where it is long. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const [word] of text.matchAll(/\S{1,36}/gu)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < NOTE_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else if (lines.push(word) > NOTE_LINES) return [...lines.slice(0, NOTE_LINES - 1), `${lines[NOTE_LINES - 1]} …`];
  }
  return lines;
}

function quoted(text: string): string {
  return quotedLines([text]);
}

function quotedLines(lines: readonly string[]): string {
  return `"${lines.map(line => line.replaceAll('\\', '\\\\').replaceAll('"', '\\"')).join('\\n')}"`;
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
