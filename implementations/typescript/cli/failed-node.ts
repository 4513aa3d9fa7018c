import type { AuditRecord, Workflow } from '../../../schemas/types.js';
import type { Log } from '../audit/log.js';
import type { ResolvedDocuments } from '../workflow/resolve.js';
import { visible } from './code-frame.js';

/** Where an instance failed. */
export interface FailedNode {
  /** The node that broke. */
  readonly node_id: string;
  /** The error node that the failure led to, and by which the instance failed. */
  readonly taken_up_by?: string;
}

type Records = (query: { readonly parent_execution_id: string }) => Iterable<AuditRecord>;

/**
 * Gives where an instance failed whose end names `node_id`. Where that is an error node which only takes up a failure, the
 * node that broke is looked for against its in-edges; without the workflow it is `node_id` itself.
 */
export function failedNodeOf(
  records: Records,
  workflow: Workflow | undefined,
  { execution_id, node_id }: { readonly execution_id: string; readonly node_id: string },
): FailedNode {
  const nodes = new Map(workflow?.nodes.map(node => [node.node_id, node]));
  const takesUp = (id: string) => {
    const node = nodes.get(id);
    return node?.type === 'error' && (node.handling === 'fail' || node.handling === 'retry');
  };
  if (!takesUp(node_id)) return { node_id };
  const failed = failedIn(records({ parent_execution_id: execution_id }));
  const before = new Map<string, string>();
  for (const { from_node, to_node } of workflow?.edges ?? []) {
    const known = before.get(to_node);
    if (failed.has(from_node) && (known === undefined || from_node < known)) before.set(to_node, from_node);
  }
  const passed = new Set<string>();
  let at: string | undefined = node_id;
  while (at !== undefined && takesUp(at) && !passed.has(at)) {
    passed.add(at);
    at = before.get(at);
  }
  return at === undefined || passed.has(at) ? { node_id } : { node_id: at, taken_up_by: node_id };
}

/** The nodes whose last outcome is a failure. */
function failedIn(records: Iterable<AuditRecord>): Set<string> {
  const failed = new Set<string>();
  for (const { record_type, node_id, status, purpose } of records) {
    if (node_id === undefined || purpose !== undefined) continue;
    if (status === 'failed' || status === 'failure') failed.add(node_id);
    else if (record_type === 'action' && status === 'committed') failed.delete(node_id);
  }
  return failed;
}

/** The same of a stored log, which may have been imported without its documents. */
export function failedNodeIn(
  log: Pick<Log, 'records' | 'document'>,
  execution_id: string,
  node_id: string,
): FailedNode {
  const [start] = log.records({ execution_id, record_type: 'workflow', limit: 1 });
  const digest = start?.resolved_digest;
  const stored = digest === undefined ? undefined : (log.document('resolved', digest) as ResolvedDocuments | undefined);
  return failedNodeOf(query => log.records(query), stored?.workflow, { execution_id, node_id });
}

/** Where an instance failed, for a person. */
export function failedNodeText({ node_id, taken_up_by }: FailedNode): string {
  return taken_up_by === undefined ? visible(node_id) : `${visible(node_id)}, taken up by ${visible(taken_up_by)}`;
}
