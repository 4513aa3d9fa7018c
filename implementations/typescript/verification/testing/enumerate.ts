import { ERROR_KINDS, type Kind, type SmallEdge, type SmallGraph, type SmallNode } from './small-graph.js';

const NAMES = ['c', 'a', 'd', 'b', 'f', 'e', 'h', 'g'];
const EFFECTS = ['uncompensated', 'irreversible'] as const;
const FIRST: readonly Kind[] = ['action', 'condition', 'completed'];
const LATER: readonly Kind[] = ['action', 'condition', 'completed', 'fail', 'compensate', 'retry'];

/** A way to run through every combination of choices, where the number of choices may depend on those before. */
function* combinations(sizes: readonly number[]): Generator<readonly number[]> {
  const chosen = sizes.map(() => 0);
  if (sizes.some(size => size === 0)) return;
  for (;;) {
    yield chosen;
    let at = 0;
    for (; at < chosen.length; at++) {
      chosen[at] = (chosen[at] as number) + 1;
      if ((chosen[at] as number) < (sizes[at] as number)) break;
      chosen[at] = 0;
    }
    if (at === chosen.length) return;
  }
}

/** The label sets that an edge from one kind to another may carry. */
function labelSets(from: Kind, to: Kind): readonly (readonly string[])[] {
  if (from === 'completed' || from === 'failed' || from === 'fail') return [[]];
  if (from === 'condition') return ERROR_KINDS.has(to) ? [[]] : [[], ['true'], ['false'], ['true', 'false']];
  return ERROR_KINDS.has(to) ? [[], ['failure']] : [[], ['success'], ['always']];
}

/**
 * Returns every acyclic graph of so many nodes of the commonest kinds whose labels fit, with every way to join; the
 * nodes in topological order, the first one the start.
 */
export function* acyclicGraphs(size: number): Generator<SmallGraph> {
  const pairs: (readonly [number, number])[] = [];
  for (let from = 0; from < size; from++) for (let to = from + 1; to < size; to++) pairs.push([from, to]);
  for (const kindChoice of combinations(Array.from({ length: size }, (_, at) => (at === 0 ? FIRST : LATER).length))) {
    const kinds = kindChoice.map((kind, at) => (at === 0 ? FIRST : LATER)[kind] as Kind);
    const sets = pairs.map(([from, to]) => labelSets(kinds[from] as Kind, kinds[to] as Kind));
    for (const labelChoice of combinations(sets.map(set => set.length))) {
      const edges: SmallEdge[] = [];
      for (const [at, [from, to]] of pairs.entries())
        for (const label of sets[at]?.[labelChoice[at] as number] ?? []) edges.push({ from, to, label });
      if (hasTwoFailures(edges)) continue;
      for (const graph of joinedGraphs(kinds, edges)) yield graph;
    }
  }
}

function hasTwoFailures(edges: readonly SmallEdge[]): boolean {
  const failing = edges.filter(({ label }) => label === 'failure');
  return failing.some((edge, at) => failing.findIndex(other => other.from === edge.from) !== at);
}

function* joinedGraphs(kinds: readonly Kind[], edges: readonly SmallEdge[]): Generator<SmallGraph> {
  const incoming = kinds.map((_, at) => edges.filter(edge => edge.to === at).length);
  const joins = incoming.flatMap((count, at) => (count > 1 ? [at] : []));
  const sources = incoming.filter(count => count === 0).length;
  for (const joinChoice of combinations([...joins.map(() => 2), EFFECTS.length])) {
    const nodes = kinds.map((kind, at): SmallNode => {
      const join = joins.indexOf(at);
      return {
        name: NAMES[at] as string,
        kind,
        parallel: fansOut(kind, at, edges),
        ...(join < 0 ? {} : { join: joinChoice[join] === 0 ? 'AND' : 'OR' }),
      };
    });
    const effect = EFFECTS[joinChoice[joins.length] as number] as SmallGraph['effect'];
    yield { nodes, edges: [...edges], effect, ...(sources > 1 ? { start: 0 } : {}) };
  }
}

function fansOut(kind: Kind, at: number, edges: readonly SmallEdge[]): boolean {
  if (kind === 'condition' || kind === 'choice') return false;
  const labels = edges.filter(edge => edge.from === at).map(({ label }) => label);
  const count = (label: string): number => labels.filter(other => other === label).length;
  return count('success') + count('always') > 1 || count('failure') + count('always') > 1;
}

