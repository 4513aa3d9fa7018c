import type { ActionNode, ErrorClass, ErrorNode, Node, SkillNode, Workflow } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { type Course, failure, runActionNode } from './action-node.js';
import { fitsSchema } from './contract.js';
import {
  asActionNode,
  boundOf,
  errorNodesOver,
  resolveWorkflow,
  retriedBy,
  sourceOf,
  subjectOf,
  within,
} from './documents.js';
import {
  drainsInstance,
  failureOf,
  finalStatus,
  fire,
  type Graph,
  graphOf,
  handlesFailure,
  type Resolution,
  takes,
} from './firing.js';
import { instanceInputs, resolveCondition } from './instance.js';
import { type JsonObject, own } from './json.js';
import { evaluateObjectMapping } from './mapping.js';
import type { Scope } from './scope.js';
import { applyChanges, type Fold } from './state.js';
import { Commits } from './undoing.js';

/** One instance of an undisturbed run: how each of its nodes was resolved, how it ended, and the instances below it. */
export interface TreeInstance {
  readonly workflow: Workflow;
  readonly program: Program;
  readonly graph: Graph;
  readonly scope: Scope & { readonly nodes: Map<string, JsonObject> };
  readonly parent?: TreeInstance;
  /** The ended instance that this one resumes. */
  readonly resumes?: TreeInstance;
  readonly resolved: Map<string, Resolution>;
  /** The child instances by skill node, in the order of their start. */
  readonly children: Map<string, TreeInstance[]>;
  /** Attempts so far by the node whose action it is, and committed undos of its executions. */
  readonly counts: Map<string, { attempts: number; undos: number; effect: boolean }>;
  status: ReturnType<typeof finalStatus>;
  outputs?: JsonObject;
  error?: { readonly node_id?: string; readonly error_class: ErrorClass };
}

/** One invocation of an undisturbed run that is no undo. */
export interface Call {
  readonly instance: TreeInstance;
  readonly node_id: string;
  readonly attempt: number;
  readonly inputs: JsonObject;
  /** Committed undos of the node before it: with the instance and the node they make the key. */
  readonly undos: number;
}

/** A whole undisturbed run. */
export interface Tree {
  readonly root: TreeInstance;
  readonly instances: readonly TreeInstance[];
  readonly calls: readonly Call[];
  readonly commits: Commits;
  readonly fold: Fold;
}

/**
 * Runs a program with all its child instances (Ch7), without kill and in any order of unordered nodes that `pick` chooses:
 * error nodes execute, undo and mark, skill nodes run their workflows. Nothing here is about time.
 */
export function runTree(program: Program, pick?: (decided: number) => number): Tree {
  const run = new Run(pick);
  const root = run.instance(program, {});
  return { root, instances: run.instances, calls: run.calls, commits: run.commits, fold: run.fold };
}

type SoFar = ReadonlyMap<string, Resolution>;

class Run {
  readonly instances: TreeInstance[] = [];
  readonly calls: Call[] = [];
  readonly fold: Fold = new Map();
  readonly commits = new Commits(this.fold);
  /** How many behaviours of its script each node has used up. */
  readonly #used = new Map<string, number>();
  readonly #pick: ((decided: number) => number) | undefined;

  constructor(pick: ((decided: number) => number) | undefined) {
    this.#pick = pick;
  }

