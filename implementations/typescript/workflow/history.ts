import type { AuditRecord } from '../../../schemas/types.js';
import { resumedBy } from './replay.js';

/** A log as its history is read from. */
export interface HistorySource {
  /** Records in sequence order. */
  readonly records: (query: {
    readonly execution_id?: string;
    readonly parent_execution_id?: string;
    readonly record_type?: AuditRecord['record_type'];
  }) => Iterable<AuditRecord>;
}

/** open: started and not ended; whether it runs or is interrupted, the log does not say. */
export type RunStatus = 'completed' | 'failed' | 'compensated' | 'in_doubt' | 'open';

/** One instance in short. */
export interface RunSummary {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly status: RunStatus;
  readonly agent_id: string;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly duration_ms?: number;
  readonly parent_execution_id?: string;
  readonly resumes?: string;
  readonly error?: { readonly error_class: string; readonly error_detail: string; readonly node_id?: string };
}

/** One execution of an action, from its first record to its last. */
export interface ExecutionHistory {
  readonly execution_id: string;
  readonly action: string;
  readonly attempt: number;
  readonly purpose: 'execute' | 'revert' | 'compensate';
  readonly status: AuditRecord['status'];
  readonly started_at: string;
  readonly ended_at?: string;
  readonly duration_ms?: number;
  readonly refers_to?: readonly string[];
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly state_changes?: AuditRecord['state_changes'];
  readonly evidence_ref?: string;
  readonly degraded?: true;
  readonly error?: { readonly error_class: string; readonly error_detail: string };
  /** What recovery, or the judgement of its failure, decided. */
  readonly decisions: readonly {
    readonly decision: string;
    readonly probe?: string;
    readonly new_execution_id?: string;
  }[];
  /** What somebody said became of it while it was in doubt. */
  readonly resolved?: {
    readonly verdict: NonNullable<AuditRecord['verdict']>;
    readonly approver: string;
    readonly at: string;
    readonly approval_id: string;
  };
}

/** What the log tells of one node. */
export interface NodeHistory {
  readonly node_id: string;
  readonly kind: 'action' | 'skill' | 'error' | 'terminal';
  /** Its last status: of an action that of its last execution, else that of its record; absent while there is none. */
  readonly outcome?: AuditRecord['status'];
  readonly error?: { readonly error_class: string; readonly error_detail: string };
  readonly executions: readonly ExecutionHistory[];
  /** The child instances that it started. */
  readonly children: readonly string[];
}

/** An instance with its nodes in the order in which they came up; conditions and skipped nodes leave no record. */
export interface InstanceHistory extends RunSummary {
  readonly inputs: unknown;
  readonly outputs?: unknown;
  readonly nodes: readonly NodeHistory[];
}

const END_STATUS: Readonly<Partial<Record<AuditRecord['status'], RunStatus>>> = {
  workflow_completed: 'completed',
  workflow_failed: 'failed',
  workflow_compensated: 'compensated',
};

/** An instance in short, by its start and, where it has ended, its end; `doubted` where something in it is in doubt. */
export function summaryOf(start: AuditRecord, end: AuditRecord | undefined, doubted: boolean): RunSummary {
  const { execution_id, workflow_id = '', agent_id, timestamp, parent_execution_id } = start;
  const resumes = resumedBy(start);
  const error = end && errorOf(end);
  return {
    execution_id,
    workflow_id,
    status: (end && END_STATUS[end.status]) ?? (doubted ? 'in_doubt' : 'open'),
    agent_id,
    started_at: timestamp,
    ...(end === undefined ? {} : { ended_at: end.timestamp, duration_ms: between(timestamp, end.timestamp) }),
    ...(parent_execution_id === undefined ? {} : { parent_execution_id }),
    ...(resumes === undefined ? {} : { resumes }),
    ...(error === undefined ? {} : { error: end?.node_id === undefined ? error : { ...error, node_id: end.node_id } }),
  };
}

/** The history of an instance, and then those of all below it; none where it was not started. */
export function historiesOf(source: HistorySource, execution_id: string): InstanceHistory[] {
  const found = new Set([execution_id]);
  const histories: InstanceHistory[] = [];
  for (const id of found) {
    const [start, end] = source.records({ execution_id: id, record_type: 'workflow' });
    if (start === undefined) continue;
    const nodes = new Nodes(source);
    for (const record of source.records({ parent_execution_id: id })) nodes.add(record);
    for (const child of nodes.children) found.add(child);
    histories.push({
      ...summaryOf(start, end, nodes.doubted),
      inputs: start.inputs ?? {},
      ...(end?.outputs === undefined ? {} : { outputs: end.outputs }),
      nodes: nodes.histories(),
    });
  }
  return spreadDoubts(histories);
}

