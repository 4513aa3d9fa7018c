import type { Action, AuditRecord } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import { resolveAction } from '../model/contract.js';
import { hasHandlers, within } from '../model/documents.js';
import { sameJson } from '../model/json.js';
import { undoReference } from '../model/judgement.js';
import { DEFAULT_AGENT, type LedgerEntry, type Observation, type Program, type UndoOutcome } from '../program.js';

/** An undo of a committed execution, as the log tells of it. */
interface AskedUndo {
  readonly execution_id: string;
  readonly original: AuditRecord;
  readonly pending: AuditRecord;
}

/** What a run breaks of the rules about undoing committed executions, where its program asks for that. */
export function undoViolations(program: Program, seen: Observation): Violation[] {
  if (seen.log === undefined || (program.undos === undefined && !hasHandlers(program))) return [];
  const undos = askedUndos(seen.log);
  return [
    ...(program.undos === undefined ? [] : unasked(seen)),
    ...unlikeExecutions(seen.log),
    ...tornSteps(seen.log, undos),
    ...wrongInvocations(program, seen, undos),
    ...wrongAnswers(program, seen),
    ...repeatedUndos(seen, undos),
  ];
}

/** The run without what undid committed executions on request, which the model of the instance says nothing of. */
export function withoutUndos(program: Program, seen: Observation): Observation {
  if (program.undos === undefined || seen.log === undefined) return seen;
  const undos = askedUndos(seen.log);
  // State is that after the undos, and a matter of the log alone.
  const { state, ...before } = seen;
  return {
    ...before,
    ...(state === undefined || undos.size > 0 ? {} : { state }),
    ledger: seen.ledger.filter(({ execution_id }) => !undos.has(execution_id)),
    log: seen.log.filter(record => !undos.has(record.execution_id) && !isMark(record)),
  };
}

type Reach = (program: Program, seen: Observation) => boolean;

/** When a run exercised one of these rules. */
export const UNDO_REACH: Readonly<Record<string, Reach>> = {
  RB1: (_program, seen) => marks(seen).length > 0,
  RB2: (program, seen) => outcomes(seen).some(outcome => isForbidden(program, seen, outcome)),
  RB3: (_program, seen) => marks(seen).length > 0,
  RB4: (_program, seen) => undoInvocations(seen).length > 0,
  RB5: (_program, seen) => marks(seen).length > 0,
  RBI1: (_program, seen) =>
    [...askedUndos(seen.log ?? []).keys()].some(id => statusOf(seen, id) === 'failed') &&
    outcomes(seen).some(({ answers }) => answers.some(answer => 'error' in answer)),
  RBI2: (_program, seen) => outcomes(seen).some(({ target }) => isUndo(seen, target)),
  RBI3: (_program, seen) => [...successes(seen).values()].some(ids => ids.length > 1),
  CP1: (_program, seen) => marks(seen).some(({ status }) => status === 'compensated'),
  CP3: (_program, seen) => [...invocationsByOriginal(seen).values()].some(entries => entries.length > 1),
};

/** RB1: only what was asked for is undone. */
function unasked(seen: Observation): Violation[] {
  const targets = new Set(outcomes(seen).map(({ target }) => target));
  return marks(seen)
    .filter(({ execution_id }) => !targets.has(execution_id))
    .map(mark => about(mark, 'RB1', 'no undo that nobody asked for', mark.status));
}

/** RB3: what undid is an execution of its own, that was pending before it committed. */
function unlikeExecutions(log: readonly AuditRecord[]): Violation[] {
  return log.filter(isMark).flatMap(mark => {
    const records = log.filter(
      ({ record_type, execution_id }) => record_type === 'action' && mark.refers_to?.includes(execution_id) === true,
    );
    const statuses = records.map(({ status }) => status).join(', ');
    const own = records.every(
      ({ execution_id, purpose }) => execution_id !== mark.execution_id && purpose !== undefined,
    );
    const named = records[0]?.refers_to?.includes(mark.execution_id) === true;
    if (own && named && statuses === 'pending, committed') return [];
    return [about(mark, 'RB3', 'an undo with records of its own: pending, committed', statuses || 'none')];
  });
}

