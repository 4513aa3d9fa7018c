import { instance } from '@viz-js/viz';
import type { Edge, Node, TraceEntry, Workflow } from '../../../schemas/types.js';
import { escapeXml } from '../escape.js';

/** Larger graphs than this are not drawn: nobody can read them, and a report has to stay light. */
const MOST_NODES = 60;

const SHAPES: Readonly<Record<Node['type'], string>> = {
  action: 'box',
  condition: 'diamond',
  skill: 'component',
  error: 'octagon',
  terminal: 'ellipse',
};

/** Gives the workflow as a picture, with the outcome of each node and the edges that were taken; undefined where it is too large. */
export async function workflowPicture(
  workflow: Workflow,
  trace: readonly TraceEntry[] | undefined,
  about: string | undefined,
): Promise<string | undefined> {
  if (workflow.nodes.length > MOST_NODES) return undefined;
  const viz = await instance();
  const svg = viz.renderString(dot(workflow, trace, about), { format: 'svg' });
  const label = `Workflow ${workflow.workflow.name}: ${workflow.nodes.length} nodes, ${workflow.edges.length} edges`;
  return trimmed(svg, label);
}

function dot(workflow: Workflow, trace: readonly TraceEntry[] | undefined, about: string | undefined): string {
  const outcomes = new Map((trace ?? []).map(entry => [entry.node_id, entry]));
  const lines = [
    'digraph {',
    'rankdir=LR; nodesep=0.25; ranksep=0.35; bgcolor="transparent";',
    'node [fontname="system-ui,sans-serif" fontsize=12 margin="0.2,0.08" height=0.4];',
    'edge [fontname="system-ui,sans-serif" fontsize=10 arrowsize=0.6];',
    ...workflow.nodes.map(node => nodeLine(node, outcomes.get(node.node_id), about, trace !== undefined)),
    ...workflow.edges.map(edge => edgeLine(edge, outcomes.get(edge.from_node), trace !== undefined)),
    '}',
  ];
  return lines.join('\n');
}

function nodeLine(node: Node, entry: TraceEntry | undefined, about: string | undefined, ran: boolean): string {
  const below = entry === undefined ? node.type : `${entry.outcome}${entry.attempts > 1 ? ` ×${entry.attempts}` : ''}`;
  const classes = [ran ? toneOf(entry) : 'plain', ...(node.node_id === about ? ['about'] : [])].join(' ');
  const style = node.type === 'action' || node.type === 'skill' ? 'rounded' : 'solid';
  return `${quote(node.node_id)} [shape=${SHAPES[node.type]} style=${style} class="${classes}" label=${quote(`${shortened(node.node_id)}\n${shortened(below)}`)}];`;
}

function toneOf(entry: TraceEntry | undefined): string {
  if (entry === undefined || entry.outcome === 'skipped') return 'quiet';
  if (entry.outcome === 'failure' || entry.outcome === 'failed') return 'bad';
  return entry.outcome === 'in_doubt' || entry.outcome === 'compensated' ? 'warn' : 'good';
}

function edgeLine({ from_node, to_node, label }: Edge, entry: TraceEntry | undefined, ran: boolean): string {
  const taken = entry !== undefined && entry.outcome !== 'skipped' && (label === entry.outcome || label === 'always');
  const tone = !ran || taken ? 'taken' : 'dead';
  return `${quote(from_node)} -> ${quote(to_node)} [label=${quote(shortened(label))} class="${tone}" style=${tone === 'dead' ? 'dashed' : 'solid'}];`;
}

function shortened(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

/** A quoted identifier of the graph language; a line feed becomes its escape. */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** The picture alone, without identifiers that occur once a page, tool tips, and colours and a size of its own. */
function trimmed(svg: string, label: string): string {
  const [, width = '0', , box = ''] =
    /<svg width="(\d+)pt" height="(\d+)pt"\s+viewBox="([^"]+)"/.exec(svg.replace(/\.\d+(?=pt")/g, '')) ?? [];
  const body = svg
    .slice(svg.indexOf('<g '), svg.lastIndexOf('</svg>'))
    .replace(/ id="[^"]*"/g, '')
    .replace(/<title>[\s\S]*?<\/title>\n?/g, '')
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .replace(/ (?:fill|stroke)="[^"]*"/g, '');
  return `<svg class="picture" role="img" aria-label="${escapeXml(label)}" viewBox="${box}" style="max-width:${Math.round(Number(width) * 1.2)}px">\n<title>${escapeXml(label)}</title>\n${body}</svg>`;
}
