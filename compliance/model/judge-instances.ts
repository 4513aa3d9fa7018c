import type { AuditRecord, ErrorNode, Node } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { Observation, Program } from '../program.js';
import { asActionNode, boundOf, subjectOf } from './documents.js';
import { failureOf, finalStatus, handlesFailure, type Resolution, undoesInstance } from './firing.js';
import { instanceInputs } from './instance.js';
import { sameJson } from './json.js';
import { judgeInstanceUndos, undosIn } from './judge-instance-undos.js';
import { evaluateObjectMapping } from './mapping.js';
import { type Attempt, errorSeen, type ReadInstance, readInstances } from './read-instance.js';
import { isStopped, readyAt, type Tell } from './read-places.js';

/** All instances of a log, and those in which something was undone. */
interface Whole {
  readonly instances: readonly ReadInstance[];
  readonly undone: ReadonlySet<ReadInstance>;
}

/**
 * What the log of a run breaks of Ch7, whether it was killed or not: each instance is read as the chapter says that a
 * reader does, with the documents and nothing else.
 */
export function judgeInstances(program: Program, observation: Observation): Violation[] {
  const { log, wait } = observation;
  if (log === undefined) return [];
  const found: Violation[] = [];
  const instances = readInstances(program, log);
  const undone = undoneIn(instances, log);
  const claimed = new Set<string>();
  for (const instance of instances) {
    const { execution_id } = instance.start;
    const tell: Tell = (requirement, expected, observed, node_id) =>
      found.push({ requirement, expected, observed, execution_id, ...(node_id === undefined ? {} : { node_id }) });
    judgeParts(instance, log, tell);
    judgePlace(instance, tell);
    for (const node of instance.graph.nodes.values()) judgeNode(node, instance, { instances, undone }, tell);
    judgeInstanceUndos(instance, instances, log, tell, claimed);
    judgeEnd(instance, tell);
    const asked = 'execution_id' in observation.start && observation.start.execution_id === execution_id;
    const traced = asked && wait !== undefined && wait.status !== 'running';
    if (traced && found.length === 0) judgeTrace(instance, wait, tell);
  }
  if (program.undos === undefined) judgeUnasked(log, claimed, found);
  return found;
}

/** RB1: nothing that has committed is undone unless an error node does it. */
function judgeUnasked(log: readonly AuditRecord[], claimed: ReadonlySet<string>, found: Violation[]): void {
  for (const original of undosIn(log).map(undo => undo.original)) {
    if (claimed.has(original)) continue;
    const expected = 'no undo that no error node asks for';
    found.push({ requirement: 'RB1', expected, observed: 'an undo', execution_id: original });
  }
}

/** Every record inside an instance is about a node of the type that writes such records, and leads up to the root. */
function judgeParts(instance: ReadInstance, log: readonly AuditRecord[], tell: Tell): void {
  const { graph, start, resolved, outcomes } = instance;
  const firsts = new Set<string>();
  for (const record of log) {
    if (record.parent_execution_id !== start.execution_id || record.record_type === 'workflow') continue;
    const { record_type, node_id = '', context_id } = record;
    if (context_id !== start.context_id) tell('AM3', `context ${start.context_id}`, context_id, node_id);
    const node = graph.nodes.get(node_id);
    const type = record_type === 'action' || record_type === 'recovery' ? undefined : record_type;
    if (node === undefined || (type !== undefined && node.type !== type)) {
      tell(
        'AM2',
        `a record of a node that is ${type ?? 'there'}`,
        `${record_type} ${record.status} of '${node_id}'`,
        node_id,
      );
      continue;
    }
    const outcome = resolved.get(node_id)?.outcome;
    const ready = outcome !== undefined && outcome !== 'skipped';
    if (ready || firsts.has(node_id)) continue;
    firsts.add(node_id);
    tell(node.type === 'error' ? 'EN1' : 'EB4', outcome ?? 'not decided', `${record_type} ${record.status}`, node_id);
  }
  for (const [node_id, records] of outcomes)
    if (records.length > 1) tell('AM5', 'one record of how it was resolved', `${records.length} records`, node_id);
}

