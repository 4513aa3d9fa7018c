import type { AuditRecord } from '../../../../schemas/types.js';
import { type RecordCheck, tellsOfUndo, type Unseen } from './check.js';

interface Instance {
  /** The root instance above it, or itself. */
  readonly root: string;
  ended: boolean;
}

const HELP = 'Records before this one are missing, or it names what never was; compare it with a copy of the log.';

/**
 * Whether what a record names as its parent, its context and what it refers to is there.
 *
 * @requirement AC3
 */
export function named(unseen: Unseen): RecordCheck {
  const instances = new Map<string, Instance>();
  const executions = new Set<string>();
  const undos = new Set<string>();

  const judge = (record: AuditRecord): string | undefined =>
    parentFault(record) ??
    contextFault(record) ??
    record.refers_to
      ?.filter(id => !executions.has(id) && !unseen.any())
      .map(id => `it refers to ${id}, of which there is no record before it`)[0];

  const parentFault = (record: AuditRecord): string | undefined => {
    const { parent_execution_id: parent } = record;
    if (parent === undefined) return undefined;
    const instance = instances.get(parent);
    if (instance === undefined)
      return unseen.any() ? undefined : `its parent ${parent} is no instance that has started before it`;
    if (!instance.ended || tellsOfUndo(record, undos)) return undefined;
    return `its parent ${parent} ended before it`;
  };

  const contextFault = ({ context_id, execution_id, parent_execution_id: parent }: AuditRecord): string | undefined => {
    if (parent !== undefined) {
      const root = instances.get(parent)?.root;
      return root === undefined || root === context_id
        ? undefined
        : `its context is ${context_id}, and its parents lead to ${root}`;
    }
    if (context_id === execution_id || instances.get(context_id)?.root === context_id || unseen.any()) return undefined;
    return `its context ${context_id} is no root instance that has started before it`;
  };

  return record => {
    const message = judge(record);
    const { record_type, status, execution_id, parent_execution_id: parent, context_id, purpose } = record;
    executions.add(execution_id);
    if (purpose !== undefined) undos.add(execution_id);
    if (record_type === 'workflow') {
      const ended = status !== 'workflow_started';
      const root = instances.get(execution_id)?.root ?? (parent === undefined ? execution_id : context_id);
      instances.set(execution_id, { root, ended });
    }
    return message === undefined ? undefined : { message: `${execution_id}: ${message}`, help: HELP };
  };
}
