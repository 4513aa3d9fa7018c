import type { AuditRecord, Node } from '../../schemas/types.js';
import { type Graph, undoesInstance } from './firing.js';
import type { ReadInstance } from './read-instance.js';
import { isStopped, readyAt, resolvedAt, type Tell } from './read-places.js';

/** One undo of a committed execution: all its executions, redos included, and how the last ended. */
interface Undo {
  readonly original: string;
  readonly first: number;
  last: number;
  status: AuditRecord['status'];
}

/**
 * Judges what error nodes undid (EN3, RB1, FB7): everything that had committed, the last commit first, each once although
 * one fails, once nothing else of the instance was ready or running. What error nodes undid is added to `claimed`.
 */
export function judgeInstanceUndos(
  instance: ReadInstance,
  all: readonly ReadInstance[],
  log: readonly AuditRecord[],
  tell: Tell,
  claimed: Set<string>,
): void {
  const undos = undosIn(log);
  const family = withFamily(instance, all);
  for (const { node, ready, record } of undoingNodes(instance)) {
    const until = record?.sequence ?? Number.POSITIVE_INFINITY;
    const own = undos.filter(
      ({ first, original }) => first > ready && first < until && family.has(ownerOf(original, log)),
    );
    for (const { original } of own) claimed.add(original);
    // An undo that another error node, here or below, asked for is that one's.
    const mine = own.filter(undo => !byOther(undo, node.node_id, instance, all, log));
    const begun = mine[0]?.first ?? until;
    const due = dueAt(begun, family, log);
    const done = mine.map(({ original }) => original);
    const missing = due.find((id, at) => done[at] !== id);
    if (record !== undefined && missing !== undefined && !isStopped(instance))
      tell('EN3', `undone in turn: ${due.join(', ')}`, done.join(', ') || 'nothing', node.node_id);
    else if (record === undefined && done.some((id, at) => due[at] !== id))
      tell('EN3', `undone in turn: ${due.join(', ')}`, done.join(', '), node.node_id);
    if (record !== undefined) {
      const failed = mine.some(({ status }) => status !== 'committed');
      if (!isStopped(instance) && failed !== (record.status === 'failure'))
        tell('EN3', failed ? 'failure' : 'success', record.status, node.node_id);
      judgeTurn(node, begun, until, instance, tell);
    }
  }
}

/** The error nodes of an instance that undo it and were ready, in the order of their records. */
function undoingNodes(instance: ReadInstance) {
  return [...instance.graph.nodes.values()]
    .filter(node => undoesInstance(node) && isReached(node, instance))
    .map(node => ({
      node,
      ready: readyAt(node.node_id, instance),
      record: instance.outcomes.get(node.node_id)?.[0],
    }))
    .sort((a, b) => (a.record?.sequence ?? 1e15) - (b.record?.sequence ?? 1e15));
}

function isReached({ node_id }: Node, { resolved }: ReadInstance): boolean {
  const outcome = resolved.get(node_id)?.outcome;
  return outcome !== undefined && outcome !== 'skipped';
}

/** FB7: no other node of the instance is ready or running while a node undoes, and of several the smallest is first. */
function judgeTurn(node: Node, begun: number, until: number, instance: ReadInstance, tell: Tell): void {
  for (const other of instance.graph.nodes.values()) {
    if (other === node || !isReached(other, instance) || isBehind(node.node_id, other.node_id, instance.graph))
      continue;
    const ready = readyAt(other.node_id, instance);
    const resolved = resolvedAt(other.node_id, instance);
    if (ready >= begun || resolved < begun) continue;
    const waits = undoesInstance(other) && resolved > until && node.node_id < other.node_id;
    if (!waits) tell('FB7', `'${other.node_id}' first, ready since ${ready}`, `undoing from ${begun} on`, node.node_id);
  }
}

function isBehind(from: string, node_id: string, graph: Graph): boolean {
  const open = [from];
  const seen = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { to_node } of graph.outs.get(at) ?? []) {
      if (to_node === node_id) return true;
      if (!seen.has(to_node)) open.push(to_node);
      seen.add(to_node);
    }
  }
  return false;
}

/** The instance, what it resumes, and everything below these, by execution_id. */
function withFamily(instance: ReadInstance, all: readonly ReadInstance[]): ReadonlySet<string> {
  const family = new Set<string>();
  for (let at: ReadInstance | undefined = instance; at !== undefined; at = at.resumes)
    family.add(at.start.execution_id);
  for (const { start, parent } of all)
    if (parent !== undefined && family.has(parent.start.execution_id)) family.add(start.execution_id);
  return family;
}

function ownerOf(original: string, log: readonly AuditRecord[]): string {
  return (
    log.find(({ record_type, execution_id }) => record_type === 'action' && execution_id === original)
      ?.parent_execution_id ?? ''
  );
}

/** Whether an undo lies in the turn of another error node: of the same instance, or of one below it. */
function byOther(
  undo: Undo,
  node_id: string,
  instance: ReadInstance,
  all: readonly ReadInstance[],
  log: readonly AuditRecord[],
): boolean {
  return all.some(other =>
    undoingNodes(other).some(({ node, ready, record }) => {
      if (other === instance && node.node_id === node_id) return false;
      const until = record?.sequence ?? Number.POSITIVE_INFINITY;
      if (undo.first <= ready || undo.first >= until) return false;
      if (!withFamily(other, all).has(ownerOf(undo.original, log))) return false;
      if (other !== instance) return isBelow(other, instance);
      const own = instance.outcomes.get(node_id)?.[0]?.sequence ?? Number.POSITIVE_INFINITY;
      return until < own;
    }),
  );
}

function isBelow(instance: ReadInstance, of: ReadInstance): boolean {
  for (let at = instance.parent; at !== undefined; at = at.parent) if (at === of) return true;
  return false;
}

/** The executions that are to be undone at a moment, the last commit first. */
function dueAt(begun: number, family: ReadonlySet<string>, log: readonly AuditRecord[]): readonly string[] {
  const due: string[] = [];
  for (const record of log) {
    if (record.sequence >= begun) break;
    if (record.record_type !== 'action') continue;
    if (record.status === 'rolled_back' || record.status === 'compensated')
      due.splice(due.indexOf(record.execution_id), 1);
    if (record.status !== 'committed' || (record.purpose ?? 'execute') !== 'execute') continue;
    if (record.rollback !== 'irreversible' && family.has(record.parent_execution_id ?? ''))
      due.push(record.execution_id);
  }
  return due.reverse();
}

/** The undos of committed executions in a log, those of requests too. */
export function undosIn(log: readonly AuditRecord[]): readonly Undo[] {
  const committed = new Set<string>();
  const byExecution = new Map<string, Undo>();
  const found: Undo[] = [];
  for (const record of log) {
    if (record.record_type !== 'action') continue;
    const { execution_id, status, sequence, purpose = 'execute', refers_to = [] } = record;
    if (purpose === 'execute') {
      if (status === 'committed') committed.add(execution_id);
      continue;
    }
    const known = byExecution.get(execution_id);
    if (known !== undefined) {
      known.status = status;
      known.last = sequence;
      continue;
    }
    const original = refers_to.at(-1) ?? '';
    if (!committed.has(original)) continue;
    const redone = refers_to.map(id => byExecution.get(id)).find(undo => undo !== undefined);
    const undo = redone ?? { original, first: sequence, last: sequence, status };
    undo.status = status;
    if (redone === undefined) found.push(undo);
    byExecution.set(execution_id, undo);
  }
  return found;
}
