import type { FaultPoint } from '../../../schemas/types.js';
import type { Kill, Program } from '../../program.js';
import type { Property } from '../../runner/property.js';
import { killedAt } from '../cases.js';
import { chain, diamond, undoable } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { crashTwin } from './crash-twins.js';

/** One place in the life of a runtime at which the sweep kills it. */
interface Place {
  readonly name: string;
  readonly title: string;
  /** The kills of the incarnations, for the n-th passing of the place. */
  readonly kills: (n: number) => readonly Kill[];
  readonly requirements: readonly string[];
  readonly points?: readonly FaultPoint[];
  /** The workflow of the sweep; absent means a chain of pure actions. */
  readonly workflow?: (length: number, kills: readonly Kill[]) => Program;
  /** How many passings a chain of four has. */
  readonly passings: number;
}

const ALWAYS = ['AII1', 'AII3', 'AII6', 'EX1', 'WII2', 'CLI1'] as const;
const INTERRUPTED = [...ALWAYS, 'CC3', 'CRC1', 'CRC2'] as const;

const PLACES: readonly Place[] = [
  at('gate_allowed', 'after the gates, before anything is pending', [...ALWAYS, 'G1'], 1),
  at('pending_durable', 'once pending is durable, before the action is invoked', INTERRUPTED, 4),
  at('invoked', 'once the action is invoked', INTERRUPTED, 4),
  {
    name: 'receipt',
    title: 'inside the action, before its answer',
    kills: n => [{ at: 'invocation', ordinal: n, when: 'receipt' }],
    requirements: [...INTERRUPTED, 'AII4'],
    passings: 4,
  },
  {
    name: 'reply',
    title: 'when the answer of the action has been sent',
    kills: n => [{ at: 'invocation', ordinal: n, when: 'reply' }],
    requirements: [...ALWAYS, 'CC2', 'AII4'],
    passings: 4,
  },
  at('committing', 'between the answer of the action and the commit', [...INTERRUPTED, 'CC2', 'AII4'], 4),
  at('committed', 'once the commit is durable', [...ALWAYS, 'CC1', 'CC2', 'CLI3', 'IR5'], 4),
  inRecovery('redo_pending', 'in recovery, once a redo is pending'),
  inRecovery('recovery_recorded', 'in recovery, once it has decided to undo', undoable),
  inRecovery('compensating', 'in recovery, while it undoes', undoable),
  {
    name: 'in-redo',
    title: 'inside the action that recovery invokes again',
    kills: n => [
      { at: 'invocation', ordinal: n, when: 'receipt' },
      { at: 'invocation', ordinal: 1, when: 'receipt' },
    ],
    requirements: [...INTERRUPTED, 'CRC3', 'AII4'],
    passings: 3,
  },
];

function at(point: FaultPoint, title: string, requirements: readonly string[], passings: number): Place {
  const kills = (occurrence: number): Kill[] => [{ at: 'point', point, occurrence }];
  return { name: point.replaceAll('_', '-'), title, kills, requirements, points: [point], passings };
}

function inRecovery(point: FaultPoint, title: string, workflow: Place['workflow'] = chain): Place {
  return {
    name: point.replaceAll('_', '-'),
    title,
    kills: n => [
      { at: 'invocation', ordinal: n, when: 'receipt' },
      { at: 'point', point, occurrence: 1 },
    ],
    requirements: [...INTERRUPTED, 'CRC3', 'AII4'],
    points: [point],
    workflow,
    passings: 2,
  };
}

/** A kill with SIGKILL at each place of the commit protocol and of recovery, swept over the nodes of a workflow. */
export const KILL_SWEEP: readonly Property[] = PLACES.map(place => {
  const { name, title, kills, requirements, points = [], passings, workflow = chain } = place;
  const ordinals = Array.from({ length: passings }, (_, index) => index + 1);
  const middle = Math.ceil(passings / 2);
  return programProperty({
    id: `audit/kill-${name}`,
    title: `killed ${title}, the runtime recovers by the table and goes on`,
    kind: 'kill',
    requirements,
    capabilities: ['audit', 'state', ...(points.length > 0 ? (['faults'] as const) : [])],
    points,
    cases: killedAt(kills),
    weight: 0.15,
    examples: [
      ...ordinals.filter(n => n !== middle).map(n => workflow(4, kills(n))),
      ...(workflow === chain ? [{ ...diamond('AND'), kills: kills(Math.min(2, passings)) }] : []),
    ],
    control: { title: `a chain of four, killed at passing ${middle}`, case: workflow(4, kills(middle)) },
    twins: requirements.map(crashTwin),
  });
});
