import type { VerificationReport } from '../../../../schemas/types.js';
import { visible } from '../code-frame.js';
import { type IsError, type Mark, Marks } from './marks.js';
import { FindingParts, NAMED_START } from './parts.js';

/** What kind of node it is: its type; `failed` is a terminal with that status, `missing` one that an edge names and nobody defines. */
export type NodeKind = 'action' | 'condition' | 'skill' | 'error' | 'terminal' | 'failed' | 'missing';

/** A node as it is drawn. */
export interface PictureNode {
  /** A name that every drawing language takes. */
  readonly key: string;
  readonly kind: NodeKind;
  readonly title: string;
  /** What stands below the title, a line each. */
  readonly lines: readonly string[];
  readonly isStart: boolean;
  readonly irreversible: boolean;
  readonly mark?: Mark;
}

/** An edge as it is drawn. */
export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly mark?: Mark;
}

/** A workflow as it is drawn. */
export interface Picture {
  readonly title: string;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** Findings that are about no node and no edge, a line each. */
  readonly notes: readonly string[];
}

type JsonObject = Readonly<Record<string, unknown>>;
const KINDS: ReadonlySet<unknown> = new Set<NodeKind>(['action', 'condition', 'skill', 'error', 'terminal']);

/** How many characters of a line are shown. */
const WIDTH = 40;

/** Returns the picture of a document of any form, with what a report says of it. */
export function pictureOf(
  document: unknown,
  report: VerificationReport,
  isError: IsError = ({ severity }) => severity === 'blocking',
): Picture {
  const { nodes, edges, workflow, actions } = (isObject(document) ? document : {}) as JsonObject;
  const keys = new Map<string, string>();
  const drawn: PictureNode[] = [];
  const start = isObject(workflow) ? workflow.start : undefined;
  const listed = entries(nodes).filter(([, node]) => typeof node.node_id === 'string');
  const targets = new Set(entries(edges).map(([, edge]) => edge.to_node));
  const sources = listed.filter(([, { node_id }]) => !targets.has(node_id));
  const parts = new FindingParts({
    nodes: listed,
    sources: sources.map(([index]) => index),
    actions: entries(actions),
    start: start === undefined ? 'absent' : listed.some(([, { node_id }]) => node_id === start) ? 'node' : 'unknown',
  });
  const marks = new Marks(report.findings, isError, parts);
  const only = sources.length === 1 ? sources[0]?.[1].node_id : undefined;
  const irreversible = new Set(
    report.safety?.nodes.filter(node => node.at_least === 'IRREVERSIBLE').map(node => node.node_id),
  );
  for (const [index, node] of listed) {
    const id = node.node_id as string;
    const key = `n${drawn.length}`;
    if (!keys.has(id)) keys.set(id, key);
    drawn.push({
      key,
      kind: kindOf(node),
      title: short(id),
      lines: linesOf(node),
      isStart: id === (start ?? only),
      irreversible: irreversible.has(id) || node.irreversible === 'acknowledged',
      ...marks.of(`/nodes/${index}`, id),
    });
  }
  const keyOf = (id: string): string => {
    const known = keys.get(id);
    if (known !== undefined) return known;
    const key = `n${drawn.length}`;
    keys.set(id, key);
    drawn.push({
      key,
      kind: 'missing',
      title: short(id),
      lines: ['is not defined'],
      isStart: id === start,
      irreversible: false,
      ...(id === start ? marks.of(NAMED_START) : {}),
    });
    return key;
  };
  if (typeof start === 'string' && start !== '') keyOf(start);
  const lines: PictureEdge[] = [];
  for (const [index, { from_node, to_node, label }] of entries(edges)) {
    if (typeof from_node !== 'string' || typeof to_node !== 'string') continue;
    const text = short(typeof label === 'string' ? label : JSON.stringify(label ?? ''));
    lines.push({ from: keyOf(from_node), to: keyOf(to_node), label: text, ...marks.of(`/edges/${index}`) });
  }
  return { title: short(report.workflow_id ?? 'a workflow'), nodes: drawn, edges: lines, notes: marks.others(keys) };
}

function kindOf({ type, status }: JsonObject): NodeKind {
  if (!KINDS.has(type)) return 'missing';
  return type === 'terminal' && status === 'failed' ? 'failed' : (type as NodeKind);
}

function linesOf(node: JsonObject): string[] {
  const lines: string[] = [];
  const add = (text: unknown): void => {
    if (typeof text === 'string' && text !== '') lines.push(short(text));
  };
  for (const field of ['action_def', 'workflow_ref', 'handling', 'compensate_ref', 'status']) add(node[field]);
  if (typeof node.expression === 'string') lines.push(...wrapped(node.expression));
  if (typeof node.join_type === 'string') add(`joins with ${node.join_type}`);
  if (node.fan_out === 'parallel') add('fans out in parallel');
  return lines;
}

/** A text in at most three lines, broken between words. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of visible(beginningOf(text, 1000)).split(/\s+/)) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (line.length <= WIDTH / 2 || lines.at(-1) === '') lines[lines.length - 1] = line;
    else lines.push(word);
  }
  const shown = lines.slice(0, 3).map(short);
  return lines.length > 3 ? [...shown.slice(0, 2), `${shown[2]} …`] : shown;
}

function entries(list: unknown): [number, JsonObject][] {
  if (!Array.isArray(list)) return [];
  return [...list.entries()].filter((entry): entry is [number, JsonObject] => isObject(entry[1]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function short(text: string): string {
  const shown = visible(text.replaceAll(/\s+/g, ' '));
  return shown.length <= WIDTH ? shown : `${beginningOf(shown, WIDTH - 1)}…`;
}

/** So much of a text, without half of a character at its end. */
function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/\p{Surrogate}$/u, '');
}
