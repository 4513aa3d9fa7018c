import type { AuditRecord } from '../../../../schemas/types.js';
import { undosOf } from '../../audit/undo-order.js';
import { ArsError } from '../../error.js';
import { type TakenOver, takenOverFrom } from '../../workflow/carried.js';
import type { Instance, InstanceHead } from '../../workflow/instance.js';
import type { Plan } from '../../workflow/plan.js';
import { headOfStart, replay, resumedBy, stopReasonOf } from '../../workflow/replay.js';
import { type Disagreement, Judge } from './judge.js';

/** A log as replay reads it. */
export interface ReplaySource {
  /** The records of type workflow of an instance, in sequence order. */
  readonly ownRecords: (execution_id: string) => readonly AuditRecord[];
  /** The records that name the instance as their parent, in sequence order. */
  readonly recordsUnder: (execution_id: string) => Iterable<AuditRecord>;
  /** The resolved documents of that digest; undefined where they are not at hand. May throw `log_corrupt`. */
  readonly planOf: (resolved_digest: string) => Plan | undefined;
}

/** A record that replay does not agree with. */
export interface Difference extends Disagreement {
  /** Its place in the log. */
  readonly sequence: number;
}

/** What replay of one instance came to. */
export interface ReplayResult {
  /** The instance. */
  readonly execution_id: string;
  /** The workflow that it runs, name@version. */
  readonly workflow_id: string;
  /** not_replayed: what it needs is not at hand. */
  readonly verdict: 'agrees' | 'differs' | 'not_replayed';
  /** How far it went: to the recorded end, or as far as the records go. */
  readonly extent: 'ended' | 'open' | 'stopped';
  /** How many records agree. */
  readonly records: number;
  /** The first record that disagrees. */
  readonly difference?: Difference;
  /** Why it was not replayed. */
  readonly reason?: string;
}

/** What replay of an instance and everything below it came to. */
export interface ReplayReport {
  /** The instance that was asked for. */
  readonly execution_id: string;
  /** differs where one instance does, agrees where all do, else not_replayed. */
  readonly verdict: ReplayResult['verdict'];
  /** The first record, by sequence, with which replay does not agree. */
  readonly first_difference?: Difference;
  /** The instance first, then those below it. */
  readonly instances: readonly ReplayResult[];
}

/**
 * Runs an instance and its descendants again on their resolved documents, with the recorded results in place of
 * invocations. Nothing is invoked and nothing written. Throws `not_found` where there is no such instance.
 *
 * @requirement RV1
 * @requirement RV3
 */
export function replayInstance(source: ReplaySource, execution_id: string): ReplayReport {
  const instances = descent(source, execution_id).map(id => replayOne(source, id));
  const differences = instances.flatMap(({ difference }) => difference ?? []).sort((a, b) => a.sequence - b.sequence);
  const [first_difference] = differences;
  const complete = instances.every(({ verdict }) => verdict === 'agrees');
  return {
    execution_id,
    verdict: first_difference !== undefined ? 'differs' : complete ? 'agrees' : 'not_replayed',
    ...(first_difference === undefined ? {} : { first_difference }),
    instances,
  };
}

function replayOne(source: ReplaySource, execution_id: string): ReplayResult {
  const own = source.ownRecords(execution_id);
  const start = startOf(source, execution_id);
  const end = own[1];
  const stops = end && stopReasonOf(end);
  const result = {
    execution_id,
    workflow_id: start.workflow_id ?? '',
    extent: end === undefined ? 'open' : stops === undefined ? 'ended' : 'stopped',
  } as const;
  let judge: Judge;
  try {
    const { plan, head } = loaded(source, start);
    judge = new Judge(plan, head, stops, record => isUndone(source, execution_id, record));
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    return { ...result, verdict: 'not_replayed', records: 0, reason: error.message };
  }
  let records = 0;
  for (const record of merged(own, source.recordsUnder(execution_id))) {
    const fault = judge.accept(record);
    if (fault !== undefined)
      return { ...result, verdict: 'differs', records, difference: { sequence: record.sequence, ...fault } };
    records += 1;
  }
  return { ...result, verdict: 'agrees', records };
}

