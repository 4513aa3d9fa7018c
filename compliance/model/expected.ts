/**
 * The executable semantics of ARS 1.0. Which part says what:
 *
 * | file | renders |
 * |---|---|
 * | expression.ts, scope.ts | Ch5, expressions: CEL over recorded values, errors are never false |
 * | attempt.ts | Ch5, one invocation: preconditions, success condition, postconditions, output schema, timeouts |
 * | contract.ts | Ch5, references, retry limits by error class, policy and determinism |
 * | action-node.ts | Ch5, attempts of a node, and the live judgement of a failure whose effect is not known |
 * | judgement.ts | Ch6, the table of decisions for interrupted executions and for live failures |
 * | state.ts | Ch4 and Ch6, State as the fold of committed state changes, versions, conflicts |
 * | script.ts | the suite's own part: what a hosted action and its probe answer |
 * | read-json.ts | Ch4, what a JSON text may hold |
 * | recovery-steps.ts | Ch6, the records of a decision, step by step |
 * | expression-form.ts | Ch5, which texts are expressions at all |
 * | mapping.ts | Ch7, mappings |
 * | retry-node.ts, undo-order.ts | Ch7, what error nodes do |
 * | firing.ts | Ch7, taken and dead edges, joins, skipping, drain, the final status |
 * | instance.ts | Ch7, inputs, conditions |
 * | tree.ts, documents.ts, undoing.ts | Ch7, a whole undisturbed run: error nodes, child instances, what they undo |
 * | gate.ts, governance-gate.ts, safety-gate.ts | Ch9, the gates that depend on agents, permissions, policies and confirmations |
 * | judge*.ts | Ch5–Ch7 as predicates over what was observed of a run, killed or not |
 */
import { SuiteError } from '../error.js';
import type { Program } from '../program.js';
import { hasHandlers } from './documents.js';
import { type finalStatus, type Graph, graphOf, type Resolution } from './firing.js';
import { mayStart } from './gate.js';
import type { Ended } from './instance.js';
import type { JsonObject } from './json.js';
import { evaluateObjectMapping } from './mapping.js';
import type { Scope } from './scope.js';
import type { Fold } from './state.js';
import { runTree } from './tree.js';

/** What State may hold under one key: its version, and each writer that may have been the last, with its value. */
export interface ExpectedEntry {
  readonly version: number;
  readonly last: readonly { readonly node_id: string; readonly value?: unknown }[];
}

/** What an undisturbed run of a program comes to. */
export interface Expected {
  readonly start: 'allowed' | 'denied';
  readonly status: ReturnType<typeof finalStatus>;
  /** Every decided node. With `exact`, nothing more and nothing less; else an upper bound. */
  readonly nodes: ReadonlyMap<string, Resolution>;
  /** The outputs of the workflow; absent unless it completed. */
  readonly outputs?: JsonObject;
  readonly state: ReadonlyMap<string, ExpectedEntry>;
  /** False where the instance stops in the middle, at a moment that timing decides. */
  readonly exact: boolean;
}

/** When the governance gate of a model run decides; permissions of the generators end long before it or long after. */
export const MODEL_TIME = '2026-01-01T00:00:00.000Z';

/**
 * What a program without kills comes to. Throws suite_bug for a program that timing decides: two nodes that the graph does
 * not order write one key, and one of them expects a version.
 */
export function expected(program: Program, pick?: (decided: number) => number): Expected {
  if (!mayStart(program, MODEL_TIME)) {
    return { start: 'denied', status: 'failed', nodes: new Map(), state: new Map(), exact: true };
  }
  const graph = graphOf(program.workflow);
  const { root, fold } = runTree(program, pick);
  const { status, outputs, resolved } = root;
  return {
    start: 'allowed',
    status,
    nodes: resolved,
    state: hasHandlers(program) ? versionsIn(fold) : expectedState(graph, { resolved, fold, scope: root.scope }),
    exact: status !== 'in_doubt' && status !== 'running',
    ...(outputs === undefined ? {} : { outputs }),
  };
}

/** The outputs of a completed instance; undefined where they cannot be evaluated, which fails it. */
export function workflowOutputs(program: Program, scope: Scope): JsonObject | undefined {
  const mapped = evaluateObjectMapping(program.workflow.outputs ?? {}, scope);
  return 'value' in mapped ? mapped.value : undefined;
}

/** How often each key was written; who wrote last depends on what was undone. */
function versionsIn(fold: Fold): ReadonlyMap<string, ExpectedEntry> {
  return new Map([...fold].map(([key, { version }]) => [key, { version, last: [] }]));
}

interface Write {
  readonly node_id: string;
  readonly checked: boolean;
  readonly committed: boolean;
  readonly value?: unknown;
}

/** What State may hold after an instance, by key. */
export function expectedState(graph: Graph, ended: Ended): ReadonlyMap<string, ExpectedEntry> {
  const writers = new Map<string, Map<string, Write>>();
  for (const [node_id, { run }] of ended.resolved) {
    if (run === undefined) continue;
    const committed = run.committed;
    for (const change of committed ? run.changes : run.contested) {
      const base = { node_id, committed, checked: change.expected_version !== undefined };
      const writes = writers.get(change.key) ?? new Map<string, Write>();
      writers.set(change.key, writes.set(node_id, change.op === 'put' ? { ...base, value: change.value } : base));
    }
  }
  const state = new Map<string, ExpectedEntry>();
  for (const [key, writes] of writers) {
    const last = writes.size === 1 ? [...writes.values()] : lastOf(graph, key, writes);
    const entry = ended.fold.get(key);
    if (entry !== undefined)
      state.set(key, { version: entry.version, last: last.filter(write => write.committed).map(asLast) });
  }
  for (const [key, { version }] of ended.fold) if (!state.has(key)) state.set(key, { version, last: [] });
  return state;
}

function asLast({ checked: _, committed: __, ...last }: Write): ExpectedEntry['last'][number] {
  return last;
}

/** The committed writers of a key after which the graph orders no other one. */
function lastOf(graph: Graph, key: string, writes: ReadonlyMap<string, Write>): Write[] {
  const after = new Map([...writes.keys()].map(id => [id, descendants(graph, id)]));
  const precedes = (a: string, b: string) => after.get(a)?.has(b) === true;
  const all = [...writes.values()];
  for (const { node_id: a, checked } of all) {
    const rival = checked ? all.find(({ node_id: b }) => a !== b && !precedes(a, b) && !precedes(b, a)) : undefined;
    if (rival !== undefined) {
      throw new SuiteError('suite_bug', `"${a}" and "${rival.node_id}" race for "${key}"`, { details: { key } });
    }
  }
  return all.filter(({ node_id: a }) => all.every(({ node_id: b, committed }) => !committed || !precedes(a, b)));
}

/** All nodes below a node. */
export function descendants(graph: Graph, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const edge of graph.outs.get(id) ?? []) {
      if (found.has(edge.to_node)) continue;
      found.add(edge.to_node);
      open.push(edge.to_node);
    }
  }
  return found;
}