/** RB5: the commit of an undo and the mark of its original stand side by side, or neither is there. */
function tornSteps(log: readonly AuditRecord[], undos: ReadonlyMap<string, AskedUndo>): Violation[] {
  return log.flatMap((record, index): Violation[] => {
    const undo = undos.get(record.execution_id);
    const [before, after] = [log[index - 1], log[index + 1]];
    if (isMark(record) && !(before?.status === 'committed' && record.refers_to?.includes(before.execution_id)))
      return [about(record, 'RB5', 'the commit of the undo just before', before?.status ?? 'nothing')];
    if (undo === undefined || record.status !== 'committed') return [];
    const status = undo.pending.purpose === 'revert' ? 'rolled_back' : 'compensated';
    if (after?.execution_id === undo.original.execution_id && after.status === status) return [];
    return [about(record, 'RB5', `${status} of the original right behind`, after?.status ?? 'nothing')];
  });
}

/** RB4, CP1, CP3: what was invoked, with what it was given and under which key. */
function wrongInvocations(program: Program, seen: Observation, undos: ReadonlyMap<string, AskedUndo>): Violation[] {
  const found: Violation[] = [];
  for (const entry of undoInvocations(seen)) {
    const { original } = undos.get(entry.execution_id) as AskedUndo;
    const { execution_id, idempotency_key, outputs = {} } = original;
    const { inputs = {} } = firstOf(seen, execution_id) ?? {};
    const given = { execution_id, idempotency_key, inputs, outputs };
    if (!sameJson(entry.inputs, given))
      found.push(of(entry, 'RB4', JSON.stringify(given), JSON.stringify(entry.inputs) ?? 'nothing'));
    const undo = undoOf(original, program);
    if (undo !== undefined && undo.action_id !== entry.action_id)
      found.push(of(entry, 'CP1', undo.action_id, entry.action_id));
  }
  for (const [first, ...others] of invocationsByOriginal(seen).values())
    for (const entry of others)
      if (entry.idempotency_key !== first?.idempotency_key)
        found.push(of(entry, 'CP3', `key ${first?.idempotency_key}`, `key ${entry.idempotency_key}`));
  return found;
}

/** The action that undoes an execution, wherever in the program its contract is. */
function undoOf({ action_id, action_version }: AuditRecord, program: Program): Action | undefined {
  for (const workflow of [program.workflow, ...(program.registry?.workflows ?? [])]) {
    const place = within(program, workflow);
    const contract = resolveAction(`${action_id}@${action_version}`, place);
    const reference = contract && undoReference(contract);
    if (reference !== undefined) return resolveAction(reference, place);
  }
  return undefined;
}

/** RB2, RB4, RBI1, RBI2: who must be refused is, without effect, and who is told of an undo has one. */
function wrongAnswers(program: Program, seen: Observation): Violation[] {
  return outcomes(seen).flatMap((outcome): Violation[] => {
    const { target, answers, records, invocations } = outcome;
    const done = answers.flatMap(answer => ('error' in answer ? [] : [answer.execution_id]));
    const place = { execution_id: target };
    const observed = `${done.length} of ${answers.length} done, ${records} records, ${invocations} invocations`;
    if (isForbidden(program, seen, outcome)) {
      if (done.length === 0 && records === 0 && invocations === 0) return [];
      const requirements = isUndo(seen, target) && done.length > 0 ? ['RB2', 'RBI2'] : ['RB2'];
      return requirements.map(requirement => ({ ...place, requirement, expected: 'refused without effect', observed }));
    }
    if (program.undos?.[outcome.wish]?.without_evidence === true)
      return done.length === 0
        ? []
        : [{ ...place, requirement: 'RB4', expected: 'refused without evidence', observed }];
    return done.flatMap((id): Violation[] => {
      if (statusOf(seen, id) === 'committed' || statusOf(seen, id) === undefined) return [];
      return [
        { ...place, requirement: 'RBI1', expected: 'an error', observed: `${id}, which is ${statusOf(seen, id)}` },
      ];
    });
  });
}