  instance(program: Program, place: Pick<TreeInstance, 'parent' | 'resumes'>): TreeInstance {
    const { workflow } = program;
    const graph = graphOf(workflow);
    const scope = { inputs: instanceInputs(program), context: program.context ?? {}, nodes: new Map() };
    const state = { resolved: new Map(), children: new Map(), counts: new Map(), status: 'running' as const };
    const instance: TreeInstance = { workflow, program, graph, scope, ...place, ...state };
    this.instances.push(instance);
    const carried = instance.resumes === undefined ? new Map() : carriedFrom(instance.resumes);
    const resolve = (node: Node, so_far: SoFar): Resolution => {
      const resolution = carried.get(node.node_id) ?? this.#resolve(node, instance, so_far);
      if (resolution.outcome === 'success' && resolution.outputs !== undefined)
        scope.nodes.set(node.node_id, resolution.outputs);
      return resolution;
    };
    for (const [id, resolution] of fire(graph, resolve, this.#pick)) instance.resolved.set(id, resolution);
    end(instance);
    return instance;
  }

  #resolve(node: Node, instance: TreeInstance, so_far: SoFar): Resolution {
    const { graph } = instance;
    const scope = { ...instance.scope, ...errorAt(node, graph, so_far) };
    switch (node.type) {
      case 'action':
        return this.#execute(node, node, instance, scope);
      case 'skill':
        return drained(this.#skill(node, instance, scope, undefined), node, graph);
      case 'condition':
        return resolveCondition(node, graph, scope);
      case 'terminal':
        return { outcome: node.status, attempts: 0 };
      default:
        return drained(this.#handle(node, instance, scope, so_far), node, graph);
    }
  }

  #handle(node: ErrorNode, instance: TreeInstance, scope: Scope, so_far: SoFar): Resolution {
    const reached_by = failureIn(scope);
    if (node.handling === 'fail') return failed(reached_by, 0);
    if (node.handling === 'retry') return this.#retry(node, instance, so_far, reached_by);
    if (node.handling === 'compensate' && node.compensate_ref !== undefined)
      return this.#execute(asActionNode(node), node, instance, scope);
    const first = this.commits.undoInstance(instance, commit => {
      countOf(commit.instance, commit.node_id).undos += 1;
    });
    return first === undefined ? { outcome: 'success', attempts: 0, outputs: {} } : failed(first, 0);
  }

  #retry(node: ErrorNode, instance: TreeInstance, so_far: SoFar, reached_by: ErrorClass): Resolution {
    const target = subjectOf(node, instance.graph);
    if (target === undefined) return failed(reached_by, 0);
    const { attempts: before } = countOf(instance, target.node_id);
    const last = Math.min(before + (node.max_attempts ?? 1), 1 + boundOf(target, instance.program));
    if (before >= last) return failed(reached_by, 0);
    // The failed node is executed with what it saw itself.
    const scope = { ...instance.scope, ...errorAt(target, instance.graph, so_far) };
    // Its own output mapping sees the failure that it takes up itself.
    const mapped =
      node.output_mapping === undefined ? scope : { ...instance.scope, ...errorAt(node, instance.graph, so_far) };
    if (target.type === 'action' || target.type === 'error')
      return this.#execute(retriedBy(asActionNode(target), node), node, instance, scope, { last, mapped });
    if (target.type !== 'skill') return failed(reached_by, 0);
    const skill = retriedBy(target, node);
    let latest = failed(reached_by, 0);
    for (let made = 1; before + made <= last; made += 1) {
      const child = instance.children.get(target.node_id)?.at(-1);
      if (child !== undefined && !mayResume(child, this.commits)) return latest;
      const resolution = this.#skill(skill, instance, scope, child, mapped);
      if (resolution.attempts === 0) return { ...latest, error_class: resolution.error_class ?? 'E4' };
      latest = { ...resolution, attempts: made };
      if (latest.outcome !== 'failure') return latest;
    }
    return latest;
  }

  /** Executes the action of `subject`, with the attempts that the node which executes it is allowed. */
  #execute(
    subject: ActionNode,
    node: Node,
    instance: TreeInstance,
    scope: Scope,
    retry: Partial<Pick<Course, 'last' | 'mapped'>> = {},
  ): Resolution {
    const { program, graph } = instance;
    const count = countOf(instance, subject.node_id);
    const scripted = this.#used.get(subject.node_id) ?? 0;
    const course: Course = { before: count.attempts, scripted, effect: count.effect, ...retry };
    const handled = handlesFailure(graph, subject.node_id);
    const resolution = runActionNode(subject, program, scope, this.fold, handled, course);
    const { run } = resolution;
    for (let made = 1; made <= (run?.invocations ?? 0); made += 1) {
      const inputs = run?.inputs ?? {};
      const attempt = course.before + made;
      this.calls.push({ instance, node_id: subject.node_id, attempt, inputs, undos: count.undos });
    }
    count.attempts += run?.invocations ?? 0;
    count.effect = run?.effect === true;
    this.#used.set(subject.node_id, scripted + (run?.invocations ?? 0));
    if (run?.committed === true) this.commits.add(instance, subject, run);
    if (run?.undo?.done === true) {
      applyChanges(this.fold, run.undo.changes, `undo of ${subject.node_id}`);
      count.undos += 1;
      count.effect = false;
      this.commits.taint(instance);
    }
    return drained(resolution, node, graph);
  }

  /** Runs a child instance: a new one, or one that resumes another. */
  #skill(
    node: SkillNode,
    instance: TreeInstance,
    scope: Scope,
    resumed: TreeInstance | undefined,
    outer = scope,
  ): Resolution {
    const workflow = resolveWorkflow(node.workflow_ref, instance.program);
    const mapped = evaluateObjectMapping(node.input_mapping ?? {}, scope);
    if (workflow === undefined || 'error' in mapped) return failed('E4', 0);
    const program: Program = { ...within(instance.program, workflow), inputs: mapped.value };
    if (!fitsInputs(workflow, mapped.value)) return failed('E4', 0);
    const resumes = resumed ?? resumable(node, instance, program, this.commits);
    const place = { parent: instance, ...(resumes === undefined ? {} : { resumes }) };
    const child = this.instance(program, place);
    const children = instance.children.get(node.node_id);
    if (children === undefined) instance.children.set(node.node_id, [child]);
    else children.push(child);
    countOf(instance, node.node_id).attempts += 1;
    if (child.status === 'in_doubt' || child.status === 'running') return { outcome: child.status, attempts: 1 };
    if (child.status !== 'completed') return failed(child.error?.error_class ?? 'E4', 1);
    const result = child.outputs ?? {};
    const outputs =
      node.output_mapping === undefined
        ? { value: result }
        : evaluateObjectMapping(node.output_mapping, { ...outer, result });
    return 'error' in outputs ? failed('E4', 1) : { outcome: 'success', attempts: 1, outputs: outputs.value };
  }
}

