import * as fc from 'fast-check';
import type { AuditRecord, StateChange } from '../../../schemas/types.js';
import { handledPrograms } from '../../generators/handled.js';
import { consistencyOf } from '../../history/consistency.js';
import { readInstances } from '../../model/read-instance.js';
import { replay } from '../../model/replay.js';
import type { Observation, Program } from '../../program.js';
import { type CaseProperty, caseProperty } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { anyProgram, interruptedProgram } from '../cases.js';
import { chain, FAILS, undone } from '../drawn.js';
import { refusal, refused } from '../seen.js';
import { changed, withLog, withRawLog } from '../tamper.js';
import { readable } from '../workflow/handled-programs.js';

const ALL = ['AC1', 'AC2', 'AC3', 'AC4', 'AC5'] as const;

type LogProperty = Omit<CaseProperty<Program, Observation>, 'kind' | 'capabilities' | 'examine'>;

/** A property about the logs of programs. */
function logProperty(definition: LogProperty) {
  return caseProperty<Program, Observation>({
    ...definition,
    kind: 'message',
    capabilities: ['audit'],
    examine: async (subject, program) => {
      const observation = await subject.observe(program);
      const { kills, violations = [] } = observation;
      return { evidence: observation, kills, violations, ...refusal(observation) };
    },
    inapplicable: seen => (refused(seen) ? 'error nodes or skill nodes' : undefined),
  });
}

/** Writes to one key, one after the other, each of which expects the version before it, or the last one another. */
function versioned(length: number, last = length - 1): Program {
  const ids = Array.from({ length }, (_, at) => `n${at + 1}`);
  const write = (value: number): StateChange => ({ key: 'k', op: 'put', value, expected_version: value });
  return {
    ...chain(length),
    script: { nodes: Object.fromEntries(ids.map((id, at) => [id, [writes(write(at === length - 1 ? last : at))]])) },
  };
}

function writes(change: StateChange) {
  return { reply: { outputs: {}, state_changes: [change] } };
}

/** The log of a run is consistent. */
export const consistent = logProperty({
  id: 'verification/consistent',
  title: 'the chain of a log verifies, its records follow one another, and what they name, expect and need is there',
  requirements: ALL,
  cases: fc.oneof(anyProgram, handledPrograms, interruptedProgram),
  weight: 0.4,
  examples: [readable(), undone(FAILS), ...[1, 3, 4].map(length => versioned(length)), versioned(3, 5)],
  control: { title: 'two actions that write one key and expect its version', case: versioned(2) },
  twins: [
    {
      requirement: 'AC1',
      title: 'the log with another agent in its first record, and its old hash',
      tamper: seen => withRawLog(seen, records => changed(records, () => true, { agent_id: 'somebody' })),
    },
    {
      requirement: 'AC2',
      title: 'the log in which something commits twice',
      tamper: seen =>
        withLog(seen, records =>
          records.flatMap(one => (one.node_id === 'n2' && one.status === 'committed' ? [one, one] : [one])),
        ),
    },
    {
      requirement: 'AC3',
      title: 'the log in which an action has a parent that there is not',
      tamper: seen => withLog(seen, records => changed(records, isAction, { parent_execution_id: 'nowhere' })),
    },
    {
      requirement: 'AC4',
      title: 'the log in which a write expected another version',
      tamper: seen =>
        withLog(seen, records =>
          changed(records, writesState, { state_changes: [{ key: 'k', op: 'put', value: 0, expected_version: 7 }] }),
        ),
    },
    {
      requirement: 'AC5',
      title: 'the log without the record of the governance gate',
      tamper: seen => withLog(seen, records => records.filter(({ gate }) => gate !== 'governance')),
    },
  ],
  judge: (_program, seen) => {
    const text = seen.exports?.at(-1) ?? '';
    const found = consistencyOf(text);
    const expects = (seen.log ?? []).some(({ state_changes = [] }) =>
      state_changes.some(({ expected_version }) => expected_version !== undefined),
    );
    const started = (seen.log ?? []).some(({ status }) => status === 'workflow_started');
    return ALL.map((requirement): Check => {
      const violation = found.find(one => one.requirement === requirement);
      const reached = requirement === 'AC4' ? expects : requirement === 'AC1' ? text !== '' : started;
      if (violation === undefined) return { requirement, reached };
      const { expected, observed, sequence } = violation;
      const failure: Failure = { message: `record ${sequence} breaks the log`, expected, observed };
      return { requirement, reached: true, failure };
    });
  },
});

