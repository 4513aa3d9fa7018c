import type { AuditRecord } from '../../schemas/types.js';
import { checkLog } from '../history/check-log.js';
import type { Violation } from '../history/violation.js';
import { judge } from '../model/judge.js';
import { DEFAULT_AGENT, type Observation, type Program } from '../program.js';
import { crashViolations } from './crash.js';
import { crashLedgerViolations } from './crash-ledger.js';
import { undoViolations, withoutUndos } from './undo-violations.js';

/** Everything that a run breaks: by its log against the suite's ledger, after its crashes, and by the model. */
export function violationsOf(program: Program, observation: Observation): readonly Violation[] {
  return [
    ...logViolations(observation),
    ...crashViolations(program, observation),
    ...crashLedgerViolations(program, observation),
    ...conditionViolations(program, observation),
    ...anonymousSteps(program, observation),
    ...undoViolations(program, observation),
    ...withJoins(program, judge(program, withoutUndos(program, observation))),
  ];
}

/** An OR join that starts before a predecessor has resolved does not wait (CF5), beside starting too early (CF6). */
function withJoins({ workflow }: Program, violations: readonly Violation[]): Violation[] {
  const early = violations.filter(({ requirement, node_id }) => {
    if (requirement !== 'CF6' || node_id === undefined) return false;
    const node = workflow.nodes.find(candidate => candidate.node_id === node_id);
    return node?.join_type !== 'AND' && workflow.edges.filter(({ to_node }) => to_node === node_id).length > 1;
  });
  return [...violations, ...early.map(violation => ({ ...violation, requirement: 'CF5' }))];
}

function logViolations(observation: Observation): Violation[] {
  const exports = observation.exports ?? [];
  const text = exports.at(-1);
  if (text === undefined) return [];
  const { ledger, state } = observation;
  const violations = checkLog(text, {
    ledger,
    exports: exports.slice(0, -1),
    ...(state === undefined ? {} : { state }),
  });
  // After a crash a State that is not what the log says shows a commit of which only one half is there.
  const torn = observation.kills > 0 ? violations.filter(({ requirement }) => requirement === 'AII4') : [];
  return [...violations, ...torn.map(violation => ({ ...violation, requirement: 'CC2' }))];
}

/** What was invoked, for whom and how it ended can be seen from records (P1). */
function anonymousSteps(program: Program, { ledger, log, wait }: Observation): Violation[] {
  if (log === undefined) return [];
  const agent = program.agent_id ?? DEFAULT_AGENT;
  const own = new Map<string, AuditRecord[]>();
  for (const record of log.filter(({ record_type }) => record_type === 'action'))
    own.set(record.execution_id, [...(own.get(record.execution_id) ?? []), record]);
  return ledger.flatMap(({ kind, execution_id, action_id, node_id }): Violation[] => {
    if (kind !== 'invoke') return [];
    const records = own.get(execution_id) ?? [];
    const place = { requirement: 'P1', execution_id, ...(node_id === undefined ? {} : { node_id }) };
    const seen = records
      .map(({ agent_id, action_id: what, status }) => `${what} for ${agent_id}: ${status}`)
      .join(', ');
    const named =
      records.length > 0 && records.every(record => record.action_id === action_id && record.agent_id === agent);
    if (!named) return [{ ...place, expected: `records of ${action_id} for ${agent}`, observed: seen || 'none' }];
    const open = records.at(-1)?.status === 'pending' && (wait === undefined || wait.status !== 'running');
    return open && wait?.status !== 'in_doubt'
      ? [{ ...place, expected: 'a record of how it ended', observed: seen }]
      : [];
  });
}

/** The records that a node causes; the end of an instance may name the condition because of which it failed. */
const OF_NODES: ReadonlySet<string> = new Set(['action', 'terminal', 'error', 'skill', 'recovery']);

/** A condition leaves no invocation and no record (WII6). */
function conditionViolations({ workflow }: Program, { ledger, log = [] }: Observation): Violation[] {
  const conditions = new Set(workflow.nodes.filter(({ type }) => type === 'condition').map(({ node_id }) => node_id));
  const seen = [
    ...ledger.map(entry => ({ ...entry, what: entry.kind as string })),
    ...log
      .filter(({ record_type }) => OF_NODES.has(record_type))
      .map(record => ({ ...record, what: `${record.record_type} ${record.status}` })),
  ];
  return seen.flatMap(({ node_id, execution_id, what }) =>
    node_id !== undefined && conditions.has(node_id)
      ? [{ requirement: 'WII6', expected: 'nothing', observed: what, node_id, execution_id }]
      : [],
  );
}
