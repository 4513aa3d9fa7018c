import type { AuditRecord, ErrorClass, Node, Workflow } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { resolveAction, retryLimit } from './contract.js';
import { asActionNode, boundOf, errorNodesOver, resolveWorkflow, retriedBy, subjectOf, within } from './documents.js';
import { drainsInstance, fire, type Graph, graphOf, type Resolution, takes } from './firing.js';
import { resolveCondition } from './instance.js';
import type { JsonObject } from './json.js';
import { evaluateObjectMapping } from './mapping.js';
import type { Scope } from './scope.js';
import { carriedFrom } from './tree.js';

/** One attempt of an action, or one child instance of a skill, as the log tells of it. */
export interface Attempt {
  readonly number: number;
  /** The records of its last execution, redos put aside; of a child instance its start and its end. */
  readonly records: readonly AuditRecord[];
  /** Whether it was invoked: one that failed before has no pending record. */
  readonly invoked: boolean;
  readonly status: 'success' | 'failure' | 'in_doubt' | 'running';
  /** Whether recovery, or the judgement of a live failure, decided it, so that no policy retries it. */
  readonly closed: boolean;
  readonly first: number;
  readonly last: number;
}

/** An instance as a reader of the log and of its documents sees it (Ch7, where an instance stands). */
export interface ReadInstance {
  readonly start: AuditRecord;
  readonly end?: AuditRecord;
  readonly workflow: Workflow;
  readonly program: Program;
  readonly graph: Graph;
  readonly parent?: ReadInstance;
  readonly resumes?: ReadInstance;
  readonly scope: Scope & { readonly nodes: Map<string, JsonObject> };
  readonly resolved: ReadonlyMap<string, Resolution>;
  readonly carried: ReadonlySet<string>;
  /** The details of failures by node. */
  readonly details: Map<string, string>;
  /** Attempts by the node whose action or skill it is, and those that each node caused. */
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>;
  readonly caused: Map<string, readonly Attempt[]>;
  /** The record of a skill, error or terminal node; all of them, where there are several. */
  readonly outcomes: ReadonlyMap<string, readonly AuditRecord[]>;
}

const ENDS: ReadonlySet<string> = new Set(['workflow_completed', 'workflow_failed', 'workflow_compensated']);

/** The instances of a log, in the order of their start; those of a workflow that the program does not have are left out. */
export function readInstances(program: Program, log: readonly AuditRecord[]): readonly ReadInstance[] {
  const known = new Map<string, ReadInstance>();
  const parts = sorted(log);
  for (const start of log) {
    if (start.record_type !== 'workflow' || start.status !== 'workflow_started') continue;
    const parent = known.get(start.parent_execution_id ?? '');
    const workflow = workflowOf(start, program);
    if (workflow === undefined) continue;
    const resumed = (start.refers_to ?? []).find(id => id !== start.confirmation_id);
    const resumes = resumed === undefined ? undefined : known.get(resumed);
    known.set(start.execution_id, new Reader(start, workflow, program, parts, parent, resumes).read());
  }
  return [...known.values()];
}

interface Parts {
  readonly inside: ReadonlyMap<string, readonly AuditRecord[]>;
  readonly ends: ReadonlyMap<string, AuditRecord>;
  readonly recovered: ReadonlyMap<string, AuditRecord>;
  readonly children: ReadonlyMap<string, readonly AuditRecord[]>;
}

function sorted(log: readonly AuditRecord[]): Parts {
  const inside = new Map<string, AuditRecord[]>();
  const children = new Map<string, AuditRecord[]>();
  const ends = new Map<string, AuditRecord>();
  const recovered = new Map<string, AuditRecord>();
  for (const record of log) {
    const { record_type, parent_execution_id: parent, status, execution_id } = record;
    if (record_type === 'workflow' && ENDS.has(status)) ends.set(execution_id, record);
    if (record_type === 'recovery') recovered.set(execution_id, record);
    if (parent === undefined) continue;
    const list = record_type === 'workflow' ? children : inside;
    const known = list.get(parent);
    if (known === undefined) list.set(parent, [record]);
    else known.push(record);
  }
  return { inside, children, ends, recovered };
}

function workflowOf({ workflow_id }: AuditRecord, program: Program): Workflow | undefined {
  const all = [program.workflow, ...(program.registry?.workflows ?? [])];
  return all.find(({ workflow }) => `${workflow.name}@${workflow.version}` === workflow_id);
}

class Reader {
  readonly #instance: ReadInstance & { resolved: ReadonlyMap<string, Resolution> };
  readonly #parts: Parts;
  readonly #carried: ReadonlyMap<string, Resolution>;
  readonly #cursor = new Map<string, number>();