/** A child has its parent's context and context_id, the skill node's name, and inputs that its mapping gives. */
function judgePlace({ start, parent, program }: ReadInstance, tell: Tell): void {
  if (parent === undefined) return;
  const node = parent.graph.nodes.get(start.node_id ?? '');
  if (start.context_id !== parent.start.context_id) tell('AM3', parent.start.context_id, start.context_id);
  if (!sameJson(start.context ?? {}, parent.start.context ?? {}))
    tell('EB5', JSON.stringify(parent.start.context), JSON.stringify(start.context) ?? 'none');
  if (node?.type !== 'skill') {
    tell('SN1', 'the skill node in node_id', String(start.node_id));
    return;
  }
  const mapped = evaluateObjectMapping(node.input_mapping ?? {}, seenBy(node, parent));
  if ('error' in mapped) {
    tell('AN3', 'no child where the inputs cannot be made', 'a child instance', node.node_id);
    return;
  }
  const inputs = instanceInputs({ ...program, inputs: mapped.value });
  if (!sameJson(inputs, start.inputs ?? {}))
    tell('EB6', `inputs ${JSON.stringify(inputs)}`, JSON.stringify(start.inputs) ?? 'none', node.node_id);
}

function seenBy(node: Node, instance: ReadInstance) {
  return { ...instance.scope, ...errorSeen(node, instance, instance.resolved) };
}

function judgeNode(node: Node, instance: ReadInstance, all: Whole, tell: Tell): void {
  const { node_id } = node;
  const resolution = instance.resolved.get(node_id);
  if (resolution === undefined || resolution.outcome === 'skipped' || instance.carried.has(node_id)) return;
  const caused = instance.caused.get(node_id) ?? [];
  const record = instance.outcomes.get(node_id)?.[0];
  const ready = readyAt(node_id, instance);
  const first = Math.min(...caused.map(attempt => attempt.first), record?.sequence ?? Number.POSITIVE_INFINITY);
  if (first <= ready) tell('CF6', `a start after ${ready}`, `a start at ${first}`, node_id);
  judgeInputs(node, instance, caused, tell);
  const own = instance.attempts.get(node_id) ?? [];
  if (node.type !== 'skill') {
    for (const [index, { number }] of own.entries())
      if (number !== index + 1) tell('CF10', `attempt ${index + 1}`, `attempt ${number}`, node_id);
  }
  const most = 1 + boundOf(node, instance.program);
  const made = own.filter(({ invoked }) => invoked).length;
  if (made > most) tell(node.type === 'skill' ? 'SN3' : 'CF9', `at most ${most} invocations`, `${made}`, node_id);
  else if (own.length > 0) judgeLeftovers(node, instance, own, tell);
  if (node.type === 'error') judgeErrorNode(node, instance, resolution, caused, record, all, tell);
  if (node.type === 'skill') judgeSkill(node, instance, caused, record, all, tell);
  const ended = instance.end !== undefined && !isStopped(instance);
  if (ended && record === undefined && node.type !== 'action' && node.type !== 'condition')
    tell('AM2', `a ${node.type} record`, 'none', node_id);
}

/** Attempts that neither a policy nor an error node explains. */
function judgeLeftovers(node: Node, instance: ReadInstance, own: readonly Attempt[], tell: Tell): void {
  const explained = [...instance.caused].flatMap(([id, attempts]) => {
    const by = instance.graph.nodes.get(id);
    return by !== undefined && subjectOf(by, instance.graph) === node ? attempts : [];
  });
  const stray = own.find(attempt => !explained.includes(attempt));
  if (stray === undefined) return;
  const after = own[own.indexOf(stray) - 1];
  const requirement = after?.status === 'success' ? 'AN5' : isRetried(node, instance) ? 'EN2' : 'CF9';
  tell(requirement, 'no further attempt', `attempt ${stray.number}`, node.node_id);
}

function isRetried(node: Node, { graph }: ReadInstance): boolean {
  return [...graph.nodes.values()].some(
    other => other.type === 'error' && other.handling === 'retry' && subjectOf(other, graph) === node,
  );
}

function judgeInputs(node: Node, instance: ReadInstance, caused: readonly Attempt[], tell: Tell): void {
  const subject = subjectOf(node, instance.graph);
  if (subject?.type !== 'action' && subject?.type !== 'error') return;
  const mapped = evaluateObjectMapping(asActionNode(subject).input_mapping ?? {}, seenBy(subject, instance));
  for (const { records, invoked } of caused) {
    if (!invoked) continue;
    const inputs = records[0]?.inputs;
    if ('error' in mapped)
      tell('EB6', 'inputs that the log accounts for', JSON.stringify(inputs) ?? 'none', node.node_id);
    else if (!sameJson(inputs ?? null, mapped.value))
      tell('EB6', `inputs ${JSON.stringify(mapped.value)}`, JSON.stringify(inputs) ?? 'none', node.node_id);
  }
}

