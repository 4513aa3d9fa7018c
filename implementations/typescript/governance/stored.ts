import { isValid } from '../../../schemas/index.js';
import type { Agent, Permission, Policy } from '../../../schemas/types.js';
import type { Log } from '../audit/log.js';
import { ArsError } from '../error.js';

interface GovernanceDocuments {
  agent: Agent;
  permission: Permission;
  policy: Policy;
}

/** The stored document. Throws `invalid_document` (details {kind, id}) where it is damaged: it does not fit its schema. */
export function intact<Kind extends keyof GovernanceDocuments>(
  kind: Kind,
  id: string,
  value: unknown,
): GovernanceDocuments[Kind] {
  if (isValid(kind, value)) return value as GovernanceDocuments[Kind];
  throw new ArsError('invalid_document', `The document of the ${kind} '${id}' does not fit its schema.`, {
    details: { kind, id },
  });
}

/** The stored document; undefined where there is none, and `damaged` where it cannot be read or does not fit its schema. */
export function lookUp<Kind extends keyof GovernanceDocuments>(
  log: Log,
  kind: Kind,
  id: string,
): GovernanceDocuments[Kind] | 'damaged' | undefined {
  try {
    const value = log.document(kind, id);
    return value === undefined ? undefined : intact(kind, id, value);
  } catch (error) {
    if (error instanceof ArsError) return 'damaged';
    throw error;
  }
}

/**
 * What is computed of all documents of a kind: anew only after one of them was written. Throws `invalid_document` where one
 * is damaged.
 */
export function ofAll<Kind extends 'permission' | 'policy', T>(
  kind: Kind,
  compute: (documents: readonly GovernanceDocuments[Kind][]) => T,
): (log: Log) => T {
  const kept = new WeakMap<Log, { readonly written: number; readonly value: T }>();
  return log => {
    const written = log.written?.(kind);
    const known = kept.get(log);
    if (known !== undefined && known.written === written) return known.value;
    const value = compute([...log.documents(kind)].map(({ id, value: document }) => intact(kind, id, document)));
    if (written !== undefined) kept.set(log, { written, value });
    return value;
  };
}
