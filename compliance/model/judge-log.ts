import type { AuditRecord } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { Program } from '../program.js';
import { hasSideEffects, resolveAction } from './contract.js';
import type { Resolution } from './firing.js';
import { decideByCategory, decideInterrupted, undoAction } from './judgement.js';
import { hasEnded, type Witness } from './witness.js';

const MOST_REDOS = 3;

/** Judges what only the log shows: decisions of recovery, marks of degraded executions, one instance for one request. */
export function judgeLog(
  program: Program,
  resolved: ReadonlyMap<string, Resolution>,
  witness: Witness,
  found: Violation[],
): void {
  const log = witness.observation.log;
  if (log === undefined) return;
  const starts = log.filter(record => record.record_type === 'workflow' && record.status === 'workflow_started');
  if (starts.length > 1) {
    const observed = starts.map(record => record.execution_id).join(', ');
    found.push({ requirement: 'IR4', expected: 'one instance for one request_key', observed });
  }
  judgeDecisions(program, log, witness, found);
  judgeCommits(resolved, witness, found);
  judgeLeftovers(witness, found);
}

/** Each recovery record decides as the table says, in recovery or live. */
function judgeDecisions(program: Program, log: readonly AuditRecord[], witness: Witness, found: Violation[]): void {
  const nodes = new Map(program.workflow.nodes.map(node => [node.node_id, node]));
  const redos = new Map<string, number>();
  for (const record of log) {
    if (record.record_type !== 'recovery') continue;
    const { execution_id, sequence, probe = 'unknown', status } = record;
    const pending = witness.records.get(execution_id)?.[0];
    const node = nodes.get(pending?.node_id ?? '');
    const isUndo = pending?.purpose !== undefined && pending.purpose !== 'execute';
    const action = node?.type === 'action' ? resolveAction(node.action_def, program) : undefined;
    const times = redos.get(execution_id) ?? 0;
    if (record.new_execution_id !== undefined && status === 'redo') redos.set(record.new_execution_id, times + 1);
    if (pending === undefined || action === undefined || isUndo) continue;
    const undo = undoAction(action, program);
    const answer = hasSideEffects(action) ? probe : 'absent';
    const byCategory = decideByCategory(action, answer, undo);
    const live = pending.incarnation === record.incarnation;
    const allowed = new Set([live || times >= MOST_REDOS ? byCategory : decideInterrupted(action, answer, undo)]);
    if (allowed.has('commit')) allowed.add(decideByCategory(action, 'partial', undo));
    if (allowed.has(status as never)) continue;
    const expected = `${[...allowed].join(' or ')} for ${action.rollback} and probe ${answer}`;
    found.push({
      requirement: 'CRC1',
      expected,
      observed: status,
      execution_id,
      sequence,
      node_id: node?.node_id ?? '',
    });
  }
}

/** One commit a node, marked degraded where a soft condition did not hold; outputs as the action gave them. */
function judgeCommits(resolved: ReadonlyMap<string, Resolution>, witness: Witness, found: Violation[]): void {
  for (const [node_id, ids] of witness.executions) {
    const records = ids.flatMap(id => witness.records.get(id) ?? []);
    const commits = records.filter(record => record.status === 'committed');
    if (commits.length > 1) {
      const observed = commits.map(record => record.execution_id).join(', ');
      found.push({ requirement: 'AN5', expected: 'one committed execution', observed, node_id });
    }
    const run = resolved.get(node_id)?.run;
    const commit = commits[0];
    if (run?.committed !== true || commit === undefined || witness.observation.kills > 0) continue;
    if ((commit.degraded === true) !== run.degraded) {
      const observed = `degraded: ${commit.degraded === true}`;
      found.push({ requirement: 'PR-S', expected: `degraded: ${run.degraded}`, observed, node_id });
    }
  }
}

/** Nothing stays pending: what an earlier incarnation left is decided, and what was invoked is marked. */
function judgeLeftovers(witness: Witness, found: Violation[]): void {
  const { observation, records } = witness;
  const stopped = hasEnded(observation) || observation.wait?.status === 'in_doubt';
  if (!stopped) return;
  for (const [execution_id, list] of records) {
    const last = list.at(-1);
    if (last?.status !== 'pending') continue;
    const left = last.incarnation <= observation.kills;
    if (!left && !hasEnded(observation)) continue;
    const expected = left ? 'a decision of recovery' : 'a mark of its end';
    const place = {
      execution_id,
      sequence: last.sequence,
      ...(last.node_id === undefined ? {} : { node_id: last.node_id }),
    };
    found.push({ ...place, requirement: left ? 'CRC1' : 'CC3', expected, observed: 'pending' });
  }
}
