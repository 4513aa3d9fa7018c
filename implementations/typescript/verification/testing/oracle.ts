import { explore, leads, orderOf } from './executions.js';
import { expectedEdges } from './oracle-edges.js';
import { certainAt, impossibleJoins } from './oracle-equations.js';
import { ERROR_KINDS, EXECUTING, type Kind, type SmallGraph } from './small-graph.js';

/**
 * What the rules have to say of a small graph, found by trying everything and without the verifier's code. A finding is a
 * text: the rule and what it is about.
 */
export interface Expectation {
  /** The rules that are judged, each with exactly these findings. */
  readonly exact: ReadonlyMap<string, readonly string[]>;
  /** Findings that may be there, of the rules that may miss one and never name one wrongly. */
  readonly possible: ReadonlyMap<string, readonly string[]>;
  /** How many executions were tried. */
  readonly executions: number;
}

/**
 * What is known of how graphs were drawn: labels of a tame one fit and there is no cycle, a wide one is tame and has a condition
 * with many labels, and a wild one may break every structural rule.
 */
export type Form = 'tame' | 'wide' | 'wild';

const BOUNDS = { deterministic: 3, conditionally_deterministic: 2, non_deterministic: 0 } as const;

/** Returns what the rules have to say. Of a graph whose labels may be wrong, what depends on their meaning is left out. */
export function expectationOf(graph: SmallGraph, form: Form): Expectation {
  const view = new View(graph);
  const exact = new Map<string, readonly string[]>([
    ['S1', view.components.filter(isCyclic(graph)).map(members => cycleText(graph, members))],
    ['S2 unreachable', view.unreachable()],
    ['S3', view.deadEnds()],
    ['S4', view.startIsClear ? [] : ['S4']],
    ['S5', expectedEdges(graph, view.reached)],
    ['S6 undeclared', view.undeclaredJoins()],
    ['S15', view.unhandled()],
  ]);
  const possible = new Map<string, readonly string[]>();
  if (form !== 'wild') exact.set('S9', view.retriedTooOften());
  const order = orderOf(graph);
  const [start] = view.starts;
  if (order === undefined || start === undefined || view.starts.length > 1) return { exact, possible, executions: 0 };
  if (form !== 'wild' && graph.effect === 'irreversible') exact.set('S17', view.unrecoverable());
  const found = explore(graph, start, order);
  const named = (at: number): string => graph.nodes[at]?.name as string;
  possible.set(
    'S2 join',
    view.judged.filter(at => !found.runs[at] && isAnd(graph, at)).map(at => `S2 join ${named(at)}`),
  );
  possible.set(
    'S6 joined',
    view.judged
      .filter(at => found.joined[at] && graph.nodes[at]?.join === 'OR' && !undoes(graph, at))
      .map(at => `S6 joined ${named(at)}`),
  );
  if (form === 'wild') return { exact, possible, executions: found.count };
  exact.set(
    'S2 join',
    impossibleJoins(graph, order, view.reached).map(at => `S2 join ${named(at)}`),
  );
  exact.set('S8', view.unreadable(found, order));
  if (graph.effect === 'uncompensated') (form === 'wide' ? possible : exact).set('S16', view.cannotUndo(found));
  return { exact, possible, executions: found.count };
}

function isAnd(graph: SmallGraph, at: number): boolean {
  return graph.nodes[at]?.join === 'AND' && graph.edges.filter(({ to }) => to === at).length > 1;
}

const isCyclic =
  (graph: SmallGraph) =>
  ([first = 0]: readonly number[]): boolean =>
    leads(graph, first, first);

/** The shortest of all cycles through the smallest node of a component, of several the one whose names come first. */
function cycleText(graph: SmallGraph, members: readonly number[]): string {
  const name = (at: number): string => graph.nodes[at]?.name as string;
  const [first = 0] = [...members].sort((a, b) => (name(a) < name(b) ? -1 : 1));
  const cycles: string[][] = [];
  const walk = (at: number, path: readonly number[]): void => {
    for (const { from, to } of graph.edges) {
      if (from !== at) continue;
      if (to === first) cycles.push(path.map(name));
      else if (!path.includes(to) && to >= 0) walk(to, [...path, to]);
    }
  };
  walk(first, [first]);
  const [shortest = []] = cycles.sort((a, b) => a.length - b.length || (a.join() < b.join() ? -1 : 1));
  return `S1 ${shortest.join(' ')}`;
}