function failed(error_class: ErrorClass, attempts: number): Resolution {
  return failure(error_class, true, attempts);
}

/** Whether a failure drains depends on the node that ends with it, whoever executed what. */
function drained(resolution: Resolution, node: Node, graph: Graph): Resolution {
  if (resolution.outcome !== 'failure') return resolution;
  return { ...resolution, drains: drainsInstance(graph, node, resolution.error_class ?? 'E4') };
}

function countOf(instance: TreeInstance, node_id: string): { attempts: number; undos: number; effect: boolean } {
  const known = instance.counts.get(node_id);
  if (known !== undefined) return known;
  const fresh = { attempts: 0, undos: 0, effect: false };
  instance.counts.set(node_id, fresh);
  return fresh;
}

/** What `error` names at a node: the failure that the error node over it was reached by, of several the smallest node's. */
function errorAt(node: Node, graph: Graph, so_far: ReadonlyMap<string, Resolution>): Pick<Scope, 'error'> {
  const over = errorNodesOver(graph).get(node.node_id);
  if (over === undefined) return {};
  const sources = (graph.ins.get(over) ?? []).filter(edge => {
    const source = so_far.get(edge.from_node);
    return source !== undefined && takes(source, edge);
  });
  const [node_id] = sources.map(({ from_node }) => from_node).sort();
  if (node_id === undefined) return {};
  const error_class = so_far.get(node_id)?.error_class ?? 'E4';
  return { error: { error_class, error_detail: 'scripted', node_id } };
}

function failureIn({ error }: Scope): ErrorClass {
  return (error?.error_class as ErrorClass | undefined) ?? 'E4';
}

function fitsInputs(workflow: Workflow, given: JsonObject): boolean {
  const declared = workflow.inputs ?? {};
  if (Object.keys(given).some(name => !Object.hasOwn(declared, name))) return false;
  return Object.entries(declared).every(([name, { schema, required, ...rest }]) => {
    if (Object.hasOwn(given, name)) return fitsSchema(schema as object | undefined, own(given, name));
    return required === false || Object.hasOwn(rest, 'default');
  });
}

function end(instance: TreeInstance): void {
  const { graph, resolved, workflow, scope } = instance;
  instance.status = finalStatus(graph, resolved);
  if (instance.status === 'completed') {
    const mapped = evaluateObjectMapping(workflow.outputs ?? {}, scope);
    if ('value' in mapped) instance.outputs = mapped.value;
    else {
      instance.status = 'failed';
      instance.error = { error_class: 'E4' };
    }
  } else if (instance.status === 'failed') {
    const error = failureOf(graph, resolved);
    if (error !== undefined) instance.error = error;
  }
}

/** Whether an ended instance can be resumed (Ch7): it did not complete, and nothing in it was undone. */
function mayResume(child: TreeInstance, commits: Commits): boolean {
  return child.status !== 'completed' && child.status !== 'in_doubt' && !commits.isTainted(child);
}

/** How nodes of an ended instance resolve in the one that resumes it: what executed something with success, and what that took up. */
export function carriedFrom(ended: Pick<TreeInstance, 'graph' | 'resolved'>): ReadonlyMap<string, Resolution> {
  const { graph, resolved } = ended;
  const carried = new Map<string, Resolution>();
  for (const [id, resolution] of resolved) {
    const node = graph.nodes.get(id);
    if (node === undefined || resolution.outcome !== 'success' || subjectOf(node, graph) === undefined) continue;
    carried.set(id, asCarried(resolution));
    for (let at = failedBefore(node, graph); at !== undefined; at = failedBefore(at, graph)) {
      const before = resolved.get(at.node_id);
      if (before !== undefined) carried.set(at.node_id, asCarried(before));
    }
  }
  return carried;
}

function failedBefore(node: Node, graph: Graph): Node | undefined {
  return node.type === 'error' && node.handling === 'retry' ? sourceOf(node, graph) : undefined;
}

function asCarried({ run: _, ...resolution }: Resolution): Resolution {
  return { ...resolution, attempts: 0 };
}

/** The child of the instance that this one resumes, where a new child has to resume that in turn. */
function resumable(
  { node_id }: SkillNode,
  { resumes }: TreeInstance,
  program: Program,
  commits: Commits,
): TreeInstance | undefined {
  const child = resumes?.children.get(node_id)?.at(-1);
  if (child === undefined || !mayResume(child, commits)) return undefined;
  const same = JSON.stringify(instanceInputs(program)) === JSON.stringify(child.scope.inputs);
  return same ? child : undefined;
}