/** The plan of an instance, and what it was from its start on. Throws `not_found` where something of that is not at hand. */
function loaded(source: ReplaySource, start: AuditRecord): { readonly plan: Plan; readonly head: InstanceHead } {
  const { resolved_digest = '' } = start;
  const plan = source.planOf(resolved_digest);
  if (plan === undefined)
    throw new ArsError('not_found', `Its resolved documents ${resolved_digest} are not at hand.`, {
      details: { resolved_digest },
    });
  const resumes = resumedBy(start);
  const taken = resumes === undefined ? {} : takenOver(source, resumes);
  return { plan, head: { ...headOfStart(start), ...taken } };
}

/**
 * The instance as its log tells of it, with what it took over. Throws `not_found` where something of that is not at hand,
 * and `log_corrupt` for a record that its workflow leaves no room for.
 */
export function foldInstance(source: ReplaySource, execution_id: string): Instance {
  const { plan, head } = loaded(source, startOf(source, execution_id));
  const records = merged(source.ownRecords(execution_id), source.recordsUnder(execution_id));
  return replay(plan, head, records, Number.POSITIVE_INFINITY).instance;
}

/** What an instance carries over from this one, that it resumes, and those that that one resumes. */
function takenOver(source: ReplaySource, resumed: string): Partial<TakenOver> {
  let taken: Partial<TakenOver> = {};
  for (const id of lineage(source, resumed).reverse()) {
    const start = startOf(source, id);
    const plan = source.planOf(start.resolved_digest ?? '');
    if (plan === undefined) throw new ArsError('not_found', `The resolved documents of '${id}' are not at hand.`);
    const records = merged(source.ownRecords(id), source.recordsUnder(id));
    const { instance } = replay(plan, { ...headOfStart(start), ...taken }, records, Number.POSITIVE_INFINITY);
    taken = takenOverFrom(instance, child => source.ownRecords(child)[1]?.status === 'workflow_completed');
  }
  return taken;
}

/** Whether what an error node undoes, in its instance, below it and in what it carried over, is undone at its record. */
function isUndone(source: ReplaySource, execution_id: string, { sequence }: AuditRecord): boolean {
  const instances = lineage(source, execution_id).flatMap(id => descent(source, id));
  return undosOf(actionsBefore(source, instances, sequence), new Set(instances)).length === 0;
}

function* actionsBefore(source: ReplaySource, instances: readonly string[], last: number): Generator<AuditRecord> {
  for (const id of instances)
    for (const record of source.recordsUnder(id)) {
      if (record.sequence > last) break;
      if (record.record_type === 'action') yield record;
    }
}

/** The instance, the one that it resumes, and so on. */
function lineage(source: ReplaySource, execution_id: string): string[] {
  const found = new Set<string>();
  for (let id: string | undefined = execution_id; id !== undefined; id = resumedBy(startOf(source, id))) {
    if (found.has(id)) break;
    found.add(id);
  }
  return [...found];
}

/** The instance and its descendants, ancestors first. */
function descent(source: ReplaySource, execution_id: string): string[] {
  const found = new Set([execution_id]);
  for (const id of found)
    for (const record of source.recordsUnder(id))
      if (record.status === 'workflow_started') found.add(record.execution_id);
  return [...found];
}

function startOf(source: ReplaySource, execution_id: string): AuditRecord {
  const [start] = source.ownRecords(execution_id);
  if (start?.status === 'workflow_started') return start;
  throw new ArsError('not_found', `There is no instance '${execution_id}' in this log.`, { details: { execution_id } });
}

/** The records of an instance in sequence order. */
function* merged(own: readonly AuditRecord[], under: Iterable<AuditRecord>): Generator<AuditRecord> {
  let at = 0;
  for (const record of under) {
    for (; at < own.length && (own[at] as AuditRecord).sequence < record.sequence; at++) yield own[at] as AuditRecord;
    yield record;
  }
  yield* own.slice(at);
}
