import type { Node, TraceEntry } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { LedgerEntry, Observation, Program } from '../program.js';
import { boundOf, subjectOf, undoOfCommitted } from './documents.js';
import { type Resolution, takes } from './firing.js';
import { own, sameJson } from './json.js';
import { blameStatus } from './judge-instances.js';
import { type Call, runTree, type Tree, type TreeInstance } from './tree.js';

/**
 * What an undisturbed run of a program with error nodes or skills breaks, by the trace and the ledger: they have to be what
 * the model comes to. A run that the model leaves open, because something is in doubt, is not judged here.
 */
export function judgeTree(program: Program, observation: Observation): Violation[] {
  const { wait, kills } = observation;
  const tree = runTree(program);
  const open = tree.instances.some(({ status }) => status === 'in_doubt' || status === 'running');
  if (kills > 0 || open || wait === undefined || wait.status === 'running') return [];
  const found: Violation[] = [];
  judgeCalls(program, tree, observation, found);
  judgeTraced(tree, new Map(wait.trace.map(entry => [entry.node_id, entry])), found);
  judgeUndone(tree, program, observation, found);
  judgeEnd(tree.root, wait, found);
  return found;
}

/** The first node of each path that was resolved otherwise than the model says. */
function judgeTraced({ root }: Tree, trace: ReadonlyMap<string, TraceEntry>, found: Violation[]): void {
  const { graph, resolved } = root;
  const wrong = new Set<string>();
  for (const [node_id, resolution] of resolved) {
    if ((graph.ins.get(node_id) ?? []).some(({ from_node }) => wrong.has(from_node))) {
      wrong.add(node_id);
      continue;
    }
    const seen = trace.get(node_id);
    const node = graph.nodes.get(node_id) as Node;
    const same = seen?.outcome === resolution.outcome;
    if (same && seen.attempts === resolution.attempts) continue;
    if (!same) wrong.add(node_id);
    const requirement = same ? blameAttempts(node, seen.attempts, resolution, root) : blameOutcome(node, seen, root);
    const tell = ({ outcome, attempts }: { outcome: string; attempts: number }) =>
      `${outcome} after ${attempts} attempts`;
    const observed = seen === undefined ? 'no entry in the trace' : tell(seen);
    found.push({ requirement, expected: tell(resolution), observed, node_id });
  }
}

function blameOutcome(node: Node, seen: TraceEntry | undefined, instance: TreeInstance): string {
  const { graph, resolved } = instance;
  if (seen === undefined) return 'CF8';
  const expected = resolved.get(node.node_id)?.outcome;
  if (seen.outcome !== 'skipped' && expected !== 'skipped') return blameHandling(node);
  const ins = graph.ins.get(node.node_id) ?? [];
  const sources = ins.map(edge => ({
    edge,
    from: resolved.get(edge.from_node),
    node: graph.nodes.get(edge.from_node),
  }));
  const failed = sources.find(({ from }) => from?.outcome === 'failure');
  if (failed?.from?.drains === true)
    return failed.from.error_class === 'E5' && failed.node?.type === 'action' ? 'FB3' : 'FB2';
  if (node.type === 'error' && expected === 'skipped') return 'EN1';
  if (failed?.node?.type === 'skill' && takes(failed.from as Resolution, failed.edge)) return 'FB6';
  if (ins.length > 1) return node.type !== 'error' && 'join_type' in node && node.join_type === 'AND' ? 'CF4' : 'CF5';
  return sources[0]?.from?.outcome === 'skipped' ? 'EB4' : 'CF2';
}

/** What a node breaks that came to another outcome. */
function blameHandling(node: Node): string {
  switch (node.type) {
    case 'action':
      return 'AN2';
    case 'condition':
      return 'CN1';
    case 'skill':
      return 'SN2';
    case 'terminal':
      return 'TN1';
    default:
      if (node.handling === 'retry') return 'EN2';
      if (node.handling === 'fail') return 'EN4';
      return node.compensate_ref === undefined ? 'EN3' : 'AN2';
  }
}

function blameAttempts(node: Node, attempts: number, expected: Resolution, { graph, program }: TreeInstance): string {
  if (node.type === 'skill') return 'SN1';
  const subject = subjectOf(node, graph);
  if (node.type !== 'error' || node.handling !== 'retry' || subject === undefined) return 'CF10';
  const over = subject.type === 'skill' && attempts > expected.attempts && boundOf(subject, program) < 3;
  return over ? 'SN3' : 'EN2';
}

/** Which invocations there were, in what order for one node, and what each was given. */
function judgeCalls(program: Program, { calls, root }: Tree, { ledger }: Observation, found: Violation[]): void {
  const due = grouped(calls, ({ node_id }) => node_id);
  const made = grouped(
    ledger.filter(({ kind, action_id }) => kind === 'invoke' && own(program.script.actions, action_id) === undefined),
    ({ node_id = '' }) => node_id,
  );
  for (const node_id of new Set([...due.keys(), ...made.keys()])) {
    const [expected, observed] = [due.get(node_id) ?? [], made.get(node_id) ?? []];
    const place = { node_id, ...(observed[0] === undefined ? {} : { execution_id: observed[0].execution_id }) };
    if (expected.length !== observed.length) {
      const requirement = blameNumber(node_id, expected, observed, root);
      const [wanted, seen] = [`${expected.length} invocations`, `${observed.length} invocations`];
      found.push({ ...place, requirement, expected: wanted, observed: seen });
      continue;
    }
    judgeEach(node_id, expected, observed, found);
  }
}

