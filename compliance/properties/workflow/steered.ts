import * as fc from 'fast-check';
import { handledPrograms } from '../../generators/handled.js';
import type { LedgerEntry, Observation, Program } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { chain, FAILS, gives, scripted, undone, writing } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastStatus } from '../seen.js';
import { undoing } from './handled-programs.js';

const SLOW = scripted(chain(3), { n2: [{ ...writing('n2'), delay_ms: 60 }] });

/** A chain whose second action fails at first. */
const FALTERING = scripted(chain(3), { n2: [FAILS, writing('n2')] });

/** The first action fails at first, and nothing is undone before the instance that is resumed in the end undoes it. */
const UNDONE_LATER: Program = { ...scripted(undone(FAILS), { a: [FAILS, gives(1)] }), resume: true };

/** Cancelling stops what has not started, and nothing else. */
export const cancelled = programProperty({
  id: 'workflow/cancelled',
  title: 'a cancelled instance starts nothing further, and what is in flight ends as it does',
  requirements: ['FB8'],
  cases: fc
    .tuple(handledPrograms, fc.integer({ min: 1, max: 4 }))
    .map(([program, cancel_at]): Program => ({ ...program, cancel_at })),
  weight: 0.5,
  examples: [1, 3].map(cancel_at => ({ ...SLOW, cancel_at })),
  control: { title: 'a chain of three that is cancelled inside its second action', case: { ...SLOW, cancel_at: 2 } },
  twins: [
    {
      requirement: 'FB8',
      title: 'without the cancellation it completes',
      case: SLOW,
      contrast: contrastStatus('failed', 'completed'),
    },
  ],
});

/** Resuming goes on behind what has committed, in an instance of its own; what completed or was undone stays as it is. */
export const resumed = programProperty({
  id: 'workflow/resumed',
  title: 'an ended instance is resumed in a new one that carries over what committed',
  requirements: ['IR2'],
  cases: handledPrograms.map((program): Program => ({ ...program, resume: true })),
  weight: 0.5,
  examples: [UNDONE_LATER],
  control: { title: 'a chain of three whose second action fails at first', case: { ...FALTERING, resume: true } },
  twins: [
    {
      requirement: 'IR2',
      title: 'a ledger in which the new instance executes what the old one had committed',
      tamper: again,
    },
  ],
});

/** What completed, or was undone, is not run again. */
export const notResumed = programProperty({
  id: 'workflow/not-resumed',
  title: 'an instance that completed, or in which something was undone, is not resumed',
  requirements: ['IR1', 'IR3'],
  examples: [undoing(FAILS), undone(FAILS), undone(writing('b')), chain(1)].map(program => ({
    ...program,
    resume: true,
  })),
  control: { title: 'a chain that completed', case: { ...chain(3), resume: true } },
  twins: ['IR1', 'IR3'].map(requirement => ({
    requirement,
    title: 'a chain that failed is resumed',
    case: { ...FALTERING, resume: true as const },
    contrast: contrastResumed,
  })),
});

function again(seen: Observation): Observation {
  const { answer } = seen.resumed ?? {};
  const first = seen.ledger[0];
  if (answer === undefined || 'error' in answer || first === undefined) return seen;
  const last = Math.max(...seen.ledger.map(({ received_at }) => received_at));
  const place = { execution_id: 'again', instance_id: answer.execution_id ?? '', received_at: last + 2 };
  const entry: LedgerEntry = { ...first, ...place, ordinal: seen.ledger.length + 1, replied_at: last + 3 };
  return { ...seen, ledger: [...seen.ledger, entry] };
}

function contrastResumed(control: Observation, twin: Observation): Failure | undefined {
  const went = ({ resumed: one }: Observation) => one !== undefined && !('error' in one.answer);
  const observed = { control: went(control), twin: went(twin) };
  if (!observed.control && observed.twin) return undefined;
  return { message: 'how it ended made no difference', expected: { control: false, twin: true }, observed };
}
