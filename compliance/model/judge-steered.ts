import type { Violation } from '../history/violation.js';
import type { LedgerEntry, Observation, Program } from '../program.js';
import { undoesInstance } from './firing.js';

/** What a cancelled run breaks of FB8: nothing starts any more, what is in flight ends as it does, and then the instance. */
export function judgeCancelled(program: Program, observation: Observation): Violation[] {
  const { cancelled_at, ledger, wait, log } = observation;
  if (program.cancel_at === undefined || cancelled_at === undefined || wait === undefined) return [];
  const found: Violation[] = [];
  const complain = (expected: string, observed: string, node_id?: string) =>
    found.push({ requirement: 'FB8', expected, observed, ...(node_id === undefined ? {} : { node_id }) });
  for (const entry of ledger.filter(({ kind }) => kind === 'invoke')) {
    const { node_id = '', received_at, execution_id } = entry;
    if (received_at > cancelled_at) complain('no start after the cancellation', 'an invocation', node_id);
    else if (wait.status === 'failed' && inFlight(entry, cancelled_at) && log !== undefined) {
      const status = succeeded(entry) ? 'committed' : 'failed';
      const recorded = log.findLast(record => record.record_type === 'action' && record.execution_id === execution_id);
      if (recorded?.status !== status) complain(`${status}, as it ended`, recorded?.status ?? 'no record', node_id);
    }
  }
  const { status, error } = wait;
  const end = [status, error?.error_class, error?.detail].filter(word => word !== undefined).join(' ');
  if (status !== 'in_doubt' && end !== 'failed E0 cancelled')
    complain('a cancelled instance that ended: failed E0 cancelled', `it ended: ${end}`);
  return found;
}

function inFlight({ received_at, replied_at }: LedgerEntry, at: number): boolean {
  return received_at < at && replied_at !== undefined && replied_at > at;
}

function succeeded({ reply }: LedgerEntry): boolean {
  return typeof reply === 'object' && reply !== null && 'outputs' in reply;
}

/**
 * Whether an instance has to be refused when it is resumed: it completed, is in doubt, or something in it was undone. What
 * the instance that came of it undid was not undone yet. Undefined where only a log could tell.
 */
export function refusesResuming(program: Program, { resumed, wait, log }: Observation): boolean | undefined {
  if (wait?.status === 'completed' || wait?.status === 'in_doubt') return true;
  if (log === undefined) return mayUndo(program) ? undefined : false;
  const again = againOf(resumed);
  const anew = log.find(record => record.execution_id === again && record.status === 'workflow_started');
  const before = anew === undefined ? log : log.filter(({ sequence }) => sequence < anew.sequence);
  return before.some(({ status, purpose }) => status === 'committed' && purpose !== undefined);
}

function againOf(resumed: Observation['resumed']): string | undefined {
  return resumed === undefined || 'error' in resumed.answer ? undefined : resumed.answer.execution_id;
}

function mayUndo({ workflow, registry }: Program): boolean {
  return [workflow, ...(registry?.workflows ?? [])].some(({ nodes }) => nodes.some(undoesInstance));
}

/**
 * What a resumed run breaks: a completed instance is not run again (IR1, IR3), one in which something was undone neither
 * (IR3); a new instance refers to the old one and does not execute what that one committed (IR2).
 */
export function judgeResumed(program: Program, observation: Observation): Violation[] {
  const { resumed, wait, start, ledger, log = [] } = observation;
  if (program.resume !== true || resumed === undefined || !('execution_id' in start)) return [];
  const found: Violation[] = [];
  const again = againOf(resumed);
  const refuses = refusesResuming(program, observation);
  if (refuses === undefined && 'error' in resumed.answer) return [];
  if (refuses === true) {
    if ('error' in resumed.answer) return [];
    const requirements = wait?.status === 'completed' ? ['IR1', 'IR3'] : ['IR3'];
    return requirements.map(requirement => ({
      requirement,
      expected: `a refused workflow/resume of an instance that ${wait?.status === 'completed' ? 'completed' : 'is in doubt or had something undone'}`,
      observed: `answered ${JSON.stringify(resumed.answer)}`,
    }));
  }
  const complain = (expected: string, observed: string, node_id?: string) =>
    found.push({ requirement: 'IR2', expected, observed, ...(node_id === undefined ? {} : { node_id }) });
  if (again === undefined || again === start.execution_id) {
    complain(
      'workflow/resume of an ended instance to answer with the execution_id of a new one',
      `answered ${JSON.stringify(resumed.answer)}`,
    );
    return found;
  }
  const started = log.find(record => record.execution_id === again && record.status === 'workflow_started');
  if (started !== undefined && started.refers_to?.includes(start.execution_id) !== true)
    complain(
      `workflow_started of ${again} to have refers_to ${start.execution_id}`,
      `refers_to ${started.refers_to?.join(', ') ?? 'nothing'}`,
    );
  const committed = new Set(
    (wait?.trace ?? []).filter(({ outcome }) => outcome === 'success').map(({ node_id }) => node_id),
  );
  for (const { kind, node_id = '', instance_id } of ledger)
    if (kind === 'invoke' && instance_id === again && committed.has(node_id))
      complain('its outputs carried over into the instance that resumes', 'executed again there', node_id);
  return found;
}