/** What paths tell about a graph. */
class View {
  readonly components: number[][] = [];
  readonly starts: readonly number[];
  readonly startIsClear: boolean;
  readonly reached: readonly boolean[];
  /** The nodes that the rules judge. */
  readonly judged: readonly number[];
  readonly #graph: SmallGraph;

  constructor(graph: SmallGraph) {
    this.#graph = graph;
    const all = graph.nodes.map((_, at) => at);
    const together = (a: number, b: number): boolean => a === b || (leads(graph, a, b) && leads(graph, b, a));
    for (const at of all) {
      const known = this.components.find(([first = -1]) => together(first, at));
      if (known === undefined) this.components.push([at]);
      else known.push(at);
    }
    const entered = (members: readonly number[]): boolean =>
      graph.edges.some(({ from, to }) => members.includes(to) && !members.includes(from));
    const sources = all.filter(at => graph.edges.every(({ to }) => to !== at));
    const closed = this.components.filter(members => isCyclic(graph)(members) && !entered(members));
    const { start } = graph;
    if (start !== undefined) {
      this.startIsClear = graph.edges.every(({ from, to }) => to !== start || together(from, start));
      this.starts = this.startIsClear ? [start] : [start, ...sources];
    } else {
      this.startIsClear = sources.length <= 1;
      this.starts = sources.length > 0 ? sources : closed.flat();
    }
    const reachedFrom = (starts: readonly number[]): boolean[] =>
      all.map(at => starts.some(start => start === at || leads(graph, start, at)));
    const reached = reachedFrom(this.starts);
    // Whoever an edge to no node was meant for may lack it.
    if (graph.edges.some(({ from, to }) => to < 0 && reached[from])) {
      if (start === undefined) this.startIsClear = true;
      else this.starts = [...new Set([...this.starts, ...sources])];
    }
    this.reached = reachedFrom(this.starts);
    this.judged = all.filter(at => this.reached[at]);
  }

  unreachable(): string[] {
    const { edges } = this.#graph;
    const lost = this.components.filter(([first = 0]) => !this.reached[first]);
    const frontier = lost.filter(
      members => !edges.some(({ from, to }) => members.includes(to) && !members.includes(from)),
    );
    return frontier.map(members => `S2 unreachable ${members.map(at => this.#name(at)).sort()[0]}`);
  }

