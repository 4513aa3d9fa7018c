import { randomUUID } from 'node:crypto';
import type { Action, TraceEntry, Workflow, WorkflowWaitResult } from '../../../schemas/types.js';
import { AdapterError, type AdapterHost } from '../index.js';

/** One run of a workflow, in memory only. */
export interface ToyInstance {
  readonly execution_id: string;
  readonly trace: TraceEntry[];
  readonly done: Promise<WorkflowWaitResult>;
  /** Nothing further is started. */
  cancelled: boolean;
}

/** Starts a chain of action nodes: success edges are followed, a failure or a terminal node ends it. */
export function runChain(
  workflow: Workflow,
  registry: readonly Action[],
  inputs: object,
  context: object,
  host: AdapterHost,
): ToyInstance {
  const reached = new Set(workflow.edges.map(edge => edge.to_node));
  const first = workflow.workflow.start ?? workflow.nodes.find(node => !reached.has(node.node_id))?.node_id;
  if (first === undefined || workflow.nodes.some(node => node.type !== 'action' && node.type !== 'terminal'))
    throw new AdapterError('unsupported', 'This toy runs chains of action nodes that end in a terminal node.');
  const execution_id = randomUUID();
  const actions = [...(workflow.actions ?? []), ...registry];
  const run: Walk = { execution_id, inputs, context, actions, trace: [], host, cancelled: () => instance.cancelled };
  const instance: ToyInstance = { execution_id, trace: run.trace, done: walk(workflow, first, run), cancelled: false };
  return instance;
}

interface Walk {
  readonly execution_id: string;
  readonly inputs: object;
  readonly context: object;
  readonly actions: readonly Action[];
  readonly cancelled: () => boolean;
  readonly trace: TraceEntry[];
  readonly host: AdapterHost;
}

async function walk(workflow: Workflow, first: string, run: Walk): Promise<WorkflowWaitResult> {
  await Promise.resolve();
  for (let node_id: string | undefined = first; node_id !== undefined; ) {
    const node = workflow.nodes.find(candidate => candidate.node_id === node_id);
    if (node?.type === 'terminal') {
      run.trace.push({ node_id, outcome: node.status, attempts: 0 });
      if (node.status === 'completed') return { status: 'completed', outputs: {}, trace: run.trace };
      return { status: node.status, trace: run.trace };
    }
    if (node?.type !== 'action') break;
    if (run.cancelled()) return cancelled(run.trace);
    const [action_id = ''] = node.action_def.split('@');
    const result = await run.host.invoke({
      execution_id: randomUUID(),
      idempotency_key: `${run.execution_id}.${node_id}`,
      action_id,
      version: versionOf(run.actions, action_id),
      node_id,
      instance_id: run.execution_id,
      attempt: 1,
      inputs: (node.input_mapping ?? {}) as Record<string, unknown>,
      context: run.context as Record<string, unknown>,
    });
    const outcome = 'error' in result ? 'failure' : 'success';
    run.trace.push({ node_id, outcome, attempts: 1 });
    if ('error' in result) {
      const { error_class, detail } = result.error;
      return { status: 'failed', error: { error_class, detail, node_id }, trace: run.trace };
    }
    node_id = workflow.edges.find(edge => edge.from_node === node_id && edge.label === 'success')?.to_node;
  }
  return { status: 'failed', error: { error_class: 'E5', detail: 'no terminal was reached' }, trace: run.trace };
}

function cancelled(trace: TraceEntry[]): WorkflowWaitResult {
  return { status: 'failed', error: { error_class: 'E0', detail: 'cancelled' }, trace };
}

function versionOf(actions: readonly Action[], action_id: string): string {
  return actions.find(action => action.action_id === action_id)?.version ?? '1.0.0';
}
