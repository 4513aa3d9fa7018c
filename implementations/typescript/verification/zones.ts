import type { Node, PartialFailureZone, RemainingEffect } from '../../../schemas/types.js';
import { actionKey } from '../execution/contract.js';
import { int32s } from '../workflow/number-arrays.js';
import type { Closure, Effects, Executions } from './closure.js';
import type { VerificationContext } from './context.js';
import { compareNames, listNames } from './rule.js';
import { undoes } from './values/known-values.js';

/** How many effects of one zone are named. */
const MOST_NAMED = 8;

/** What a failure leads to in the end, after every retry: an error node, nothing, or an always edge. */
type Ending = number;
const NOTHING: Ending = -1;
const GOES_ON: Ending = -2;

/** Places in the order of names of nodes with effects, ascending; at most one more than is named. */
type Ranks = readonly number[];
const NONE: Ranks = [];

/** A node with effects. */
interface EffectNode {
  readonly node: number;
  readonly entry: RemainingEffect;
  /** What a skill does stays although it fails. */
  readonly isSkill: boolean;
  readonly effects: Effects;
}

/**
 * Returns the partial-failure zones of a workflow in order of node_id, or why they cannot be found: for each node whose
 * failure can leave effects of nodes before it, which these are, and what the failure leads to.
 *
 * An effect reaches a node over edges that can be taken after it; an error node that undoes lets through only effects
 * that nothing can undo. Takes time in proportion to nodes and edges, since of each set only the first by name are kept.
 *
 * @requirement PFZ1
 * @requirement PFZ2
 * @requirement PFZ3
 */
export function findZones(
  context: VerificationContext,
  executions: Executions,
  closure: Closure,
): PartialFailureZone[] | string {
  const doubt = context.input.defects.length > 0 ? 'the document does not fit its schema' : context.orderDoubt;
  if (doubt !== undefined) return doubt;
  const sources = effectNodes(context, executions, closure);
  if (sources.length === 0) return [];
  const endings = findEndings(context);
  const lasting = arrivals(context, sources, ({ lasting: effect }) => effect !== undefined, false);
  const undoable = arrivals(context, sources, ({ undoable: effect }) => effect !== undefined, true);
  const zones: PartialFailureZone[] = [];
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (!canFail(context.node(node)) || !context.isJudged(node)) continue;
    const ending = endings[node] as Ending;
    const isUndone = handlingOf(context, ending) === 'undo' && !mayBeSkipped(context, ending);
    const ranks = isUndone ? lasting.at(node) : merge(lasting.at(node), undoable.at(node));
    if (ranks.length > 0) zones.push(zoneOf(context, node, ending, ranks, sources));
  }
  return zones.sort((a, b) => compareNames(a.node_id, b.node_id));
}

/** The nodes whose effects can stay, by name. */
function effectNodes(context: VerificationContext, { targets, of }: Executions, closure: Closure): EffectNode[] {
  const effectsOf = targets.map((_, at) => closure.effectsOf(at));
  const found: EffectNode[] = [];
  if (!effectsOf.some(hasEffect)) return found;
  for (let node = 0; node < of.length; node++) {
    const at = of[node] as number;
    const effects = effectsOf[at];
    if (effects !== undefined && hasEffect(effects))
      found.push({
        node,
        effects,
        entry: entryOf(context.node(node).node_id, effects),
        isSkill: targets[at]?.kind === 'skill',
      });
  }
  return found.sort((a, b) => compareNames(a.entry.node_id, b.entry.node_id));
}

function hasEffect({ lasting, undoable }: Effects): boolean {
  return lasting !== undefined || undoable !== undefined;
}

/** For each node which effects have reached it when it fails. */
function arrivals(
  context: VerificationContext,
  sources: readonly EffectNode[],
  counts: (effects: Effects) => boolean,
  undone: boolean,
): { at(node: number): Ranks } {
  const { graph } = context;
  const rankOf = new Map<number, number>();
  for (const [rank, { node, effects }] of sources.entries()) if (counts(effects)) rankOf.set(node, rank);
  if (rankOf.size === 0) return { at: () => NONE };
  const before: Ranks[] = new Array<Ranks>(graph.nodeCount).fill(NONE);
  for (const node of context.order) {
    const subject = context.node(node);
    const passing = undone && undoes(subject) ? NONE : (before[node] as Ranks);
    const rank = rankOf.get(node);
    const own = rank === undefined ? passing : merge(passing, [rank]);
    if (own.length === 0) continue;
    const staysOnFailure = rank !== undefined && sources[rank]?.isSkill === true;
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const edge = graph.outEdges[at] as number;
      const target = graph.target[edge] as number;
      const carried = context.edge(edge).label !== 'failure' || staysOnFailure ? own : passing;
      if (carried.length > 0) before[target] = merge(before[target] as Ranks, carried);
    }
  }
  return {
    at(node) {
      const rank = rankOf.get(node);
      const isOwn = rank !== undefined && sources[rank]?.isSkill === true;
      return isOwn ? merge(before[node] as Ranks, [rank]) : (before[node] as Ranks);
    },
  };
}