function isAction({ record_type }: AuditRecord): boolean {
  return record_type === 'action';
}

function writesState({ state_changes = [] }: AuditRecord): boolean {
  return state_changes.length > 0;
}

/** What a log tells can be replayed. */
export const replayed = logProperty({
  id: 'verification/replayed',
  title: 'replayed on its documents an instance gives the recorded path, status and outputs, record by record',
  requirements: ['RV1', 'RV3', 'WF3'],
  cases: fc.oneof(anyProgram, handledPrograms),
  weight: 0.4,
  control: { title: 'a skill, and an action that an error node executes again', case: readable() },
  twins: [
    {
      requirement: 'RV1',
      title: 'the log in which the instance gave other outputs',
      tamper: seen => withLog(seen, records => changed(records, isRootEnd, { outputs: { out: 'another' } })),
    },
    {
      requirement: 'RV3',
      title: 'the log in which the second action had other inputs',
      tamper: seen =>
        withLog(seen, records =>
          changed(records, one => one.status === 'pending' && one.node_id === 'b', { inputs: { x: 'other' } }),
        ),
    },
    {
      requirement: 'WF3',
      title: 'a trace without the skill',
      tamper: seen =>
        seen.wait === undefined
          ? seen
          : { ...seen, wait: { ...seen.wait, trace: seen.wait.trace.filter(({ node_id }) => node_id !== 'sk') } },
    },
  ],
  judge: judgeReplay,
});

function isRootEnd({ status, parent_execution_id }: AuditRecord): boolean {
  return status === 'workflow_completed' && parent_execution_id === undefined;
}

const UNTOLD: Failure = { message: 'the instance ended and the log has no start of it', expected: 'records of it' };

function judgeReplay(program: Program, seen: Observation): readonly Check[] {
  const { log = [], wait, start } = seen;
  const id = 'execution_id' in start ? start.execution_id : undefined;
  const told = log.some(({ status, execution_id }) => status === 'workflow_started' && execution_id === id);
  const ended = wait !== undefined && wait.status !== 'running' && wait.status !== 'in_doubt';
  const disagreement = replay(program, log);
  const failure: Failure | undefined = disagreement && {
    message: `replay does not agree with record ${disagreement.sequence}`,
    expected: disagreement.expected,
    observed: disagreement.observed,
    ...(disagreement.node_id === undefined ? {} : { node_id: disagreement.node_id }),
  };
  const path = ended && failure === undefined ? otherPath(program, seen) : undefined;
  const atEnd = failure !== undefined && disagreement?.isEnd === true;
  return [
    {
      requirement: 'RV1',
      reached: ended,
      ...(atEnd ? { failure } : ended && !told ? { failure: UNTOLD } : {}),
    },
    { requirement: 'RV3', reached: log.length > 0, ...(failure !== undefined && !atEnd ? { failure } : {}) },
    { requirement: 'WF3', reached: ended, ...(path === undefined ? {} : { failure: path }) },
  ];
}

/** Gives how the path that follows from log and documents differs from the one that the runtime tells of. */
function otherPath(program: Program, { log = [], wait, start }: Observation): Failure | undefined {
  const id = 'execution_id' in start ? start.execution_id : '';
  const instance = readInstances(program, log).find(one => one.start.execution_id === id);
  if (wait === undefined) return undefined;
  if (instance === undefined) return { message: 'the log has no start of it', expected: id, observed: log.length };
  const read = [...instance.resolved].map(([node_id, { outcome }]) => `${node_id} ${outcome}`).sort();
  const told = wait.trace.map(({ node_id, outcome }) => `${node_id} ${outcome}`).sort();
  if (JSON.stringify(read) === JSON.stringify(told)) return undefined;
  return { message: 'the log tells of another path than the runtime', expected: read, observed: told };
}