  constructor(
    start: AuditRecord,
    workflow: Workflow,
    program: Program,
    parts: Parts,
    parent: ReadInstance | undefined,
    resumes: ReadInstance | undefined,
  ) {
    this.#parts = parts;
    const own = within(program, workflow);
    const records = parts.inside.get(start.execution_id) ?? [];
    const end = parts.ends.get(start.execution_id);
    const outcomes = new Map<string, AuditRecord[]>();
    for (const record of records) {
      if (record.record_type !== 'error' && record.record_type !== 'skill' && record.record_type !== 'terminal')
        continue;
      outcomes.set(record.node_id ?? '', [...(outcomes.get(record.node_id ?? '') ?? []), record]);
    }
    this.#carried =
      resumes === undefined ? new Map() : carriedFrom({ ...resumes, resolved: new Map(resumes.resolved) });
    this.#instance = {
      ...{ start, workflow, program: own, graph: graphOf(workflow), outcomes },
      ...(end === undefined ? {} : { end }),
      ...(parent === undefined ? {} : { parent }),
      ...(resumes === undefined ? {} : { resumes }),
      scope: { inputs: start.inputs ?? {}, context: start.context ?? {}, nodes: new Map() },
      resolved: new Map(),
      carried: new Set(this.#carried.keys()),
      details: new Map(),
      attempts: this.#attemptsOf(records, parts.children.get(start.execution_id) ?? []),
      caused: new Map(),
    };
  }

  read(): ReadInstance {
    const { scope } = this.#instance;
    const resolve = (node: Node, so_far: ReadonlyMap<string, Resolution>): Resolution => {
      const resolution = this.#carried.get(node.node_id) ?? this.#resolve(node, so_far);
      if (resolution.outcome === 'success' && resolution.outputs !== undefined)
        scope.nodes.set(node.node_id, resolution.outputs);
      return resolution;
    };
    this.#instance.resolved = fire(this.#instance.graph, resolve);
    return this.#instance;
  }