function judgeEach(
  node_id: string,
  expected: readonly Call[],
  observed: readonly LedgerEntry[],
  found: Violation[],
): void {
  const keys = new Map<string, string>();
  for (const [index, call] of expected.entries()) {
    const { attempt, inputs, idempotency_key, execution_id } = observed[index] as LedgerEntry;
    const place = { node_id, execution_id };
    if (attempt !== undefined && attempt !== call.attempt)
      found.push({
        ...place,
        requirement: 'CF10',
        expected: `attempt ${call.attempt}`,
        observed: `attempt ${attempt}`,
      });
    if (!sameJson(inputs, call.inputs))
      found.push({
        ...place,
        requirement: 'EB2',
        expected: `inputs ${JSON.stringify(call.inputs)}`,
        observed: `inputs ${JSON.stringify(inputs)}`,
      });
    const effect = `${call.undos} ${expected.findIndex(({ instance }) => instance === call.instance)}`;
    const key = keys.get(effect);
    keys.set(effect, key ?? idempotency_key);
    if (key !== undefined && key !== idempotency_key)
      found.push({ ...place, requirement: 'ID1', expected: `key ${key}`, observed: `key ${idempotency_key}` });
  }
}

function blameNumber(
  node_id: string,
  expected: readonly Call[],
  observed: readonly LedgerEntry[],
  root: TreeInstance,
): string {
  const { graph, program } = expected[0]?.instance ?? root;
  const node = graph.nodes.get(node_id);
  const resumed = new Set(expected.map(({ instance }) => instance)).size > 1;
  const more = observed.length > expected.length;
  if (node === undefined) return 'SN1';
  if (more && !resumed && observed.length > 1 + boundOf(node, program)) return 'CF9';
  const retried = [...graph.nodes.values()].some(
    other => other.type === 'error' && other.handling === 'retry' && subjectOf(other, graph) === node,
  );
  if (retried || resumed) return 'EN2';
  return more ? 'AN5' : 'AN2';
}

/** What was undone: everything that had to be, nothing else, and what had committed last first. */
function judgeUndone(tree: Tree, program: Program, { ledger }: Observation, found: Violation[]): void {
  const owners = new Map<string, LedgerEntry>();
  const undone: LedgerEntry[] = [];
  for (const entry of ledger) {
    if (entry.kind !== 'invoke') continue;
    const isUndo = own(program.script.actions, entry.action_id) !== undefined;
    const original = owners.get(String(own(entry.inputs, 'execution_id')));
    if (!isUndo) owners.set(entry.execution_id, entry);
    else if (original !== undefined) undone.push(original);
  }
  const due = tree.commits.all
    .filter(
      ({ state, action, instance }) => state !== 'committed' && undoOfCommitted(action, instance.program) !== undefined,
    )
    .map(({ node_id }) => node_id);
  const live = tree.instances.flatMap(({ resolved }) => [...resolved].filter(([, { run }]) => run?.undo !== undefined));
  const allowed = [...due, ...live.map(([node_id]) => node_id)];
  for (const node_id of due)
    if (undone.every(original => original.node_id !== node_id))
      found.push({ requirement: 'EN3', expected: 'an undo of what has committed', observed: 'none', node_id });
  for (const { node_id = '' } of undone)
    if (!allowed.includes(node_id))
      found.push({ requirement: 'RB1', expected: 'no undo that nobody asked for', observed: 'an undo', node_id });
  for (const [index, original] of undone.entries()) {
    const next = undone[index + 1];
    const [a, b] = [original.node_id ?? '', next?.node_id ?? ''];
    if (next === undefined || original.replied_at === undefined || original.replied_at > next.received_at) continue;
    const together = tree.commits.all.filter(({ node_id }) => node_id === a || node_id === b);
    if (together.length !== 2 || together[0]?.instance !== together[1]?.instance) continue;
    if (undoers(together[0]?.instance as TreeInstance) !== 1) continue;
    const expected = `'${b}' before '${a}', since it committed later`;
    found.push({ requirement: 'EN3', expected, observed: `'${a}' before '${b}'`, node_id: a });
  }
}

/** How many nodes can have undone what an instance committed: its own and those of the instances above it. */
function undoers(instance: TreeInstance): number {
  let count = 0;
  for (let at: TreeInstance | undefined = instance; at !== undefined; at = at.parent)
    count += [...at.graph.nodes.values()].filter(
      node => node.type === 'error' && (node.handling === 'rollback' || node.handling === 'compensate'),
    ).length;
  return count;
}

function judgeEnd(root: TreeInstance, wait: NonNullable<Observation['wait']>, found: Violation[]): void {
  const { status, outputs = {}, error } = root;
  if (wait.status !== status) {
    found.push({
      requirement: blameStatus(root, status),
      expected: `it ends ${status}`,
      observed: `the instance ended ${wait.status}`,
    });
  } else if (status === 'completed' && !sameJson(wait.outputs ?? {}, outputs)) {
    const observed = JSON.stringify(wait.outputs) ?? 'none';
    found.push({ requirement: 'EB3', expected: `outputs ${JSON.stringify(outputs)}`, observed });
  } else if (error?.node_id !== undefined && wait.error !== undefined) {
    const seen = wait.error;
    if (seen.node_id === error.node_id && seen.error_class === error.error_class) return;
    const node = root.graph.nodes.get(error.node_id);
    const requirement = node?.type === 'skill' ? 'FB6' : node?.type === 'error' ? blameHandling(node) : 'FB2';
    const expected = `${error.error_class} of '${error.node_id}'`;
    found.push({ requirement, expected, observed: `${seen.error_class} of '${seen.node_id}'` });
  }
}

function grouped<T>(items: readonly T[], name: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(name(item));
    if (group === undefined) groups.set(name(item), [item]);
    else group.push(item);
  }
  return groups;
}
