import { nearest } from '../../../../schemas/index.js';
import type { VerificationContext } from '../context.js';
import { atEdge, edgeText, type FindingDraft, findingEdge } from '../rule.js';

/** How many further edges to the same missing node a finding points at. */
const EDGES_SHOWN = 3;
/** How many comparisons of names the search for similar ones may take in all. */
const COMPARISONS = 100_000;

/** One finding for each node that edges name and that does not exist. */
export function checkEnds(context: VerificationContext): FindingDraft[] {
  if (context.input.nodesMissing || context.looseEnds.names.size === 0) return [];
  const { graph } = context;
  const missing = new Map<string, { edge: number; end: 'from_node' | 'to_node' }[]>();
  const note = (edge: number, end: 'from_node' | 'to_node'): void => {
    const name = context.edge(edge)[end];
    const places = missing.get(name);
    if (places === undefined) missing.set(name, [{ edge, end }]);
    else places.push({ edge, end });
  };
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    const source = graph.source[edge] as number;
    if (source < 0) note(edge, 'from_node');
    else if (context.reachable[source] === 0) continue;
    if ((graph.target[edge] as number) < 0) note(edge, 'to_node');
  }
  if (missing.size === 0) return [];
  const known = missing.size * graph.nodeCount > COMPARISONS ? [] : graph.nodes.map(node => node.node_id);
  return [...missing].map(([name, places]) => findingOf(context, name, places, known));
}

function findingOf(
  context: VerificationContext,
  name: string,
  places: readonly { edge: number; end: 'from_node' | 'to_node' }[],
  known: readonly string[],
): FindingDraft {
  const ends = new Map(places.map(place => [place.edge, place.end]));
  const [edge = 0, ...others] = context.ordered(ends.keys());
  const end = ends.get(edge) ?? 'to_node';
  const twin = twinOf(name, known);
  const meant = twin ?? nearest(name, known);
  const verb = end === 'from_node' ? 'begins' : 'ends';
  return {
    edge: findingEdge(context, edge),
    pointer: `${context.edgePointer(edge)}/${end}`,
    message: `The edge ${verb} at "${name}", which is no node of the workflow`,
    related: others.slice(0, EDGES_SHOWN).map(other => atEdge(context, other, 'this edge names it too')),
    help:
      meant === undefined
        ? `Add a node "${name}", or name another one.`
        : `Did you mean "${meant}"?${twin === undefined ? '' : ' It looks the same and is written with other characters (NFC and NFD of Unicode).'}`,
  };
}

/** The name that differs from another only in how its accents are written. */
function twinOf(name: string, known: readonly string[]): string | undefined {
  if (/^\p{ASCII}*$/u.test(name)) return undefined;
  const form = name.normalize();
  return known.filter(other => other.normalize() === form).sort()[0];
}

/** One finding for each edge that repeats another. */
export function checkRepeats(context: VerificationContext): FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (const [edge, first] of context.repeats) {
    const source = context.graph.source[edge] as number;
    if (context.reachable[source] === 0 || context.input.unclearEdges.has(edge)) continue;
    findings.push({
      edge: findingEdge(context, edge),
      pointer: context.edgePointer(edge),
      message: `The edge ${edgeText(context, edge)} is there already`,
      related: [atEdge(context, first, 'here')],
      help: 'Remove one of the two.',
    });
  }
  return findings;
}