function judgeErrorNode(
  node: ErrorNode,
  instance: ReadInstance,
  resolution: Resolution,
  caused: readonly Attempt[],
  record: AuditRecord | undefined,
  all: Whole,
  tell: Tell,
): void {
  const { node_id } = node;
  const ins = instance.graph.ins.get(node_id) ?? [];
  if (ins.some(({ label }) => label !== 'failure')) tell('EN1', 'failure edges', 'another one', node_id);
  if (record === undefined) return;
  if (node.handling === 'fail') {
    if (record.status !== 'failure') tell('EN4', 'failure', record.status, node_id);
    else judgeTakenUp(node, instance, record, tell);
    return;
  }
  if (undoesInstance(node)) return;
  const requirement = node.handling === 'retry' ? 'EN2' : 'AN2';
  const done = caused.some(({ status }) => status === 'success');
  if (done !== (record.status === 'success')) {
    const mapped = resolution.outputs !== undefined || instance.graph.nodes.get(node_id) === undefined;
    if (record.status === 'success' || mapped || caused.every(({ records }) => records[0]?.record_type !== 'workflow'))
      tell(requirement, done ? 'success of what has committed' : 'failure', record.status, node_id);
    return;
  }
  if (node.handling === 'retry' && record.status === 'failure') judgeGivenUp(node, instance, caused, all, tell);
}

/** What a node with handling fail is recorded to fail with is the failure that it was reached by; of several the smallest node's. */
function judgeTakenUp(node: ErrorNode, instance: ReadInstance, record: AuditRecord, tell: Tell): void {
  const { error } = errorSeen(node, instance, instance.resolved);
  if (error === undefined) return;
  const { node_id: from, error_class } = error;
  const error_detail = instance.details.get(String(from));
  const same = error_detail === undefined || error_detail === record.error_detail;
  if (record.error_class === error_class && same) return;
  const expected = `${error_class} '${error_detail}' of '${from}'`;
  tell('EN4', expected, `${record.error_class} '${record.error_detail}'`, node.node_id);
}

/** A retrying node fails no earlier than its attempts or the bound are used up. */
function judgeGivenUp(
  node: ErrorNode,
  instance: ReadInstance,
  caused: readonly Attempt[],
  all: Whole,
  tell: Tell,
): void {
  const subject = subjectOf(node, instance.graph);
  if (subject === undefined || isStopped(instance)) return;
  const before = (instance.attempts.get(subject.node_id) ?? []).filter(
    ({ first }) => first < readyAt(node.node_id, instance),
  );
  const n = before.filter(({ invoked }) => invoked).length;
  const due = Math.min(node.max_attempts ?? 1, 1 + boundOf(subject, instance.program) - n);
  const made = caused.filter(({ invoked }) => invoked).length;
  if (made >= due || caused.at(-1)?.invoked === false) return;
  if (subject.type === 'skill') {
    const ended = [...before, ...caused].at(-1)?.records[0]?.execution_id;
    if (ended === undefined || caused.at(-1)?.status === 'success') return;
    const child = all.instances.find(({ start }) => start.execution_id === ended);
    if (child === undefined || child.end?.status === 'workflow_completed' || somethingUndone(child, all.undone)) return;
  }
  tell('EN2', `${due} attempts`, `${made} attempts`, node.node_id);
}

/** The instances in which something was undone, and those above them. */
function undoneIn(instances: readonly ReadInstance[], log: readonly AuditRecord[]): ReadonlySet<ReadInstance> {
  const found = new Set<ReadInstance>();
  const by = new Map(instances.map(instance => [instance.start.execution_id, instance]));
  for (const { record_type, status, purpose = 'execute', parent_execution_id = '' } of log) {
    if (record_type !== 'action' || status !== 'committed' || purpose === 'execute') continue;
    for (let at = by.get(parent_execution_id); at !== undefined; at = at.parent) found.add(at);
  }
  return found;
}

function somethingUndone(child: ReadInstance, undone: ReadonlySet<ReadInstance>): boolean {
  for (let at: ReadInstance | undefined = child; at !== undefined; at = at.resumes) if (undone.has(at)) return true;
  return false;
}

