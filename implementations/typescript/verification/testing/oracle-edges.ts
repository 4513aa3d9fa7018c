import { ERROR_KINDS, type SmallGraph } from './small-graph.js';

const OUTCOMES = ['success', 'failure', 'always'];
const BOOLEAN = ['true', 'false', 'default'];

/** Returns what S5 says of the edges, by the table of the chapter: what a finding is about, and the part of it that is wrong. */
export function expectedEdges(graph: SmallGraph, reached: readonly boolean[]): string[] {
  const { nodes, edges } = graph;
  const findings: string[] = [];
  const isRepeat = (at: number): boolean =>
    edges.findIndex(
      ({ from, to, label }) => from === edges[at]?.from && to === edges[at]?.to && label === edges[at]?.label,
    ) < at;
  for (const [at, edge] of edges.entries()) {
    if (!reached[edge.from]) continue;
    if (isRepeat(at)) findings.push('S5 edge');
  }
  if (edges.some(({ from, to }) => to < 0 && reached[from])) findings.push('S5 edge to_node');
  const counted = edges.filter(({ from }, at) => reached[from] && !isRepeat(at));
  for (const [at, { name, kind, parallel = false }] of nodes.entries()) {
    if (!reached[at]) continue;
    const out = counted.filter(({ from }) => from === at);
    const labels = out.map(({ label }) => label);
    const count = (label: string): number => labels.filter(other => other === label).length;
    if (kind === 'completed' || kind === 'failed' || kind === 'fail') {
      if (out.length > 0) findings.push(`S5 edge ${name}`);
      continue;
    }
    if (kind === 'condition' || kind === 'choice') {
      for (const label of new Set(labels)) if (label !== 'always' && count(label) > 1) findings.push(`S5 edge ${name}`);
      const wrong = labels.some(label => (kind === 'condition' ? !BOOLEAN.includes(label) : label === 'always'));
      if (wrong) findings.push(`S5 edge ${name} label`);
      else if (!isCovered(kind, new Set(labels))) findings.push(`S5 node ${name}`);
    } else {
      for (const label of labels) if (!OUTCOMES.includes(label)) findings.push(`S5 edge ${name} label`);
      if (count('failure') > 1) findings.push(`S5 edge ${name}`);
      const together = Math.max(count('success') + count('always'), Math.min(1, count('failure')) + count('always'));
      if (together > 1 && !parallel) findings.push(`S5 node ${name}`);
    }
    for (const { label, to } of out) {
      if (to < 0 || (kind !== 'condition' && kind !== 'choice' && !OUTCOMES.includes(label))) continue;
      const failing = label === 'failure' && kind !== 'condition' && kind !== 'choice';
      if (failing !== ERROR_KINDS.has(nodes[to]?.kind ?? 'action')) findings.push(`S5 edge ${name}`);
    }
  }
  const isLoose = edges.some(({ from, to }) => to < 0 && reached[from]);
  for (const [at, { name, kind }] of nodes.entries()) {
    const into = counted.filter(({ to }) => to === at).length;
    if (kind === 'retry' && reached[at] && into !== 1 && (into > 0 || !isLoose)) findings.push(`S5 node ${name}`);
  }
  return findings;
}

function isCovered(kind: 'condition' | 'choice', labels: ReadonlySet<string>): boolean {
  if (kind === 'choice') return labels.has('default');
  const [yes, no] = [labels.has('true'), labels.has('false')];
  return (yes && no) || ((yes || no) && labels.has('default'));
}
