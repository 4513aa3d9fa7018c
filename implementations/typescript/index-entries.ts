import { resolve } from 'node:path';
import type { IndexEntry, Snapshot } from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import type { Log } from './audit/log.js';
import { ArsError } from './error.js';
import type { EvidencePartitions } from './governance/partition.js';
import { intact } from './stored-document.js';
import { isCanonicalPath, isWorkspaceFile } from './workspace/canonical-path.js';

const SEQUENCE = /^(?:0|[1-9][0-9]{0,15})$/;

/** What the index looks its targets up in. */
export interface IndexParts {
  readonly journal: Journal;
  readonly evidencePartitions: EvidencePartitions;
  /** The folder of the workspace; undefined where the log has none, and then there is no file. */
  readonly folder: string | undefined;
}

/**
 * The index of a workspace: what is in it, by names.
 *
 * Whether a target is there is looked up when an entry is put and when it is read; `stale` tells of it.
 *
 * @requirement I5
 */
export class IndexEntries {
  readonly #parts: IndexParts;

  constructor({ folder, ...parts }: IndexParts) {
    this.#parts = { ...parts, folder: folder === undefined ? undefined : resolve(folder) };
  }

  /**
   * Keeps an entry; one of the same name is replaced.
   *
   * Throws `not_found` for a target that is not there, unless the entry says that it is stale, and `invalid_document` for a
   * file whose path is not canonical.
   */
  async put(entry: IndexEntry): Promise<void> {
    const { entry_id, kind, target } = entry;
    if (kind === 'file' && !isCanonicalPath(target))
      throw new ArsError('invalid_document', `The path "${target}" is not canonical: names with "/" between them.`, {
        details: { pointer: '/target' },
      });
    if (entry.stale !== true && !this.#isThere(entry))
      throw new ArsError(
        'not_found',
        `There is no ${kind} '${target}'; put the entry as stale, or what it refers to.`,
        {
          details: { entry_id, kind, target },
        },
      );
    await this.#parts.journal.append({ records: [], documents: [{ kind: 'index_entry', id: entry_id, value: entry }] });
  }

  /** The entry as it stands: stale where its target is not there. Throws `not_found`. */
  get(entry_id: string): IndexEntry {
    const stored = this.#parts.journal.log.document('index_entry', entry_id);
    if (stored === undefined)
      throw new ArsError('not_found', `There is no index entry '${entry_id}'.`, { details: { entry_id } });
    return this.#asItStands(intact('index-entry', entry_id, stored));
  }

  /** All entries as they stand, by name. */
  *all(): IterableIterator<IndexEntry> {
    for (const { id, value } of this.#parts.journal.log.documents('index_entry'))
      yield this.#asItStands(intact('index-entry', id, value));
  }

  #asItStands({ stale: _stale, ...entry }: IndexEntry): IndexEntry {
    return this.#isThere(entry) ? entry : { ...entry, stale: true };
  }

  #isThere({ kind, target }: Pick<IndexEntry, 'kind' | 'target'>): boolean {
    const { journal, evidencePartitions, folder } = this.#parts;
    const { log } = journal;
    switch (kind) {
      case 'action':
      case 'workflow':
        return log.document(kind, target) !== undefined;
      case 'execution':
        return log.records({ execution_id: target, limit: 1 }).next().done !== true;
      case 'state':
        return log.state([target])[target]?.value !== undefined;
      case 'evidence':
        return evidencePartitions.isNamed(target);
      case 'snapshot':
        return SEQUENCE.test(target) && hasSnapshot(log, Number(target));
      case 'file':
        return folder !== undefined && isCanonicalPath(target) && isWorkspaceFile(folder, target);
    }
  }
}

function hasSnapshot(log: Log, sequence: number): boolean {
  for (const snapshot of log.snapshots(sequence)) return (snapshot as Partial<Snapshot> | null)?.sequence === sequence;
  return false;
}
