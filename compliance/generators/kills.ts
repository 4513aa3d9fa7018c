import * as fc from 'fast-check';
import type { FaultPoint } from '../../schemas/types.js';
import type { Kill, Program } from '../program.js';

/** Points of the first incarnation, in the order in which a run passes them. */
const COMMIT_POINTS: readonly FaultPoint[] = [
  'pending_durable',
  'invoked',
  'committing',
  'committed',
  'gate_allowed',
  'compensating',
];

/** Points that a later incarnation passes while it recovers. */
const RECOVERY_POINTS: readonly FaultPoint[] = ['recovery_recorded', 'redo_pending', 'compensating'];

function atPoint(points: readonly FaultPoint[], most: number): fc.Arbitrary<Kill> {
  return fc.record({
    at: fc.constant('point' as const),
    point: fc.constantFrom(...points),
    occurrence: fc.integer({ min: 1, max: most }),
  });
}

const atInvocation: fc.Arbitrary<Kill> = fc.record({
  at: fc.constant('invocation' as const),
  ordinal: fc.integer({ min: 1, max: 6 }),
  when: fc.constantFrom('receipt', 'reply'),
});

const atTime: fc.Arbitrary<Kill> = fc.record({
  at: fc.constant('time' as const),
  after_ms: fc.integer({ min: 0, max: 60 }),
});

/** A kill of the first incarnation; without the capability faults only those that the suite can time by itself. */
function firstKills(withPoints: boolean): fc.Arbitrary<Kill> {
  const own = [
    { weight: 3, arbitrary: atInvocation },
    { weight: 1, arbitrary: atTime },
  ];
  return withPoints ? fc.oneof({ weight: 4, arbitrary: atPoint(COMMIT_POINTS, 5) }, ...own) : fc.oneof(...own);
}

/** A kill of a later incarnation: of recovery itself, or of what goes on after it. */
function laterKills(withPoints: boolean): fc.Arbitrary<Kill> {
  const own = [
    { weight: 1, arbitrary: atInvocation },
    { weight: 1, arbitrary: atTime },
  ];
  if (!withPoints) return fc.oneof(...own);
  return fc.oneof(
    { weight: 4, arbitrary: atPoint(RECOVERY_POINTS, 2) },
    { weight: 2, arbitrary: atPoint(COMMIT_POINTS, 3) },
    ...own,
  );
}

/** Schedules of at least one kill and up to `most`, one for each incarnation in turn. */
export function schedules(options: {
  readonly points: boolean;
  readonly most?: number;
}): fc.Arbitrary<readonly Kill[]> {
  const most = options.most ?? 3;
  return fc
    .tuple(firstKills(options.points), fc.array(laterKills(options.points), { maxLength: most - 1 }))
    .map(([first, later]) => [first, ...later]);
}

/** Programs that are killed as the schedules say. */
export function killed(programs: fc.Arbitrary<Program>, kills: fc.Arbitrary<readonly Kill[]>): fc.Arbitrary<Program> {
  return fc.tuple(programs, kills).map(([program, schedule]) => ({ ...program, kills: schedule }));
}

/** The same program killed at each named point in turn, at every occurrence up to a number: a sweep without chance. */
export function* sweep(program: Program, points: readonly FaultPoint[], occurrences: number): Generator<Program> {
  for (const point of points) {
    for (let occurrence = 1; occurrence <= occurrences; occurrence += 1) {
      yield { ...program, kills: [{ at: 'point', point, occurrence }] };
    }
  }
}