  deadEnds(): string[] {
    return this.judged
      .filter(at => {
        const kind = this.#kind(at);
        const out = this.#graph.edges.filter(({ from }) => from === at);
        const onward = out.some(({ label }) => label !== 'failure');
        const goesNowhere = out.length > 0 && out.every(({ to }) => to < 0);
        const last = ['completed', 'failed', 'fail', 'condition', 'choice'].includes(kind);
        return !last && !onward && !goesNowhere && !leads(this.#graph, at, at);
      })
      .map(at => `S3 ${this.#name(at)}`);
  }

  undeclaredJoins(): string[] {
    const { nodes, edges } = this.#graph;
    const counted = edges.filter(
      ({ from, to, label }, at) =>
        this.reached[from] && edges.findIndex(o => o.from === from && o.to === to && o.label === label) === at,
    );
    return this.judged
      .filter(at => this.#kind(at) !== 'fail' && nodes[at]?.join === undefined)
      .filter(at => counted.filter(({ to }) => to === at).length > 1)
      .map(at => `S6 undeclared ${this.#name(at)}`);
  }

  unhandled(): string[] {
    const { edges } = this.#graph;
    return this.judged
      .filter(at => ['action', 'skill'].includes(this.#kind(at)))
      .filter(at => !edges.some(({ from, label }) => from === at && !['success'].includes(label) && known(label)))
      .filter(at => edges.every(({ from, label }) => from !== at || known(label)))
      .map(at => `S15 ${this.#name(at)}`);
  }

  retriedTooOften(): string[] {
    const { nodes, effect } = this.#graph;
    return this.judged.flatMap(at => {
      if (!['action', 'skill', 'amend'].includes(this.#kind(at))) return [];
      const { retries = 0, determinism = 'deterministic' } = nodes[at] ?? {};
      const policy = this.#kind(at) === 'action' ? retries : 0;
      const attempts = this.judged.filter(other => other !== at && this.#executes(other) === at).length;
      const bound = effect === 'irreversible' ? 0 : BOUNDS[determinism];
      return policy + attempts > bound ? [`S9 ${this.#name(at)}`] : [];
    });
  }

  unrecoverable(): string[] {
    const { nodes, edges } = this.#graph;
    const onward = {
      ...this.#graph,
      edges: edges.filter(({ from, label }) => label !== 'failure' || nodes[from]?.kind === 'condition'),
    };
    const fragile = nodes.flatMap(({ kind }, at) =>
      ['action', 'skill', 'failed'].includes(kind) || ERROR_KINDS.has(kind) ? [at] : [],
    );
    return this.judged
      .filter(at => ['action', 'skill'].includes(this.#kind(at)) && fragile.some(other => leads(onward, at, other)))
      .map(at => `S17 ${this.#name(at)}`);
  }

  /** What S8 says of reads: by the equations, which all executions must bear out. */
  unreadable(found: ReturnType<typeof explore>, order: readonly number[]): string[] {
    const graph = this.#graph;
    const certain = certainAt(graph, order, this.reached);
    const findings: string[] = [];
    const sources = this.judged.filter(at => EXECUTING.has(this.#kind(at)));
    const isSure = (reader: number, source: number): boolean => {
      const sure = certain[reader]?.has(source) === true;
      if (sure && found.lacks[reader]?.[source])
        throw new Error(`an execution runs ${this.#name(reader)} although ${this.#name(source)} has not committed`);
      const exact = graph.nodes.every(({ join }) => join !== 'AND');
      if (!sure && exact && !found.lacks[reader]?.[source] && found.runs[reader])
        throw new Error(`no execution runs ${this.#name(reader)} without ${this.#name(source)}`);
      return sure;
    };
    for (const reader of this.judged) {
      if (!['action', 'skill', 'amend'].includes(this.#kind(reader))) continue;
      for (const source of sources)
        if (!isSure(reader, source)) findings.push(`S8 ${this.#name(reader)} ${this.#name(source)}`);
      const dominated = graph.nodes.some(
        ({ kind }, error) =>
          ERROR_KINDS.has(kind) &&
          this.reached[error] &&
          (error === reader || this.starts.every(start => start !== reader && !leads(graph, start, reader, error))),
      );
      if (dominated && found.withoutError[reader]) throw new Error(`${this.#name(reader)} runs without an error`);
      if (!dominated) findings.push(`S8 ${this.#name(reader)} error`);
    }
    const ends = this.judged.filter(at => this.#kind(at) === 'completed');
    for (const source of sources)
      if (ends.map(end => isSure(end, source)).includes(false)) findings.push(`S8 output ${this.#name(source)}`);
    return findings;
  }

  /** What can have committed before an error node that undoes, in some execution, and cannot be compensated. */
  cannotUndo(found: ReturnType<typeof explore>): string[] {
    const findings = new Set<string>();
    for (const error of this.judged) {
      if (!['compensate', 'rollback'].includes(this.#kind(error))) continue;
      for (const other of this.judged) {
        const executed = this.#executes(other);
        if (executed === undefined || other === error || leads(this.#graph, error, other)) continue;
        if (found.commits[error]?.[other]) findings.add(`S16 ${this.#name(error)} ${this.#name(executed)}`);
      }
    }
    return [...findings];
  }

  #kind(at: number): Kind {
    return this.#graph.nodes[at]?.kind as Kind;
  }

  #name(at: number): string {
    return this.#graph.nodes[at]?.name as string;
  }

  /** The node whose action or skill a node executes: its own, or that of the one node whose failure it repeats. */
  #executes(at: number): number | undefined {
    return executedBy(this.#graph, at, this.reached);
  }
}

/** Whether a node is an error node that undoes, which waits for all that runs in any case. */
const undoes = (graph: SmallGraph, at: number): boolean =>
  graph.nodes[at]?.kind === 'compensate' || graph.nodes[at]?.kind === 'rollback';

const known = (label: string): boolean => ['success', 'failure', 'always'].includes(label);

/** Returns the node whose action or skill a node executes; a retry repeats the one before it, however often an edge is there. */
export function executedBy(graph: SmallGraph, at: number, reached = new View(graph).reached): number | undefined {
  const kind = graph.nodes[at]?.kind as Kind;
  if (kind === 'action' || kind === 'skill' || kind === 'amend') return at;
  if (kind !== 'retry') return undefined;
  const into = graph.edges.filter(
    ({ from, to, label }, edge) =>
      to === at &&
      reached[from] &&
      graph.edges.findIndex(o => o.from === from && o.to === to && o.label === label) === edge,
  );
  return into.length === 1 ? executedBy(graph, into[0]?.from as number, reached) : undefined;
}
