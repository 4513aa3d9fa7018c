import { takenUp } from '../../generators/handled.js';
import type { Observation } from '../../program.js';
import { FAILS, gives } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome, contrastStatus } from '../seen.js';
import { failsWith, marking, retrying } from './handled-programs.js';

/** What executes again is ready by a failure edge only, and makes no attempt more or less than it may. */
export const errorRetries = programProperty({
  id: 'workflow/error-retries',
  title: 'an error node that retries is reached by a failure and executes the failed node as often as it may',
  requirements: ['EN1', 'EN2', 'CF9'],
  optional: 'error nodes',
  cases: takenUp('retry'),
  examples: [
    retrying([FAILS, FAILS, FAILS]),
    retrying([failsWith('E1'), failsWith('E1'), failsWith('E1'), failsWith('E1'), gives(1)]),
    retrying([failsWith('E5'), gives(1)]),
  ],
  control: { title: 'the second further attempt succeeds', case: retrying([FAILS, FAILS, gives(3)]) },
  twins: [
    {
      requirement: 'EN1',
      title: 'where the node succeeds at once the error node is skipped',
      case: retrying([gives(3)]),
      contrast: contrastOutcome('again', ['success'], ['skipped']),
    },
    { requirement: 'EN2', title: 'a trace with an attempt more of the error node', tamper: oneMore },
    { requirement: 'CF9', title: 'a ledger with two invocations more than the bound allows', tamper: twoMore },
  ],
});

/** Handling `fail` fails the instance, whatever else it reaches. */
export const errorFails = programProperty({
  id: 'workflow/error-fails',
  title: 'an error node with handling fail marks the instance failed',
  requirements: ['EN4'],
  optional: 'error nodes',
  examples: [marking(failsWith('E2'))],
  control: { title: 'a failure that leads to such a node, beside a branch that completes', case: marking(FAILS) },
  twins: [
    {
      requirement: 'EN4',
      title: 'without the failure the instance completes',
      case: marking(gives(1)),
      contrast: contrastStatus('failed', 'completed'),
    },
  ],
});

function twoMore(seen: Observation): Observation {
  const last = seen.ledger.at(-1);
  if (last === undefined) return seen;
  const more = [4, 5].map(attempt => ({ ...last, attempt, execution_id: `more ${attempt}` }));
  return { ...seen, ledger: [...seen.ledger, ...more] };
}

function oneMore(seen: Observation): Observation {
  if (seen.wait === undefined) return seen;
  const more = (node_id: string, attempts: number) => (node_id === 'again' ? attempts + 1 : attempts);
  const trace = seen.wait.trace.map(entry => ({ ...entry, attempts: more(entry.node_id, entry.attempts) }));
  return { ...seen, wait: { ...seen.wait, trace } };
}
