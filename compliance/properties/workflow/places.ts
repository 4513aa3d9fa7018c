import type { LedgerEntry, Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';
import { check, unlessSame } from '../dialogue-property.js';
import { draw, gives } from '../drawn.js';
import { refusal, refused } from '../seen.js';

/** A start that names how many invocations may run at one time, of a split of five actions. */
interface Named {
  readonly max_parallel: number;
  /** Whether three of the actions are in a skill. */
  readonly below?: boolean;
}

const ACTIONS = ['a', 'b', 'c', 'd', 'e'];
const SLOW = { ...gives(1), delay_ms: 60 };

/** No more runs side by side than the start names. */
export const places = caseProperty<Named, Observation>({
  id: 'workflow/places',
  title:
    'a split is followed to its end, and no more invocations run at one time than max_parallel says, children included',
  kind: 'program',
  requirements: ['CF3'],
  examples: [{ max_parallel: 1 }, { max_parallel: 2, below: true }],
  control: { title: 'five actions at one time, of which two may run', case: { max_parallel: 2 } },
  twins: [
    {
      requirement: 'CF3',
      title: 'a ledger in which all actions of the split run at one time',
      tamper: seen => {
        const first = Math.min(...seen.ledger.map(({ received_at }) => received_at));
        return { ...seen, ledger: seen.ledger.map(entry => ({ ...entry, received_at: first })) };
      },
    },
  ],
  examine: async (subject, value) => {
    const evidence = await subject.observe(programOf(value));
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [], ...refusal(evidence) };
  },
  inapplicable: evidence => (refused(evidence) ? 'splits' : undefined),
  judge: ({ max_parallel }, { ledger }) => {
    const invoked = new Set(ledger.map(({ node_id }) => node_id));
    const missing = ACTIONS.filter(id => !invoked.has(id));
    return [
      check(
        'CF3',
        unlessSame('actions of the split that never ran', [], missing) ?? unlessWithin(ledger, max_parallel),
      ),
    ];
  },
});

function programOf({ max_parallel, below = false }: Named): Program {
  const own = below ? [...ACTIONS.slice(0, 2), 'sk'] : ACTIONS;
  const { workflow } = split('s2', ACTIONS.slice(2));
  const inner = { ...workflow, workflow: { name: 'inner', version: '1.0.0' } };
  const outer = split('s1', own);
  return { ...outer, max_parallel, ...(below ? { registry: { workflows: [inner] } } : {}) };
}

/** Gives an action whose success leads to others at one time; what is named `sk` is a skill. */
function split(first: string, ids: readonly string[]): Program {
  return draw({
    edges: ids.flatMap(id => [`${first} success ${id}`, `${id} success done`]),
    nodes: {
      [first]: { fan_out: 'parallel' },
      ...(ids.includes('sk') ? { sk: { type: 'skill', workflow_ref: 'inner@^1.0.0' } } : {}),
      done: { join_type: 'OR' },
    },
    script: { s1: [gives(0)], s2: [gives(0)], ...Object.fromEntries(ACTIONS.map(id => [id, [SLOW]])) },
  });
}

/** What is wrong where at the receipt of an invocation too many others were not answered yet. */
function unlessWithin(ledger: readonly LedgerEntry[], max_parallel: number): Failure | undefined {
  const invoked = ledger.filter(({ kind }) => kind === 'invoke');
  const beside = invoked.map(
    ({ received_at }) =>
      invoked.filter(
        one => one.received_at <= received_at && (one.replied_at ?? Number.POSITIVE_INFINITY) > received_at,
      ).length,
  );
  const observed = Math.max(0, ...beside);
  if (observed <= max_parallel) return undefined;
  const message = `${observed} invocations ran at one time, although the start names ${max_parallel}`;
  return { message, expected: `at most ${max_parallel}`, observed };
}