/** A doubt below an instance that has not ended is one of that instance, too. Children stand after their parents. */
function spreadDoubts(histories: InstanceHistory[]): InstanceHistory[] {
  const doubted = new Set<string>();
  for (const { execution_id, status, parent_execution_id } of [...histories].reverse())
    if ((status === 'in_doubt' || doubted.has(execution_id)) && parent_execution_id !== undefined)
      doubted.add(parent_execution_id);
  return histories.map(history =>
    history.status === 'open' && doubted.has(history.execution_id) ? { ...history, status: 'in_doubt' } : history,
  );
}

type Draft<T> = { -readonly [K in keyof T]: T[K] };
type ExecutionDraft = Draft<Omit<ExecutionHistory, 'decisions'>> & {
  decisions: ExecutionHistory['decisions'][number][];
};
type NodeDraft = Draft<Omit<NodeHistory, 'executions' | 'children'>> & {
  executions: ExecutionDraft[];
  children: string[];
};

/** The nodes of one instance, as its records come. */
class Nodes {
  readonly children: string[] = [];
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #executions = new Map<string, ExecutionDraft>();
  readonly #doubts = new Set<string>();
  readonly #source: HistorySource;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  get doubted(): boolean {
    return this.#doubts.size > 0;
  }

  histories(): NodeHistory[] {
    return [...this.#nodes.values()];
  }

  add(record: AuditRecord): void {
    const { record_type, status, node_id, execution_id } = record;
    if (record_type === 'recovery') this.#decide(record);
    else if (record_type === 'action') this.#execute(record);
    else if (record_type === 'workflow') {
      if (status !== 'workflow_started' || node_id === undefined) return;
      this.children.push(execution_id);
      this.#node(node_id, 'skill').children.push(execution_id);
    } else if (
      node_id !== undefined &&
      (record_type === 'terminal' || record_type === 'error' || record_type === 'skill')
    ) {
      const error = errorOf(record);
      Object.assign(this.#node(node_id, record_type), { kind: record_type, outcome: status }, error && { error });
    }
  }

  #node(node_id: string, kind: NodeHistory['kind']): NodeDraft {
    const known = this.#nodes.get(node_id) ?? { node_id, kind, executions: [], children: [] };
    this.#nodes.set(node_id, known);
    return known;
  }

  #execute(record: AuditRecord): void {
    const { execution_id, status, node_id = '', timestamp } = record;
    const node = this.#node(node_id, 'action');
    let execution = this.#executions.get(execution_id);
    if (execution === undefined) {
      execution = begun(record);
      this.#executions.set(execution_id, execution);
      node.executions.push(execution);
    }
    if (execution.status === 'in_doubt') Object.assign(execution, this.#resolution(record));
    execution.status = status;
    if (status === 'in_doubt') this.#doubts.add(execution_id);
    else this.#doubts.delete(execution_id);
    if (status !== 'pending' && execution.ended_at === undefined) {
      execution.ended_at = timestamp;
      execution.duration_ms = between(execution.started_at, timestamp);
    }
    const { outputs, state_changes, evidence_ref, degraded, inputs } = record;
    const error = errorOf(record);
    Object.assign(
      execution,
      inputs && { inputs },
      outputs && { outputs },
      state_changes && { state_changes },
      evidence_ref && { evidence_ref },
      degraded && { degraded },
      error && { error },
    );
    if (execution.purpose === 'execute' && node.kind === 'action') node.outcome = status;
  }

  /** Who settled a doubt, which the record that ends it refers to. */
  #resolution({ refers_to = [] }: AuditRecord): Pick<ExecutionHistory, 'resolved'> {
    for (const approval_id of refers_to)
      for (const { verdict, agent_id, timestamp } of this.#source.records({
        execution_id: approval_id,
        record_type: 'approval',
      }))
        if (verdict !== undefined) return { resolved: { verdict, approver: agent_id, at: timestamp, approval_id } };
    return {};
  }

  #decide({ execution_id, status, probe, new_execution_id }: AuditRecord): void {
    this.#executions.get(execution_id)?.decisions.push({
      decision: status,
      ...(probe === undefined ? {} : { probe }),
      ...(new_execution_id === undefined ? {} : { new_execution_id }),
    });
  }
}

function begun(record: AuditRecord): ExecutionDraft {
  const {
    execution_id,
    action_id,
    action_version,
    attempt = 1,
    purpose = 'execute',
    status,
    timestamp,
    refers_to,
  } = record;
  return {
    execution_id,
    action: `${action_id}@${action_version}`,
    attempt,
    purpose,
    status,
    started_at: timestamp,
    ...(refers_to === undefined ? {} : { refers_to }),
    decisions: [],
  };
}

function errorOf({ error_class, error_detail = '' }: AuditRecord) {
  return error_class === undefined ? undefined : { error_class, error_detail };
}

function between(from: string, until: string): number {
  return Date.parse(until) - Date.parse(from);
}
