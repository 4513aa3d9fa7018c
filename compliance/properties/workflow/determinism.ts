import * as fc from 'fast-check';
import { handledPrograms } from '../../generators/handled.js';
import { decided } from '../../model/decided.js';
import { sameJson } from '../../model/json.js';
import type { Behaviour, Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { graphProgram } from '../cases.js';
import { diamond } from '../drawn.js';
import { invoked, refused, started } from '../seen.js';
import { retriedBeside } from './handled-programs.js';

/** A program with two ways to time it: they must not show in what is decided. */
interface Timed {
  readonly program: Program;
  readonly timings: readonly Timing[];
}

interface Timing {
  readonly max_parallel: number;
  /** How long invocations take, in milliseconds, dealt out to the nodes in turn. */
  readonly delays: readonly number[];
}

const timing: fc.Arbitrary<Timing> = fc.record({
  max_parallel: fc.integer({ min: 1, max: 4 }),
  delays: fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 4 }),
});

/** The same definition, inputs and results give the same graph of executions, however they are timed. */
export const determinism = caseProperty<Timed, readonly Observation[]>({
  id: 'workflow/determinism',
  title: 'outcomes, attempts, inputs, outputs and status depend neither on parallelism nor on speed',
  kind: 'program',
  requirements: ['WII1'],
  weight: 0.5,
  cases: fc
    .tuple(fc.oneof({ weight: 2, arbitrary: graphProgram }, { weight: 1, arbitrary: handledPrograms }), timing)
    .map(([program, other]) => ({ program, timings: [{ max_parallel: 1, delays: [0] }, other] })),
  examples: [
    {
      program: retriedBeside(),
      timings: [
        { max_parallel: 1, delays: [0] },
        { max_parallel: 4, delays: [0, 30, 0, 0] },
        { max_parallel: 4, delays: [0, 0, 30, 0] },
      ],
    },
  ],
  control: {
    title: 'a split and a join, one at a time and four at a time, with either branch the slower one',
    case: {
      program: diamond('OR'),
      timings: [
        { max_parallel: 1, delays: [0] },
        { max_parallel: 4, delays: [0, 30, 0, 0] },
        { max_parallel: 4, delays: [0, 0, 30, 0] },
      ],
    },
  },
  twins: [
    {
      requirement: 'WII1',
      title: 'one of the runs with another outcome of one node',
      tamper: ([first, ...others]) => [otherOutcome(first as Observation), ...others],
    },
  ],
  examine: async (subject, { program, timings }) => {
    const evidence: Observation[] = [];
    for (const one of timings) evidence.push(await subject.observe(timed(program, one)));
    const violations = evidence.flatMap(seen => seen.violations ?? []);
    return { evidence, kills: 0, violations, refused: evidence.every(refused) };
  },
  judge: ({ program }, evidence) => [judge(new Set(Object.keys(program.script.actions ?? {})), evidence)],
});

function judge(undos: ReadonlySet<string>, evidence: readonly Observation[]): Check {
  const [first, ...others] = evidence as [Observation, ...Observation[]];
  const settled = evidence.every(({ wait }) => wait === undefined || !OPEN.has(wait.status));
  const reached = settled && started(first) && invoked(first);
  if (!settled) return { requirement: 'WII1', reached: false };
  const expected = decided(first, undos);
  for (const other of others) {
    const observed = decided(other, undos);
    if (sameJson(expected, observed)) continue;
    const failure: Failure = { message: 'another timing gave another result', expected, observed };
    return { requirement: 'WII1', reached: true, failure };
  }
  return { requirement: 'WII1', reached };
}

const OPEN: ReadonlySet<string> = new Set(['running', 'in_doubt']);

/** The program in another timing; what hangs or outlasts its limit keeps its time, since that decides its result. */
function timed(program: Program, { max_parallel, delays }: Timing): Program {
  const nodes = Object.entries(program.script.nodes).map(([id, behaviours], index) => {
    const delay_ms = delays[index % delays.length] ?? 0;
    const slower = (behaviour: Behaviour): Behaviour =>
      behaviour.reply === undefined || (behaviour.delay_ms ?? 0) > 60 ? behaviour : { ...behaviour, delay_ms };
    return [id, behaviours.map(slower)] as const;
  });
  return { ...program, kills: [], max_parallel, script: { ...program.script, nodes: Object.fromEntries(nodes) } };
}

function otherOutcome(observation: Observation): Observation {
  const { wait } = observation;
  if (wait === undefined) return { ...observation, start: { error: { kind: 'denied' } } };
  const [first, ...others] = wait.trace;
  const trace = first === undefined ? [] : [{ ...first, outcome: 'failure' }, ...others];
  return { ...observation, wait: { ...wait, trace } };
}