/** Both sets together, in order, cut to one more than is named; one of them itself where that has everything. */
function merge(a: Ranks, b: Ranks): Ranks {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  const merged: number[] = [];
  let [i, j] = [0, 0];
  while (merged.length <= MOST_NAMED && (i < a.length || j < b.length)) {
    const [left = Number.POSITIVE_INFINITY, right = Number.POSITIVE_INFINITY] = [a[i], b[j]];
    merged.push(Math.min(left, right));
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return isSame(merged, a) ? a : isSame(merged, b) ? b : merged;
}

function isSame(a: Ranks, b: Ranks): boolean {
  return a.length === b.length && a.every((rank, at) => rank === b[at]);
}

/** For each node what its failure leads to in the end. */
function findEndings(context: VerificationContext): Int32Array {
  const { graph } = context;
  const endings = int32s(graph.nodeCount).fill(NOTHING);
  const order = context.order;
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at] as number;
    const { type } = context.node(node);
    if (type === 'condition' || type === 'terminal') continue;
    const failures: number[] = [];
    let always = false;
    for (let next = graph.outStart[node] as number; next < (graph.outStart[node + 1] as number); next++) {
      const edge = graph.outEdges[next] as number;
      const { label } = context.edge(edge);
      if (label === 'failure') failures.push(edge);
      else if (label === 'always' && type !== 'error') always = true;
    }
    const [failure] = failures.length > 1 ? context.ordered(failures) : failures;
    const target = failure === undefined ? -1 : (graph.target[failure] as number);
    if (target < 0) endings[node] = always ? GOES_ON : isRetry(context.node(node)) ? node : NOTHING;
    else endings[node] = isRetry(context.node(target)) ? (endings[target] as Ending) : target;
  }
  return endings;
}

function zoneOf(
  context: VerificationContext,
  node: number,
  ending: Ending,
  ranks: Ranks,
  sources: readonly EffectNode[],
): PartialFailureZone {
  const handling = handlingOf(context, ending);
  const remains = ranks.slice(0, MOST_NAMED).map(rank => (sources[rank] as EffectNode).entry);
  const more = ranks.length > MOST_NAMED;
  const { node_id } = context.node(node);
  const handler = ending < 0 ? undefined : context.node(ending).node_id;
  return {
    node_id,
    handling,
    ...(handler === undefined ? {} : { handled_by: handler }),
    remains,
    ...(more ? { more } : {}),
    message: zoneText(node_id, handling, handler, remains, more),
  };
}

function entryOf(node_id: string, { lasting, undoable }: Effects): RemainingEffect {
  if (lasting !== undefined) return { node_id, action: actionKey(lasting.action), reason: lasting.reason };
  return { node_id, action: undoable === undefined ? '' : actionKey(undoable), reason: 'not_undone' };
}

function handlingOf(context: VerificationContext, ending: Ending): PartialFailureZone['handling'] {
  if (ending === NOTHING) return 'none';
  if (ending === GOES_ON) return 'continue';
  const handler = context.node(ending);
  if (handler.type !== 'error') return 'continue';
  if (undoes(handler)) return 'undo';
  return handler.handling === 'compensate' ? 'compensate_ref' : handler.handling === 'retry' ? 'retry' : 'fail';
}

const HANDLED: Readonly<Record<PartialFailureZone['handling'] | 'undo_if_all', (by: string) => string>> = {
  none: () => 'nothing handles the failure',
  continue: () => 'the workflow goes on',
  retry: by => `${by} retries it and gives up`,
  fail: by => `${by} undoes nothing`,
  compensate_ref: by => `${by} executes an action of its own and undoes nothing else`,
  undo: by => `${by} undoes what can be undone, and this cannot`,
  undo_if_all: by => `${by} undoes only if every node fails that leads to it`,
};

function zoneText(
  node_id: string,
  handling: PartialFailureZone['handling'],
  handler: string | undefined,
  remains: readonly RemainingEffect[],
  more: boolean,
): string {
  const names = listNames(
    remains.map(effect => effect.node_id),
    MOST_NAMED,
  );
  const one = remains.length === 1 && !more;
  const what = one ? `the effect of ${names} stays` : `the effects of ${names}${more ? ' and others' : ''} stay`;
  const never = remains.filter(({ reason }) => reason !== 'not_undone').map(effect => effect.node_id);
  const isCertain = never.length === remains.length;
  const how = handling === 'undo' && !isCertain ? 'undo_if_all' : handling;
  const lasting = never.length === 0 || how === 'undo' ? '' : `; nothing can undo ${listNames(never, MOST_NAMED)}`;
  return `If "${node_id}" fails, ${what}: ${HANDLED[how](`"${handler}"`)}${lasting}`;
}

/** Whether a handler waits for further failures. */
function mayBeSkipped(context: VerificationContext, handler: number): boolean {
  return context.node(handler).join_type === 'AND' && context.in(handler).length > 1;
}

function canFail(node: Node): boolean {
  if (node.type === 'action' || node.type === 'skill') return true;
  return node.type === 'error' && node.handling === 'compensate' && node.compensate_ref !== undefined;
}

function isRetry(node: Node): boolean {
  return node.type === 'error' && node.handling === 'retry';
}