  #resolve(node: Node, so_far: ReadonlyMap<string, Resolution>): Resolution {
    const { graph, scope, outcomes } = this.#instance;
    const seen = { ...scope, ...errorSeen(node, this.#instance, so_far) };
    if (node.type === 'condition') return resolveCondition(node, graph, seen);
    if (node.type === 'terminal') return { outcome: node.status, attempts: 0 };
    const subject = subjectOf(node, graph);
    const caused = subject === undefined ? [] : this.#take(node, subject);
    this.#instance.caused.set(node.node_id, caused);
    const attempts = caused.filter(({ invoked }) => invoked).length;
    const last = caused.at(-1);
    const record = outcomes.get(node.node_id)?.[0];
    const due = this.#instance.end === undefined && last?.status === 'failure' && this.#retriedByPolicy(node, last);
    const own = due ? 'running' : (last?.status ?? 'running');
    const status = node.type === 'action' ? own : (record?.status ?? openStatus(last));
    if (status === 'success') {
      const inherits = node.type === 'error' && node.output_mapping === undefined && subject !== undefined;
      const mapped = inherits ? { ...scope, ...errorSeen(subject, this.#instance, so_far) } : seen;
      const outputs = last === undefined ? {} : this.#outputs(node, subject, last, mapped);
      return { outcome: 'success', attempts, ...(outputs === undefined ? {} : { outputs }) };
    }
    if (status !== 'failure') return { outcome: status === 'in_doubt' ? 'in_doubt' : 'running', attempts };
    const told = node.type === 'action' ? last?.records.at(-1) : record;
    const error_class: ErrorClass = told?.error_class ?? 'E4';
    this.#instance.details.set(node.node_id, told?.error_detail ?? '');
    return { outcome: 'failure', attempts, error_class, drains: drainsInstance(graph, node, error_class) };
  }

  /** The attempts that a node causes: by policy its own, up to the one that none follows, and then those of who retries it. */
  #take(node: Node, subject: Node): readonly Attempt[] {
    const { program, attempts } = this.#instance;
    const all = attempts.get(subject.node_id) ?? [];
    const from = this.#cursor.get(subject.node_id) ?? 0;
    const taken: Attempt[] = [];
    const retrying = node.type === 'error' && node.handling === 'retry';
    const most = Math.min(retrying ? (node.max_attempts ?? 1) : 99, 1 + boundOf(subject, program) - from);
    for (let at = from; at < all.length && (taken.length < most || !retrying); at += 1) {
      const attempt = all[at] as Attempt;
      taken.push(attempt);
      if (attempt.status !== 'failure') break;
      if (!retrying && !this.#retriedByPolicy(subject, attempt)) break;
    }
    this.#cursor.set(subject.node_id, from + taken.length);
    return taken;
  }

  #retriedByPolicy(subject: Node, attempt: Attempt): boolean {
    if (subject.type === 'skill' || !attempt.invoked || attempt.closed) return false;
    if (subject.type !== 'action' && subject.type !== 'error') return false;
    const node = asActionNode(subject);
    const action = resolveAction(node.action_def, this.#instance.program);
    const { error_class = 'E4', error_detail } = attempt.records.at(-1) ?? {};
    if (action === undefined || error_detail === 'conflict') return false;
    return attempt.number <= retryLimit(error_class, action, node);
  }

  #outputs(node: Node, subject: Node | undefined, last: Attempt, scope: Scope): JsonObject | undefined {
    const result = last.records.at(-1)?.outputs ?? {};
    if (subject?.type !== 'action' && subject?.type !== 'skill' && subject?.type !== 'error') return undefined;
    const executed = node.type === 'error' && node !== subject ? retriedBy(subject as never, node) : subject;
    const mapping = (executed as { output_mapping?: JsonObject }).output_mapping;
    if (mapping === undefined) return result;
    const mapped = evaluateObjectMapping(mapping, { ...scope, result });
    return 'value' in mapped ? mapped.value : undefined;
  }

  #attemptsOf(records: readonly AuditRecord[], children: readonly AuditRecord[]): Map<string, Attempt[]> {
    const executions = new Map<string, AuditRecord[]>();
    for (const record of records) {
      if (record.record_type !== 'action' || (record.purpose ?? 'execute') !== 'execute') continue;
      executions.set(record.execution_id, [...(executions.get(record.execution_id) ?? []), record]);
    }
    const found = new Map<string, Attempt[]>();
    for (const own of executions.values()) {
      const [first] = own as [AuditRecord, ...AuditRecord[]];
      const list = found.get(first.node_id ?? '') ?? [];
      found.set(first.node_id ?? '', list);
      const number = first.attempt ?? 1;
      const before = list.at(-1);
      const redo = before?.number === number && before.closed && before.status === 'failure';
      const attempt = this.#attempt(own, number, redo ? before.first : first.sequence);
      if (redo) list[list.length - 1] = attempt;
      else list.push(attempt);
    }
    for (const start of children) {
      const list = found.get(start.node_id ?? '') ?? [];
      found.set(start.node_id ?? '', list);
      const end = this.#parts.ends.get(start.execution_id);
      const status = end === undefined ? 'running' : end.status === 'workflow_completed' ? 'success' : 'failure';
      const [first, last] = [start.sequence, end?.sequence ?? start.sequence];
      const own = end === undefined ? [start] : [start, end];
      list.push({ number: list.length + 1, records: own, invoked: true, status, closed: true, first, last });
    }
    return found;
  }

  #attempt(records: readonly AuditRecord[], number: number, first: number): Attempt {
    const told = records.filter(({ status }) => status !== 'rolled_back' && status !== 'compensated');
    const latest = told.at(-1) as AuditRecord;
    const word = latest.status === 'committed' ? 'success' : latest.status === 'failed' ? 'failure' : 'running';
    const status = latest.status === 'in_doubt' ? 'in_doubt' : word;
    const closed = this.#parts.recovered.has(latest.execution_id) || told.some(one => one.status === 'in_doubt');
    const invoked = told.some(one => one.status === 'pending');
    return { number, records: told, invoked, status, closed, first, last: latest.sequence };
  }
}

function openStatus(last: Attempt | undefined): string {
  return last?.status === 'in_doubt' ? 'in_doubt' : 'running';
}

/** What `error` names at a node, by what is recorded. */
export function errorSeen(
  node: Node,
  { graph, details }: Pick<ReadInstance, 'graph' | 'details'>,
  so_far: ReadonlyMap<string, Resolution>,
): Pick<Scope, 'error'> {
  const over = errorNodesOver(graph).get(node.node_id);
  if (over === undefined) return {};
  const [node_id] = (graph.ins.get(over) ?? [])
    .filter(edge => {
      const source = so_far.get(edge.from_node);
      return source !== undefined && takes(source, edge);
    })
    .map(({ from_node }) => from_node)
    .sort();
  if (node_id === undefined) return {};
  const error_class = so_far.get(node_id)?.error_class ?? 'E4';
  return { error: { error_class, error_detail: details.get(node_id) ?? '', node_id } };
}

/** The workflow of a skill node as its documents resolve it. */
export function skillOf(node: Node, { program }: ReadInstance): Workflow | undefined {
  return node.type === 'skill' ? resolveWorkflow(node.workflow_ref, program) : undefined;
}
