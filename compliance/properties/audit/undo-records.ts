import type { AuditRecord } from '../../../schemas/types.js';
import type { Observation, Program, UndoOutcome } from '../../program.js';
import type { Twin } from '../../runner/case-property.js';
import { FAILS, gives, undone } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { actionRecord, changed, withLog, without } from '../tamper.js';
import { crashTwin } from './crash-twins.js';
import { COMPENSATE, IMPOSSIBLE, PROBED, REVERT, wishing, withoutRollback } from './undo-programs.js';
import { askedUndo, withOutcome } from './undo-tamper.js';

/** What undid it, in the log, is another execution than the one that is named. */
const NAMES_ANOTHER: Twin<Program, Observation> = {
  requirement: 'AII2',
  title: 'the log in which the undo that is referred to does not exist',
  tamper: seen => withLog(seen, records => changed(records, actionRecord('compensated'), { refers_to: ['elsewhere'] })),
};

const APART: Twin<Program, Observation> = {
  requirement: 'RB5',
  title: 'the log in which the original is marked some records after the commit of its undo',
  tamper: seen =>
    withLog(seen, records => {
      const mark = records.findLast(actionRecord('compensated')) as AuditRecord;
      const others = without(records, ({ sequence }) => sequence === mark.sequence);
      return [...others, others.findLast(({ record_type }) => record_type !== 'action') as AuditRecord, mark];
    }),
};

const ANOTHER_UNDO: Twin<Program, Observation> = {
  requirement: 'RBI3',
  title: 'a later request that is answered with another undo',
  tamper: seen => withOutcome(seen, -1, { answers: [{ execution_id: 'another' }] }),
};

const OTHER_KEY: Twin<Program, Observation> = {
  requirement: 'CP3',
  title: 'a ledger in which the second invocation has a key of its own',
  tamper: seen => {
    const { execution_id } = askedUndo(seen, -1);
    const ledger = seen.ledger.map(entry =>
      entry.execution_id === execution_id ? { ...entry, idempotency_key: 'another' } : entry,
    );
    return { ...seen, ledger };
  },
};

/** What is undone on request had been committed, and is undone once, by an execution of its own. */
export const undoRecords = programProperty({
  id: 'audit/undo-records',
  title: 'an execution is undone on request by an execution of its own, once, and its log says by which',
  requirements: ['AII2', 'RB1', 'RB3', 'RB4', 'RB5', 'RBI3', 'CP1'],
  capabilities: ['audit', 'recovery'],
  lacking: withoutRollback,
  examples: [
    wishing([COMPENSATE, REVERT, COMPENSATE, REVERT]),
    wishing([
      { ...REVERT, times: 4 },
      { ...COMPENSATE, times: 2 },
    ]),
    wishing([COMPENSATE, IMPOSSIBLE, COMPENSATE], { undo: PROBED }),
  ],
  control: {
    title: 'a revert, a compensation that is asked for three times at one time, and once more',
    case: wishing([REVERT, { ...COMPENSATE, times: 3 }, COMPENSATE]),
  },
  twins: [
    NAMES_ANOTHER,
    {
      requirement: 'RB1',
      title: 'the same run as if nobody had asked for the revert',
      tamper: seen => ({ ...seen, undos: (seen.undos ?? []).slice(1) }),
    },
    {
      requirement: 'RB3',
      title: 'the log without the pending record of the undo',
      tamper: seen =>
        withLog(seen, records =>
          without(records, ({ status, purpose }) => status === 'pending' && purpose !== undefined),
        ),
    },
    {
      requirement: 'RB4',
      title: 'a ledger in which the compensation was not given the outputs',
      tamper: seen => {
        const undo = askedUndo(seen);
        const { outputs: _outputs, ...inputs } = undo.inputs;
        return {
          ...seen,
          ledger: seen.ledger.map(entry => (entry.ordinal === undo.ordinal ? { ...entry, inputs } : entry)),
        };
      },
    },
    APART,
    ANOTHER_UNDO,
    {
      requirement: 'CP1',
      title: 'a ledger in which another action was invoked to compensate',
      tamper: seen => {
        const { ordinal } = askedUndo(seen);
        return {
          ...seen,
          ledger: seen.ledger.map(entry => (entry.ordinal === ordinal ? { ...entry, action_id: 'put' } : entry)),
        };
      },
    },
  ],
});

