import { ALWAYS, SUCCESS } from './columns.js';
import type { VerificationContext } from './context.js';
import { Planner, UNDECIDED, type Wish } from './scenario-plan.js';
import { execute } from './scenarios.js';

/** How often one pair is tried, each time with other branches. */
const ROUNDS = 16;
/** How many nodes and edges all attempts together may go over: some always, and a number of times the graph. */
const EFFORT = 5_000_000;
const EFFORT_PER_PART = 24;

/** Two nodes of which an execution is looked for that runs both, the first with an outcome, as a label's number, where that matters. */
export interface Meeting {
  readonly committed: number;
  readonly outcome: number | undefined;
  readonly runs: number;
}

/**
 * Returns for each key of the pairs, in their order, the first pair found of which an execution runs both, by trying
 * executions that are planned for it: it may miss one, which leaves the answer open, and never gives one wrongly. Needs a
 * graph without cycles.
 */
export function findMeetings(
  context: VerificationContext,
  pairs: readonly Meeting[],
  keysOf: (pair: Meeting) => readonly string[],
): { met: Map<string, Meeting>; isOpen: boolean } {
  const { graph } = context;
  const met = new Map<string, Meeting>();
  const size = graph.nodeCount + graph.edgeCount;
  let effort = EFFORT + EFFORT_PER_PART * size;
  for (const group of groupByRun(pairs).values()) {
    effort -= size;
    const late = effort > 0 ? runLate(context, (group[0] as Meeting).runs) : undefined;
    if (late !== undefined) for (const pair of group) note(pair, late);
    for (const [at, pair] of group.entries()) {
      if (keysOf(pair).every(key => met.has(key))) continue;
      for (let round = 0; round < ROUNDS; round++) {
        if (effort <= 0) return { met, isOpen: true };
        effort -= size;
        const happens = bringTogether(context, pair, round);
        if (happens === undefined) continue;
        // What the execution shows of this pair it often shows of the others, too.
        effort -= group.length - at;
        for (let other = at; other < group.length; other++) note(group[other] as Meeting, happens);
        break;
      }
    }
  }
  return { met, isOpen: pairs.some(pair => keysOf(pair).some(key => !met.has(key))) };

  function note(pair: Meeting, happens: (pair: Meeting) => boolean): void {
    if (!happens(pair)) return;
    for (const key of keysOf(pair)) if (!met.has(key)) met.set(key, pair);
  }
}

function groupByRun(pairs: readonly Meeting[]): Map<number, Meeting[]> {
  const groups = new Map<number, Meeting[]>();
  for (const pair of pairs) {
    const group = groups.get(pair.runs);
    if (group === undefined) groups.set(pair.runs, [pair]);
    else group.push(pair);
  }
  return groups;
}

/** Plans an execution that runs both; returns what it tells of a pair, undefined where it does not run these two. */
function bringTogether(
  context: VerificationContext,
  wanted: Meeting,
  round: number,
): ((pair: Meeting) => boolean) | undefined {
  const wishes = [
    { node: wanted.runs, outcome: undefined },
    { node: wanted.committed, outcome: wanted.outcome },
  ];
  const happens = follow(context, round % 2 === 0 ? wishes : wishes.reverse(), round >> 1);
  return happens?.(wanted) === true ? happens : undefined;
}

/** Plans an execution that runs a node as late as it can be, when most has committed; returns what it tells of a pair. */
function runLate(context: VerificationContext, node: number): ((pair: Meeting) => boolean) | undefined {
  const { graph, components } = context;
  let last: number | undefined;
  for (const edge of context.in(node)) {
    // Edges between components lead to a smaller number.
    const component = (at: number): number => components.of[graph.source[at] as number] as number;
    if (last === undefined || component(edge) < component(last)) last = edge;
  }
  if (last === undefined) return undefined;
  const label = context.columns.label[last] as number;
  const wish = { node: context.graph.source[last] as number, outcome: label === ALWAYS ? undefined : label };
  return follow(context, [wish], 0);
}

/**
 * Executes a plan under which the wished nodes run; returns what it tells of a pair, undefined where this round finds no
 * such plan.
 */
function follow(
  context: VerificationContext,
  wishes: readonly Wish[],
  round: number,
): ((pair: Meeting) => boolean) | undefined {
  const planner = new Planner(context);
  planner.begin(round, 2 * context.graph.edgeCount);
  if (!planner.wish(wishes)) return undefined;
  const { outcomes } = planner;
  const outcomeOf = (node: number): number => (outcomes[node] === UNDECIDED ? SUCCESS : (outcomes[node] as number));
  const { ran } = execute(context, outcomeOf);
  return ({ committed, outcome, runs }) =>
    ran[runs] === 1 && ran[committed] === 1 && (outcome === undefined || outcomeOf(committed) === outcome);
}
