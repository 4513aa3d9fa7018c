import type { AuditRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { StoreReader } from '../store/store.js';
import { openReaderIfAny } from './audit-source.js';
import { visible } from './code-frame.js';
import { withHint } from './output.js';

/** What an id at the command line names; of each record what it tells of such a thing, or nothing. */
export type Wanted = keyof typeof TELLS;

/** Something that an id may mean, the root instance that it belongs to, and what a person knows it by. */
interface Candidate {
  readonly id: string;
  readonly root: string;
  readonly known_by: string;
}

/** So many candidates are listed, and so many counted. */
const LISTED = 8;
const COUNTED = 1000;
const ID = /^[A-Za-z0-9._:-]{1,128}$/;

const TELLS = {
  /** An instance. */
  instance: (record: AuditRecord) => (isStart(record) ? instanceOf(record) : undefined),
  /** An instance without a parent. */
  root: (record: AuditRecord) =>
    isStart(record) && record.parent_execution_id === undefined ? instanceOf(record) : undefined,
  /** The instance that something is, or is in. */
  within: (record: AuditRecord) => {
    if (record.record_type === 'workflow') return instanceOf(record);
    const { parent_execution_id: id, context_id: root, node_id = '' } = record;
    return id === undefined ? undefined : { id, root, known_by: `that has ${node_id}` };
  },
  /** An execution of an action. */
  execution: (record: AuditRecord) => (record.record_type === 'action' ? executionOf(record) : undefined),
  /** Whatever has records of its own. */
  any: anythingOf,
  /** The same; of an instance and what is in it the instance. */
  named: anythingOf,
} as const satisfies Record<string, (record: AuditRecord) => Candidate | undefined>;

/**
 * The id that a text means in the log of a workspace: itself where something has that id, else the one that begins so, of
 * those that are wanted; of a root instance and what is below it the root. The text where none does, which the command
 * then does not find. Throws `usage` with the candidates where several do.
 */
export function idMeant(log: Pick<StoreReader, 'records' | 'lines'>, text: string, wanted: Wanted): string {
  if (!ID.test(text)) return text;
  for (const _ of log.records({ execution_id: text, limit: 1 })) return text;
  return idAmong(recordsOf(log, text), text, wanted);
}

/** As {@link idMeant}, in a workspace that need not be one yet. */
export function idMeantIn(workspace: string, text: string, wanted: Wanted): string {
  const reader = openReaderIfAny(workspace);
  try {
    return reader === undefined ? text : idMeant(reader, text, wanted);
  } finally {
    reader?.close();
  }
}

/**
 * As {@link idMeant}, of the executions that are in doubt, or amid work until the workspace is opened anew; where none
 * begins so, whatever else does, of which the command then says why it is not it.
 */
export function incompleteMeant(log: Pick<StoreReader, 'records' | 'lines'>, text: string): string {
  for (const _ of log.records({ execution_id: text, limit: 1 })) return text;
  const meant = idAmong(log.records({ incomplete: true }), text, 'execution');
  return meant === text ? idMeant(log, text, 'named') : meant;
}

/** As {@link idMeant}, among records at hand. */
export function idAmong(records: Iterable<AuditRecord>, text: string, wanted: Wanted): string {
  const found = new Map<string, Candidate>();
  for (const record of records) {
    if (!record.execution_id.startsWith(text)) continue;
    const candidate = TELLS[wanted](record);
    // The gates of a start stand before it, under its id.
    if (candidate === undefined || (found.has(candidate.id) && !isStart(record))) continue;
    if (candidate.id === text) return text;
    found.set(candidate.id, candidate);
    if (found.size > COUNTED) break;
  }
  const candidates = [...found.values()];
  const [first] = candidates;
  if (first === undefined) return text;
  if (candidates.length === 1) return first.id;
  const oneRoot = found.has(first.root) && candidates.every(({ root }) => root === first.root);
  if (oneRoot && wanted !== 'any' && wanted !== 'execution') return first.root;
  throw ambiguous(text, candidates);
}

function ambiguous(text: string, candidates: readonly Candidate[]): unknown {
  const listed = candidates.slice(0, LISTED);
  const many = candidates.length > COUNTED ? `more than ${COUNTED}` : String(candidates.length);
  const rest = candidates.length > COUNTED ? 'many' : String(candidates.length - LISTED);
  const lines = listed.map(({ id, known_by }) => `  ${visible(`${id}  ${known_by}`)}\n`);
  if (candidates.length > LISTED) lines.push(`  and ${rest} more\n`);
  return withHint(
    new ArsError('usage', `"${text}" is the beginning of ${many} ids; write more of the one that is meant`, {
      details: { id: text, candidates: listed.map(({ id }) => id) },
    }),
    lines.join(''),
  );
}

/** The records whose execution_id begins so; of the others only the text is looked at. */
function* recordsOf(log: Pick<StoreReader, 'lines'>, text: string): Generator<AuditRecord> {
  const start = `"execution_id":"${text}`;
  for (const line of log.lines()) {
    if (!line.includes(start)) continue;
    const record = recordIn(line);
    if (record !== undefined) yield record;
  }
}

/** The record of a line; what is damaged is told by the command that comes upon it. */
function recordIn(line: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(line) as AuditRecord;
    return typeof record.execution_id === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}

function isStart({ status }: AuditRecord): boolean {
  return status === 'workflow_started';
}

function instanceOf({ execution_id, context_id, workflow_id = '', timestamp }: AuditRecord): Candidate {
  return { id: execution_id, root: context_id, known_by: `${workflow_id}  ${timestamp}` };
}

function anythingOf(record: AuditRecord): Candidate {
  return record.record_type === 'workflow' ? instanceOf(record) : executionOf(record);
}

function executionOf(record: AuditRecord): Candidate {
  const { execution_id, context_id, record_type, node_id, action_id, timestamp } = record;
  const what = [node_id ?? record_type, action_id].filter(word => word !== undefined).join('  ');
  return { id: execution_id, root: context_id, known_by: `${what}  ${timestamp}` };
}