function judgeSkill(
  node: Node,
  instance: ReadInstance,
  caused: readonly Attempt[],
  record: AuditRecord | undefined,
  all: Whole,
  tell: Tell,
): void {
  if (record === undefined) return;
  const { node_id } = node;
  const ids = caused.flatMap(({ records }) => records.slice(0, 1).map(({ execution_id }) => execution_id));
  if (!sameJson(record.refers_to ?? [], ids)) {
    const expected = `refers_to the children ${ids.join(', ') || 'none'}`;
    tell('SN1', expected, record.refers_to?.join(', ') ?? 'nothing', node_id);
    return;
  }
  const child = all.instances.find(({ start }) => start.execution_id === ids.at(-1));
  if (child !== undefined && child.end === undefined) {
    tell('SN2', 'the end of the child first', record.status, node_id);
    return;
  }
  const completed = child?.end?.status === 'workflow_completed';
  const mapping = node.type === 'skill' ? node.output_mapping : undefined;
  const result = child?.end?.outputs ?? {};
  const evaluable =
    mapping === undefined || 'value' in evaluateObjectMapping(mapping, { ...seenBy(node, instance), result });
  const expected = completed && evaluable ? 'success' : 'failure';
  if (record.status !== expected) tell('SN2', expected, record.status, node_id);
  else if (expected === 'failure') {
    const error_class = child === undefined || completed ? 'E4' : (child.end?.error_class ?? 'E4');
    if (record.error_class !== error_class) tell('FB6', `class ${error_class}`, String(record.error_class), node_id);
  }
}

const STATUS = { completed: 'workflow_completed', failed: 'workflow_failed', compensated: 'workflow_compensated' };

function judgeEnd(instance: ReadInstance, tell: Tell): void {
  const { end, graph, resolved, workflow, scope } = instance;
  if (end === undefined || isStopped(instance)) return;
  const reached = finalStatus(graph, resolved);
  if (reached === 'in_doubt' || reached === 'running') {
    const open = [...resolved].find(([, { outcome }]) => outcome === reached)?.[0];
    tell(reached === 'in_doubt' ? 'FB5' : 'CF8', 'no end yet', end.status, open);
    return;
  }
  const mapped = evaluateObjectMapping(workflow.outputs ?? {}, scope);
  const status = reached === 'completed' && 'error' in mapped ? 'failed' : reached;
  if (end.status !== STATUS[status]) {
    tell(blameStatus(instance, status), STATUS[status], end.status);
  } else if (status === 'completed' && 'value' in mapped && !sameJson(mapped.value, end.outputs ?? {})) {
    tell('EB3', `outputs ${JSON.stringify(mapped.value)}`, JSON.stringify(end.outputs) ?? 'none');
  } else if (reached === 'failed') {
    const error = failureOf(graph, resolved);
    const detail = instance.details.get(error?.node_id ?? '');
    const same = detail === undefined || detail === end.error_detail;
    if (error?.node_id === end.node_id && error?.error_class === end.error_class && same) return;
    const told = detail === undefined ? '' : ` '${detail}'`;
    const expected = error === undefined ? 'no error' : `${error.error_class}${told} of '${error.node_id}'`;
    const observed = `${end.error_class} '${end.error_detail}' of '${end.node_id}'`;
    tell(blameEnd(graph.nodes.get(error?.node_id ?? '')), expected, observed);
  }
}

/** The requirement that an instance breaks whose end names another failure than that of this node. */
function blameEnd(node: Node | undefined): string {
  if (node?.type === 'error' && node.handling === 'fail') return 'EN4';
  return node?.type === 'skill' ? 'FB6' : 'FB2';
}

/** The requirement that an instance breaks which ended in another status than this one. */
export function blameStatus({ graph, resolved }: Pick<ReadInstance, 'graph' | 'resolved'>, status: string): string {
  const drained = [...resolved].filter(([, { drains }]) => drains === true).map(([id]) => graph.nodes.get(id));
  if (drained.some(node => node?.type === 'error' && node.handling === 'fail')) return 'EN4';
  if (drained.length > 0) return drained.some(node => node?.type === 'skill') ? 'FB6' : 'FB2';
  const handled = [...resolved].filter(([id, { outcome }]) => outcome === 'failure' && handlesFailure(graph, id));
  if (status !== 'failed' && handled.length > 0)
    return handled.some(([id]) => graph.nodes.get(id)?.type === 'skill') ? 'FB6' : 'FB1';
  return 'TN2';
}

/** What the trace says of outcomes follows from the records. */
function judgeTrace(instance: ReadInstance, wait: NonNullable<Observation['wait']>, tell: Tell): void {
  const traced = new Map(wait.trace.map(({ node_id, outcome }) => [node_id, outcome]));
  for (const [node_id, { outcome }] of instance.resolved) {
    if (outcome === 'running') continue;
    const said = traced.get(node_id);
    if (said !== undefined && said !== outcome) tell('AM4', `${outcome} by the log`, said, node_id);
  }
}