/** RBI3: one undo, however often it is asked for. */
function repeatedUndos(seen: Observation, undos: ReadonlyMap<string, AskedUndo>): Violation[] {
  const found: Violation[] = [];
  const complain = (execution_id: string, expected: string, observed: string) =>
    found.push({ requirement: 'RBI3', expected, observed, execution_id });
  for (const [target, ids] of successes(seen)) {
    const by = marks(seen).find(({ execution_id }) => execution_id === target)?.refers_to?.[0] ?? ids[0];
    const other = ids.find(id => id !== by);
    if (other !== undefined) complain(target, `the undo ${by}`, other);
  }
  const done = new Set<string>();
  for (const { target, answers, records, invocations } of outcomes(seen)) {
    if (answers.every(answer => 'error' in answer)) continue;
    if (done.has(target) && records + invocations > 0)
      complain(target, 'nothing changed', `${records} records, ${invocations} invocations`);
    done.add(target);
  }
  const commits = new Map<string, number>();
  for (const { execution_id, original } of undos.values()) {
    if (statusOf(seen, execution_id) !== 'committed') continue;
    const times = (commits.get(original.execution_id) ?? 0) + 1;
    commits.set(original.execution_id, times);
    if (times > 1) complain(original.execution_id, 'one committed undo', 'another one');
  }
  for (const [original, entries] of invocationsByOriginal(seen)) {
    const successful = entries.filter(({ reply }) => reply !== undefined && !('error' in (reply as object)));
    const again = successful.find(({ incarnation }, at) =>
      successful.slice(0, at).some(e => e.incarnation === incarnation),
    );
    if (again !== undefined) complain(original, 'one invocation that succeeds', 'another one in the same incarnation');
  }
  return found;
}

/** Whether an outcome is of a wish that has to be refused whatever comes with it. */
function isForbidden(program: Program, seen: Observation, outcome: UndoOutcome): boolean {
  const { target } = outcome;
  const owner = program.agent_id ?? DEFAULT_AGENT;
  const wish = program.undos?.[outcome.wish];
  if (wish?.agent_id !== undefined && wish.agent_id !== owner) return true;
  if (isUndo(seen, target) || firstOf(seen, target)?.rollback === 'irreversible') return true;
  return !(seen.log ?? []).some(({ execution_id, status }) => execution_id === target && status === 'committed');
}

function outcomes(seen: Observation): readonly UndoOutcome[] {
  return seen.undos ?? [];
}

function successes(seen: Observation): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { target, answers } of outcomes(seen)) {
    const ids = answers.flatMap(answer => ('error' in answer ? [] : [answer.execution_id]));
    found.set(target, [...(found.get(target) ?? []), ...ids]);
  }
  return found;
}

/** The undos of executions that had committed before. */
function askedUndos(log: readonly AuditRecord[]): ReadonlyMap<string, AskedUndo> {
  const committed = new Map<string, AuditRecord>();
  const found = new Map<string, AskedUndo>();
  for (const record of log) {
    if (record.record_type !== 'action') continue;
    if (record.status === 'committed') committed.set(record.execution_id, record);
    const original = committed.get(record.refers_to?.at(-1) ?? '');
    if (record.status !== 'pending' || record.purpose === undefined || original === undefined) continue;
    found.set(record.execution_id, { execution_id: record.execution_id, original, pending: record });
  }
  return found;
}

function undoInvocations(seen: Observation): readonly LedgerEntry[] {
  const undos = askedUndos(seen.log ?? []);
  return seen.ledger.filter(({ kind, execution_id }) => kind === 'invoke' && undos.has(execution_id));
}

function invocationsByOriginal(seen: Observation): ReadonlyMap<string, readonly LedgerEntry[]> {
  const undos = askedUndos(seen.log ?? []);
  const found = new Map<string, LedgerEntry[]>();
  for (const entry of undoInvocations(seen)) {
    const id = (undos.get(entry.execution_id) as AskedUndo).original.execution_id;
    found.set(id, [...(found.get(id) ?? []), entry]);
  }
  return found;
}

function marks(seen: Observation): readonly AuditRecord[] {
  return (seen.log ?? []).filter(isMark);
}

function isMark({ record_type, status }: AuditRecord): boolean {
  return record_type === 'action' && (status === 'rolled_back' || status === 'compensated');
}

function firstOf(seen: Observation, id: string): AuditRecord | undefined {
  return (seen.log ?? []).find(({ record_type, execution_id }) => record_type === 'action' && execution_id === id);
}

function isUndo(seen: Observation, id: string): boolean {
  return firstOf(seen, id)?.purpose !== undefined;
}

function statusOf(seen: Observation, id: string): string | undefined {
  return (seen.log ?? []).findLast(({ record_type, execution_id }) => record_type === 'action' && execution_id === id)
    ?.status;
}

function about({ execution_id, sequence }: AuditRecord, requirement: string, expected: string, observed: string) {
  return { requirement, expected, observed, execution_id, sequence };
}

function of({ execution_id }: LedgerEntry, requirement: string, expected: string, observed: string): Violation {
  return { requirement, expected, observed, execution_id };
}
