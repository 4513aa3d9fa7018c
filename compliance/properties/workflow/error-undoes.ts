import type { AuditRecord } from '../../../schemas/types.js';
import { takenUp } from '../../generators/handled.js';
import { killed, schedules } from '../../generators/kills.js';
import type { Kill, Observation, Program } from '../../program.js';
import type { Twin } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';
import { crashTwin } from '../audit/crash-twins.js';
import { FAILS, gives } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { actionRecord, changed, repeated, withLog, without } from '../tamper.js';
import { failingBelow, twiceUndone, undoing, undoneResumed } from './handled-programs.js';

const SAID_TO_FAIL: Twin<Program, Observation> = {
  requirement: 'EN3',
  title: 'the log in which the error node failed, although each undo succeeded',
  tamper: seen =>
    withLog(seen, records =>
      changed(records, ofBack, { status: 'failure', error_class: 'E4', error_detail: 'scripted' }),
    ),
};

/** An error node that undoes does it last, in reverse, by executions of their own. */
export const errorUndoes = programProperty({
  id: 'workflow/error-undoes',
  title: 'an error node undoes what the instance has committed, when nothing else is left, the last commit first',
  requirements: ['EN3', 'FB7', 'RB1', 'RB3', 'RB4', 'RB5'],
  capabilities: ['audit'],
  optional: 'error nodes',
  cases: takenUp('rollback', 'compensate'),
  examples: [undoing(FAILS, FAILS), twiceUndone(), failingBelow(true), failingBelow(false), undoneResumed()],
  control: { title: 'a failure beside a slow branch, both behind a commit', case: undoing(FAILS) },
  twins: [
    SAID_TO_FAIL,
    {
      requirement: 'FB7',
      title: 'the log in which the first commit is undone while the slow branch runs',
      tamper: seen => withLog(seen, undoneEarly),
    },
    {
      requirement: 'RB1',
      title: 'without the failure nothing is undone',
      case: undoing(gives(3)),
      contrast: contrastUndone,
    },
    {
      requirement: 'RB3',
      title: 'the log without the pending record of an undo',
      tamper: seen => withLog(seen, records => without(records, one => one.status === 'pending' && isUndo(one))),
    },
    {
      requirement: 'RB4',
      title: 'a ledger in which an undo was not given the outputs',
      tamper: seen => ({
        ...seen,
        ledger: seen.ledger.map(entry => {
          const { outputs: _none, ...inputs } = entry.inputs;
          return entry.action_id === 'undo' ? { ...entry, inputs } : entry;
        }),
      }),
    },
    {
      requirement: 'RB5',
      title: 'the log without the mark of an original',
      tamper: seen => withLog(seen, records => without(records, actionRecord('compensated'))),
    },
  ],
});

/** A crash changes nothing about that. */
export const errorKilled = programProperty({
  id: 'workflow/error-killed',
  title: 'killed while it undoes or executes again, an instance comes to an end that its log explains',
  kind: 'kill',
  requirements: ['EN3', 'IR5', 'AM5'],
  capabilities: ['audit', 'faults'],
  points: ['compensating', 'pending_durable', 'committing', 'committed'],
  optional: 'error nodes',
  cases: killed(takenUp('rollback', 'compensate', 'retry'), schedules({ points: true, most: 2 })),
  weight: 0.2,
  examples: [
    killedUndoing({ at: 'point', point: 'compensating', occurrence: 2 }),
    killedUndoing({ at: 'point', point: 'committing', occurrence: 4 }),
    killedUndoing({ at: 'point', point: 'committed', occurrence: 3 }),
  ],
  control: {
    title: 'killed between the intention of the first undo and its invocation',
    case: killedUndoing({ at: 'point', point: 'compensating', occurrence: 1 }),
  },
  twins: [
    SAID_TO_FAIL,
    crashTwin('IR5'),
    {
      requirement: 'AM5',
      title: 'the log in which the error node is resolved twice',
      tamper: seen => withLog(seen, records => repeated(records, ofBack)),
    },
  ],
});

function killedUndoing(kill: Kill): Program {
  return { ...undoing(FAILS), kills: [kill] };
}

function ofBack({ record_type, node_id }: AuditRecord): boolean {
  return record_type === 'error' && node_id === 'back';
}

function isUndo({ purpose }: AuditRecord): boolean {
  return purpose !== undefined;
}

/** The records of the undo of `a` moved before the commit of `slow`. */
function undoneEarly(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const undo = records.findLast(one => isUndo(one) && one.node_id === 'a');
  const moved = records.filter(
    one => one.execution_id === undo?.execution_id || one.refers_to?.includes(undo?.execution_id ?? '') === true,
  );
  const others = records.filter(one => !moved.includes(one));
  const at = others.findIndex(one => one.node_id === 'slow' && one.status === 'committed');
  return others.toSpliced(at, 0, ...moved);
}

function contrastUndone(control: Observation, twin: Observation): Failure | undefined {
  const count = ({ log = [] }: Observation) => log.filter(actionRecord('compensated')).length;
  const observed = { control: count(control), twin: count(twin) };
  if (observed.control === 2 && observed.twin === 0) return undefined;
  return { message: 'undone was not what the failure demands', expected: { control: 2, twin: 0 }, observed };
}