/** Returns every directed graph of so many nodes, self-loops included, with every start and without one. */
export function* directedGraphs(size: number): Generator<SmallGraph> {
  for (let bits = 0; bits < 2 ** (size * size); bits++) {
    const edges: SmallEdge[] = [];
    for (let at = 0; at < size * size; at++)
      if ((bits >> at) & 1) edges.push({ from: Math.floor(at / size), to: at % size, label: 'success' });
    const nodes = Array.from({ length: size }, (_, at): SmallNode => {
      const last = edges.every(({ from }) => from !== at);
      return { name: NAMES[at] as string, kind: last ? 'completed' : 'action', parallel: !last, join: 'AND' };
    });
    yield { nodes, edges, effect: 'uncompensated' };
    for (let start = 0; start < size; start++) yield { nodes, edges, start, effect: 'uncompensated' };
  }
}

/** A source of numbers below a limit. */
export type Draw = (limit: number) => number;

/** Returns a source of numbers that a seed determines. */
export function drawFrom(seed: number): Draw {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return limit => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const ALL: readonly Kind[] = [
  'action',
  'action',
  'skill',
  'condition',
  'choice',
  'completed',
  'failed',
  'fail',
  'compensate',
  'rollback',
  'amend',
  'retry',
];
const DETERMINISMS = ['deterministic', 'conditionally_deterministic', 'non_deterministic'] as const;

/**
 * Returns a graph drawn from all there are of at most so many nodes. A tame one has labels that fit and no cycle; a wild
 * one may break every structural rule.
 */
export function drawGraph(draw: Draw, most: number, form: 'tame' | 'wild'): SmallGraph {
  const size = 2 + draw(most - 1);
  const names = NAMES.slice(0, size);
  const acyclic = form === 'tame' || draw(2) === 0;
  const kinds = Array.from({ length: size }, (_, at) => drawKind(draw, at, size, form));
  const edges: SmallEdge[] = [];
  for (let to = 1; to < size; to++) drawEdge(draw, edges, kinds, [draw(to), to], form);
  for (let more = draw(size + 1); more > 0; more--) {
    const pair = [draw(size), draw(size)].sort((a, b) => (acyclic ? a - b : 0)) as [number, number];
    if (!acyclic || pair[0] !== pair[1]) drawEdge(draw, edges, kinds, pair, form);
  }
  const wild = form === 'wild';
  if (wild && draw(10) === 0 && edges.length > 0) edges.push(edges[draw(edges.length)] as SmallEdge);
  if (wild && draw(10) === 0) edges.push({ from: draw(size), to: -1, label: 'success' });
  const nodes = kinds.map((kind, at): SmallNode => {
    const joins = edges.filter(edge => edge.to === at).length > 1 || (wild && draw(3) === 0);
    const undeclared = wild && draw(3) === 0;
    return {
      name: names.splice(draw(names.length), 1)[0] as string,
      kind,
      parallel: fansOut(kind, at, edges) !== (wild && draw(4) === 0),
      retries: draw(3) === 0 ? draw(5) : 0,
      determinism: DETERMINISMS[draw(3)] as SmallNode['determinism'] & string,
      ...(joins && !undeclared ? { join: draw(2) === 0 ? 'AND' : 'OR' } : {}),
    };
  });
  const sources = kinds.filter((_, at) => edges.every(({ to }) => to !== at)).length;
  const named = wild ? draw(3) === 0 : sources > 1;
  const start = named ? { start: wild ? draw(size) : 0 } : {};
  return { nodes, edges, effect: EFFECTS[draw(2)] as SmallGraph['effect'], ...start };
}

function drawKind(draw: Draw, at: number, size: number, form: 'tame' | 'wild'): Kind {
  if (form === 'wild') return ALL[draw(ALL.length)] as Kind;
  if (at === 0) return draw(3) === 0 ? 'condition' : 'action';
  if (at === size - 1) return draw(3) === 0 ? 'compensate' : 'completed';
  return ALL[draw(ALL.length)] as Kind;
}

const LABELS = ['success', 'failure', 'always', 'true', 'false', 'default', 'odd'];

function drawEdge(
  draw: Draw,
  edges: SmallEdge[],
  kinds: readonly Kind[],
  [from, to]: readonly [number, number],
  form: 'tame' | 'wild',
): void {
  const source = kinds[from] as Kind;
  const usual = source === 'choice' ? ['odd', 'default', 'true'] : labelSets(source, kinds[to] as Kind).flat();
  const fitting = form === 'tame' && source === 'choice' && ERROR_KINDS.has(kinds[to] as Kind) ? [] : usual;
  const label = form === 'wild' && draw(4) === 0 ? LABELS[draw(LABELS.length)] : fitting[draw(fitting.length || 1)];
  if (label === undefined) return;
  if (form === 'tame' && edges.some(edge => edge.from === from && edge.label === label && label === 'failure')) return;
  if (edges.some(edge => edge.from === from && edge.to === to && edge.label === label)) return;
  edges.push({ from, to, label });
}
