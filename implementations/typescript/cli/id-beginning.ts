import type { AuditRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { Named } from '../store/beginning.js';
import type { StoreReader } from '../store/store.js';
import { openReaderIfAny } from './audit-source.js';
import { visible } from './code-frame.js';
import { withHint } from './output.js';

/** What an id at the command line stands for. */
export type Wanted = keyof typeof MEANT;

/** Something that an id may mean, and the root instance that it belongs to. */
interface Candidate {
  readonly id: string;
  readonly root: string;
}

/** What a beginning is looked for in. */
interface Searched {
  /** What has an id that begins so, once each. */
  readonly named: (beginning: string) => Iterable<Named>;
  readonly records: (query: {
    readonly execution_id: string;
    readonly record_type?: 'workflow';
    readonly limit: number;
  }) => Iterable<AuditRecord>;
}

/** So many candidates are listed, and so many counted. */
const LISTED = 8;
const COUNTED = 1000;
const ID = /^[A-Za-z0-9._:-]{1,128}$/;

const MEANT = {
  /** The instance that something is, or is in. */
  instance: (named: Named) => instanceOf(named),
  /** The instance without a parent that something is, or is in. */
  root: (named: Named) => (instanceOf(named) === undefined ? undefined : named.context_id),
  /** An execution of an action; where none is meant, whatever is, of which the command says why it is not it. */
  execution: ({ record_type, execution_id }: Named) => (record_type === 'action' ? execution_id : undefined),
  /** Whatever has records of its own. */
  any: ({ execution_id }: Named) => execution_id,
} as const satisfies Record<string, (named: Named) => string | undefined>;

/**
 * The id that a text means in the log of a workspace, by what has that id, or else begins so, in the letters as they are
 * or in small ones; of a root instance and what is in it the root. The text where nothing does, which the command then
 * does not find. Throws `usage` with the candidates where several are meant.
 */
export function idMeant(log: Searched, text: string, wanted: Wanted): string {
  if (!ID.test(text)) return text;
  const searched = [...new Set([text, text.toLowerCase()])];
  const kinds = wanted === 'execution' ? (['execution', 'any'] as const) : [wanted];
  for (const kind of kinds)
    for (const beginning of searched) {
      const meant = beginningMeant(log, beginning, kind, text);
      if (meant !== undefined) return meant;
    }
  return text;
}

/**
 * As {@link idMeant}, in a workspace that need not be one yet. Throws `not_found` where nothing has that id: a command that
 * opens the workspace lets go on what was interrupted, which a slip must not do.
 */
export function idMeantIn(workspace: string, text: string, wanted: Wanted): string {
  return meantIn(workspace, text, reader => idMeant(reader, text, wanted));
}

/** As {@link incompleteMeant}, in a workspace as {@link idMeantIn}. */
export function incompleteMeantIn(workspace: string, text: string): string {
  return meantIn(workspace, text, reader => incompleteMeant(reader, text));
}

function meantIn(workspace: string, text: string, find: (reader: StoreReader) => string): string {
  const reader = openReaderIfAny(workspace);
  if (reader === undefined) return text;
  try {
    const id = text === '' ? text : find(reader);
    if (id !== '') for (const _ of reader.records({ execution_id: id, limit: 1 })) return id;
    throw new ArsError('not_found', `There is nothing with the id '${id}'.`, { details: { execution_id: id } });
  } finally {
    reader.close();
  }
}

/**
 * As {@link idMeant}, of the executions that are in doubt, or amid work until the workspace is opened anew; where none
 * begins so, whatever else does, of which the command then says why it is not it.
 */
function incompleteMeant(log: Pick<StoreReader, 'records' | 'named'>, text: string): string {
  for (const whole of new Set([text, text.toLowerCase()]))
    for (const _ of log.records({ execution_id: whole, limit: 1 })) return whole;
  const meant = idAmong([...log.records({ incomplete: true })], text, 'execution');
  return meant === text ? idMeant(log, text, 'any') : meant;
}

/** As {@link idMeant}, among records at hand. */
export function idAmong(records: readonly AuditRecord[], text: string, wanted: Wanted): string {
  return idMeant(recordsAsLog(records), text, wanted);
}

function recordsAsLog(records: readonly AuditRecord[]): Searched {
  return {
    *named(beginning) {
      const found = new Map<string, Named>();
      for (const record of records) {
        const known = found.get(record.execution_id);
        if (!record.execution_id.startsWith(beginning)) continue;
        // The gates of a start stand before it, under its id.
        if (known === undefined || record.record_type === 'workflow') found.set(record.execution_id, record);
      }
      yield* found.values();
    },
    records: ({ execution_id, record_type, limit }) =>
      records
        .filter(
          record =>
            record.execution_id === execution_id && (record_type === undefined || record.record_type === record_type),
        )
        .slice(0, limit),
  };
}

/** What a beginning means; undefined where nothing that is wanted begins so. */
function beginningMeant(log: Searched, beginning: string, wanted: Wanted, text: string): string | undefined {
  const found = new Map<string, Candidate>();
  for (const named of log.named(beginning)) {
    const id = MEANT[wanted](named);
    if (named.execution_id === beginning) return id ?? beginning;
    if (id !== undefined) found.set(id, { id, root: named.context_id });
    if (found.size > COUNTED) break;
  }
  const candidates = [...found.values()];
  const [first] = candidates;
  if (first === undefined || candidates.length === 1) return first?.id;
  const oneRoot = candidates.length <= COUNTED && found.has(first.root) && candidates.every(c => c.root === first.root);
  if (oneRoot) return first.root;
  throw ambiguous(log, text, candidates);
}

function ambiguous(log: Searched, text: string, candidates: readonly Candidate[]): unknown {
  const listed = candidates.slice(0, LISTED);
  const many = candidates.length > COUNTED ? `more than ${COUNTED}` : String(candidates.length);
  const rest = candidates.length > COUNTED ? 'many' : String(candidates.length - LISTED);
  const lines = listed.map(({ id }) => `  ${visible(`${id}  ${knownBy(log, id)}`)}\n`);
  if (candidates.length > LISTED) lines.push(`  and ${rest} more\n`);
  return withHint(
    new ArsError('usage', `"${text}" is the beginning of ${many} ids; write more of the one that is meant`, {
      details: { id: text, candidates: listed.map(({ id }) => id) },
    }),
    lines.join(''),
  );
}

/** What a person knows something by. A damaged record is told of by the command that comes upon it. */
function knownBy(log: Searched, execution_id: string): string {
  try {
    const [start] = log.records({ execution_id, record_type: 'workflow', limit: 1 });
    if (start !== undefined) return `${start.workflow_id}  ${start.timestamp}`;
    const [record] = log.records({ execution_id, limit: 1 });
    const { node_id, record_type, action_id, timestamp } = record ?? {};
    return [node_id ?? record_type, action_id, timestamp].filter(word => word !== undefined).join('  ');
  } catch (error) {
    if (error instanceof ArsError && error.code === 'log_corrupt') return 'of a damaged record';
    throw error;
  }
}

function instanceOf({ record_type, execution_id, parent_execution_id }: Named): string | undefined {
  return record_type === 'workflow' ? execution_id : parent_execution_id;
}
