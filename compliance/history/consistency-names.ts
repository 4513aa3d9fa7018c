import type { RecordCheck } from './consistency.js';

/** AC3: what a record names as parent, as root and as what it refers to has earlier records of its own. */
export function named(): RecordCheck {
  const seen = new Set<string>();
  /** For each instance that has started, its root. */
  const roots = new Map<string, string>();
  return ({ record_type, status, execution_id, parent_execution_id, context_id, refers_to = [] }) => {
    const missing = refers_to.find(id => !seen.has(id));
    seen.add(execution_id);
    const root = parent_execution_id === undefined ? undefined : roots.get(parent_execution_id);
    if (record_type === 'workflow' && status === 'workflow_started') roots.set(execution_id, root ?? execution_id);
    if (missing !== undefined) return `an earlier record of ${missing}`;
    if (parent_execution_id !== undefined && root === undefined) return 'a parent that was started before';
    if (context_id === execution_id && parent_execution_id === undefined) return undefined;
    const wanted = root ?? (roots.get(context_id) === context_id ? context_id : undefined);
    return wanted === context_id ? undefined : `the context ${wanted ?? 'of an instance that was started before'}`;
  };
}
