import { GENESIS } from '../audit/chain.js';
import type { Log, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import type { StoreReader } from './store.js';

/**
 * A log over a reader of a store, to which nothing can be written; one that has nothing in it where there is no store.
 * What would write rejects with `illegal_state`.
 */
export function readingLog(reader: StoreReader | undefined): Log {
  const refuse = () => Promise.reject(new ArsError('illegal_state', 'The workspace was opened to be read only.'));
  const writes = { incarnation: 0, append: refuse, takeSnapshot: refuse };
  if (reader !== undefined) return { ...reader, ...writes, close: async () => reader.close() };
  const nothing = () => [].values();
  return {
    ...writes,
    head: () => GENESIS,
    records: nothing,
    writesBefore: nothing,
    latest: () => undefined,
    requested: () => undefined,
    state: () => ({}),
    snapshots: nothing,
    document: () => undefined,
    documents: nothing,
    close: async () => undefined,
  };
}

/** The log as it would be with these documents, which take the place of those of the same names. */
export function withDocuments(log: Log, given: readonly StoredDocument[]): Log {
  const find = (kind: StoredDocument['kind'], id: string) => given.find(d => d.kind === kind && d.id === id);
  return {
    ...log,
    document: (kind, id) => (find(kind, id) ?? { value: log.document(kind, id) }).value,
    *documents(kind) {
      for (const { id, value } of given.filter(document => document.kind === kind)) yield { id, value };
      for (const stored of log.documents(kind)) if (find(kind, stored.id) === undefined) yield stored;
    },
  };
}
