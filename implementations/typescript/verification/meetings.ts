import type { VerificationContext } from './context.js';
import { planRun } from './scenario-plan.js';
import { execute } from './scenarios.js';
import { orderNodes } from './structure.js';

/** How often one pair is tried, each time with other branches. */
const ROUNDS = 16;
/** How many nodes and edges all attempts together may go over: some always, and a number of times the graph. */
const EFFORT = 20_000_000;
const EFFORT_PER_PART = 24;

/** Two nodes of which an execution is looked for that runs both, the first with an outcome where that matters. */
export interface Meeting {
  readonly committed: number;
  readonly outcome: string | undefined;
  readonly runs: number;
}

/**
 * Returns for each key of the pairs, in their order, the first pair found of which an execution runs both, by trying
 * executions that are planned for it: it may miss one and never gives one wrongly. Needs a graph without cycles.
 */
export function findMeetings(
  context: VerificationContext,
  pairs: readonly Meeting[],
  keysOf: (pair: Meeting) => readonly string[],
): { met: Map<string, Meeting>; gaveUp: boolean } {
  const { graph } = context;
  const met = new Map<string, Meeting>();
  const size = graph.nodeCount + graph.edgeCount;
  let order: Int32Array | undefined;
  let effort = EFFORT + EFFORT_PER_PART * size;
  for (const pair of pairs) {
    const keys = keysOf(pair).filter(key => !met.has(key));
    if (keys.length === 0) continue;
    order ??= orderNodes(context.components);
    for (let round = 0; round < ROUNDS; round++) {
      if (effort <= 0) return { met, gaveUp: true };
      effort -= size;
      if (!meets(context, order, pair, round)) continue;
      for (const key of keys) met.set(key, pair);
      break;
    }
  }
  return { met, gaveUp: false };
}

function meets(context: VerificationContext, order: Int32Array, pair: Meeting, round: number): boolean {
  const { committed, outcome, runs } = pair;
  const wishes = [
    { node: runs, outcome: undefined },
    { node: committed, outcome },
  ];
  const plan = planRun(context, round % 2 === 0 ? wishes : wishes.reverse(), round >> 1);
  if (plan === undefined) return false;
  const { ran } = execute(context, order, node => plan.get(node) ?? 'success');
  return ran[runs] === 1 && ran[committed] === 1;
}