/** The same, where an error node undoes. */
export const undoByErrorNode = programProperty({
  id: 'audit/undo-by-error-node',
  title: 'rolled_back and compensated are said of a committed execution and refer to its undo',
  requirements: ['AII2'],
  capabilities: ['audit'],
  optional: 'error nodes',
  examples: [undone(gives(2))],
  control: { title: 'an error node undoes what was committed before', case: undone(FAILS) },
  twins: [NAMES_ANOTHER],
});

/** Who may not have something undone is refused, and nothing happens. */
export const undoRefused = programProperty({
  id: 'audit/undo-refused',
  title: 'what is irreversible, an undo, or of another agent is not undone, and nothing happens',
  requirements: ['RB2', 'RBI2'],
  capabilities: ['audit', 'recovery', 'governance'],
  lacking: withoutRollback,
  examples: [
    wishing([{ ...COMPENSATE, agent_id: 'owner' }, COMPENSATE]),
    wishing([IMPOSSIBLE]),
    wishing([
      { ...REVERT, without_evidence: true },
      { ...IMPOSSIBLE, times: 3 },
    ]),
  ],
  control: {
    title: 'requests for an undo, for an irreversible execution, and by the owner of the workspace',
    case: wishing([COMPENSATE, { of: { undo: 0 } }, IMPOSSIBLE, { ...REVERT, agent_id: 'owner' }]),
  },
  twins: [
    {
      requirement: 'RB2',
      title: 'by the agent that made it the same execution is undone',
      case: wishing([COMPENSATE, { of: { undo: 0 } }, IMPOSSIBLE, REVERT]),
      contrast: (control, twin) => {
        const observed = { control: lastDone(control), twin: lastDone(twin) };
        if (!observed.control && observed.twin) return undefined;
        return { message: 'who asks made no difference', expected: { control: false, twin: true }, observed };
      },
    },
    {
      requirement: 'RBI2',
      title: 'an answer that an undo has been undone',
      tamper: seen => withOutcome(seen, 1, { answers: [{ execution_id: 'another' }] }),
    },
  ],
});

/** An undo that fails is told, and the original stays. */
export const undoFails = programProperty({
  id: 'audit/undo-fails',
  title: 'an undo that fails is reported to whoever asked for it, and can be asked for again',
  requirements: ['RBI1', 'CP3', 'AII2'],
  capabilities: ['audit', 'recovery'],
  lacking: withoutRollback,
  control: {
    title: 'a compensation that fails at first',
    case: wishing([COMPENSATE, COMPENSATE], { undo_fails_first: true }),
  },
  twins: [
    {
      requirement: 'RBI1',
      title: 'an answer that gives the failed undo as if it had succeeded',
      tamper: seen => withOutcome(seen, 0, { answers: [{ execution_id: askedUndo(seen).execution_id }] }),
    },
    OTHER_KEY,
    NAMES_ANOTHER,
  ],
});

/** A crash leaves an undo and the mark of its original together, or neither. */
export const undoKilled = programProperty({
  id: 'audit/undo-killed',
  title: 'an undo that is killed is finished by recovery, once, and marks its original',
  kind: 'kill',
  requirements: ['AII2', 'RB5', 'RBI3', 'CP3', 'CRC1'],
  capabilities: ['audit', 'recovery', 'faults'],
  points: ['pending_durable', 'compensating', 'committing', 'committed'],
  lacking: withoutRollback,
  examples: [
    killedAt('pending_durable', 4),
    killedAt('compensating', 1),
    killedAt('committed', 4),
    wishing([COMPENSATE, COMPENSATE], { kills: [{ at: 'invocation', ordinal: 4, when: 'receipt' }] }),
    wishing([COMPENSATE, COMPENSATE], {
      kills: [{ at: 'invocation', ordinal: 4, when: 'receipt' }],
      undo: PROBED,
      probe: 'ledger',
    }),
    wishing([COMPENSATE, COMPENSATE], {
      kills: [
        { at: 'invocation', ordinal: 4, when: 'receipt' },
        { at: 'invocation', ordinal: 1, when: 'receipt' },
      ],
    }),
  ],
  control: { title: 'killed between the answer of the compensation and its commit', case: killedAt('committing', 4) },
  twins: [NAMES_ANOTHER, APART, ANOTHER_UNDO, OTHER_KEY, crashTwin('CRC1')],
});

function killedAt(point: 'pending_durable' | 'compensating' | 'committing' | 'committed', occurrence: number): Program {
  return wishing([COMPENSATE, COMPENSATE], { kills: [{ at: 'point', point, occurrence }] });
}

function lastDone({ undos = [] }: Observation): boolean {
  const answers: UndoOutcome['answers'] = undos.at(-1)?.answers ?? [];
  return answers.length > 0 && answers.every(answer => !('error' in answer));
}
