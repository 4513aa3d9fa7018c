import * as fc from 'fast-check';
import type { Action, AuditRecord, FaultPoint, ProbeAnswer } from '../../../schemas/types.js';
import { sameJson } from '../../model/json.js';
import type { Kill, Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { chain, EFFECTFUL, UNDO } from '../drawn.js';

/** A chain whose n-th action is interrupted, and where recovery of that is killed too. */
interface Interrupted {
  readonly kind: 'pure' | 'idempotent' | 'rollbackable' | 'compensatable' | 'irreversible';
  readonly probe: 'ledger' | ProbeAnswer['verdict'];
  readonly ordinal: number;
  readonly second: Kill;
}

const point = (name: FaultPoint): Kill => ({ at: 'point', point: name, occurrence: 1 });
const CALLED: Kill = { at: 'invocation', ordinal: 1, when: 'receipt' };

const SECONDS: readonly Kill[] = [
  point('recovery_recorded'),
  point('redo_pending'),
  point('compensating'),
  point('committing'),
  point('pending_durable'),
  CALLED,
];

const CONTRACTS: Readonly<Record<Interrupted['kind'], Partial<Action>>> = {
  pure: {},
  idempotent: { ...EFFECTFUL, idempotent: true },
  compensatable: EFFECTFUL,
  rollbackable: rolledBack(),
  irreversible: { side_effects: ['repository'], rollback: 'irreversible', idempotent: false, probe: true },
};

function rolledBack(): Partial<Action> {
  const { compensation: revert, ...others } = EFFECTFUL;
  return { ...others, rollback: 'rollbackable', ...(revert === undefined ? {} : { revert }) };
}

const interrupted: fc.Arbitrary<Interrupted> = fc.record({
  kind: fc.constantFrom('pure', 'idempotent', 'rollbackable', 'compensatable', 'irreversible'),
  probe: fc.constantFrom('ledger', 'unknown', 'partial', 'absent'),
  ordinal: fc.integer({ min: 1, max: 3 }),
  second: fc.constantFrom(...SECONDS),
});

/** Recovery that is interrupted ends where recovery that was not does. */
export const recoveryRepeated = caseProperty<Interrupted, readonly [Observation, Observation]>({
  id: 'audit/recovery-repeated',
  title: 'recovery that is killed and runs again ends with the same State and records as one that was left alone',
  kind: 'kill',
  requirements: ['AII5'],
  capabilities: ['audit', 'recovery', 'state', 'faults'],
  points: ['recovery_recorded', 'redo_pending', 'compensating', 'committing', 'pending_durable'],
  cases: interrupted,
  weight: 0.05,
  examples: [
    { kind: 'idempotent', probe: 'unknown', ordinal: 3, second: point('redo_pending') },
    { kind: 'rollbackable', probe: 'partial', ordinal: 1, second: CALLED },
  ],
  control: {
    title: 'killed once the undo of an interrupted action is decided',
    case: { kind: 'compensatable', probe: 'unknown', ordinal: 2, second: point('recovery_recorded') },
  },
  twins: [
    {
      requirement: 'AII5',
      title: 'the run that was killed twice with one record of an action less',
      tamper: ([once, twice]) => [
        once,
        { ...twice, log: (twice.log ?? []).filter(({ purpose }) => purpose === undefined) },
      ],
    },
    {
      requirement: 'AII5',
      title: 'the run that was killed twice with an empty State',
      tamper: ([once, twice]) => [once, { ...twice, state: {} }],
    },
  ],
  examine: async (subject, value) => {
    const program = programOf(value);
    const [first] = program.kills as [Kill];
    const once = await subject.observe(program);
    const twice = await subject.observe({ ...program, kills: [first, value.second] });
    const violations = [...(once.violations ?? []), ...(twice.violations ?? [])];
    return { evidence: [once, twice] as const, kills: once.kills + twice.kills, violations };
  },
  judge: (_value, [once, twice]) => judge(once, twice),
});

function programOf({ kind, probe, ordinal }: Interrupted): Program {
  const program = chain(3, [{ at: 'invocation', ordinal, when: 'receipt' }], CONTRACTS[kind], [UNDO]);
  const nodes = program.workflow.nodes.map(node =>
    node.type === 'action' && kind === 'irreversible' ? { ...node, irreversible: 'acknowledged' as const } : node,
  );
  const answer: ProbeAnswer | 'ledger' = probe === 'ledger' ? probe : { verdict: probe };
  return {
    ...program,
    workflow: { ...program.workflow, nodes },
    script: {
      ...program.script,
      actions: { undo: [{ reply: { outputs: {} } }] },
      probes: { [`n${ordinal}`]: answer },
    },
  };
}

function judge(once: Observation, twice: Observation): readonly Check[] {
  const reached = once.kills === 1 && twice.kills === 2 && !hitNewWork(twice);
  const expected = endOf(once);
  const observed = endOf(twice);
  if (!reached || sameJson(expected, observed)) return [{ requirement: 'AII5', reached }];
  const failure: Failure = { message: 'a kill during recovery made a difference in the end', expected, observed };
  return [{ requirement: 'AII5', reached, failure }];
}

/** Whether the second kill interrupted what recovery had not to do with: recovery of that is another one. */
function hitNewWork({ log = [] }: Observation): boolean {
  const redos = new Set(log.map(({ new_execution_id }) => new_execution_id).filter(id => id !== undefined));
  return log.some(
    ({ status, incarnation, purpose, execution_id }) =>
      status === 'pending' &&
      incarnation === 2 &&
      purpose === undefined &&
      !redos.has(execution_id) &&
      !log.some(one => one.execution_id === execution_id && one.status !== 'pending' && one.incarnation === 2),
  );
}

/** What has to be the same: status, outcomes, State and the records that are not recovery's own. */
function endOf({ wait, state = {}, log = [] }: Observation): unknown {
  const entries = Object.entries(state).map(([key, { value, version }]) => [key, value ?? null, version]);
  return {
    status: wait?.status ?? null,
    trace: (wait?.trace ?? []).map(({ node_id, outcome, attempts }) => [node_id, outcome, attempts]),
    state: entries.sort(),
    records: withoutOwn(log).map(record => [
      record.record_type,
      record.status,
      record.node_id ?? null,
      record.action_id ?? null,
      record.purpose ?? null,
      record.attempt ?? null,
      record.error_class ?? null,
      record.outputs ?? null,
      record.state_changes ?? null,
    ]),
  };
}

/** The log without records of recovery, of gates, and what redos are recorded by. */
function withoutOwn(log: readonly AuditRecord[]): readonly AuditRecord[] {
  const redone = new Set(log.filter(({ status }) => status === 'redo').map(({ execution_id }) => execution_id));
  const redos = new Set(log.filter(({ status }) => status === 'redo').map(({ new_execution_id }) => new_execution_id));
  return log.filter(
    ({ record_type, status, execution_id }) =>
      record_type !== 'recovery' &&
      record_type !== 'gate' &&
      !(status === 'failed' && redone.has(execution_id)) &&
      !(status === 'pending' && redos.has(execution_id)),
  );
}
