import type { Action, Node, SafetyLevel, Workflow } from '../../../schemas/types.js';
import { undoReference } from '../execution/action-table.js';
import { actionKey } from '../execution/contract.js';
import { int32s } from '../workflow/number-arrays.js';
import { workflowKey } from '../workflow/resolve.js';
import { canUndo, LEVELS, type Risk, risksOf, type Undo } from './risk.js';
import { compareNames } from './rule.js';

/** Where definitions are found. */
export interface Definitions {
  /** What a reference to an action means in a skill, or in the workflow itself where no skill is named. */
  action(skill: Workflow | undefined, reference: string): Action | undefined;
  skill(reference: string): Workflow | undefined;
  /** Whether an action that is not found is not there, rather than not known. */
  readonly complete: boolean;
}

/** What a node executes. */
export interface Target {
  readonly kind: 'action' | 'skill';
  readonly reference: string;
}

/** How risky something is, by everything that it can come to execute. */
export interface ClosureRisk {
  readonly at_least: SafetyLevel;
  /** The action that gives the level, the node's own before others, of these the first by name; absent where that is SAFE. */
  readonly source?: { readonly action: Action; readonly risks: readonly Risk[]; readonly direct: boolean };
  /** The first reference, by its text, that leads to nothing known. */
  readonly unknown?: string;
}

/** The effects that something leaves when it has committed; each the first action by name. */
export interface Effects {
  /** One that nothing can undo, and why. */
  readonly lasting?: { readonly action: Action; readonly reason: 'irreversible' | 'no_undo' };
  /** One that can be undone. */
  readonly undoable?: Action;
}

/** What the nodes of a workflow can come to execute: actions, their reverts and compensations, and what skills hold. */
export interface Closure {
  /** By the place of a target in the list. */
  riskOf(target: number): ClosureRisk;
  effectsOf(target: number): Effects;
}

/** Which nodes execute what. */
export interface Executions {
  /** Every target once. */
  readonly targets: readonly Target[];
  /** For each node its target by place in the list, -1 where it executes nothing. */
  readonly of: Int32Array;
}

interface Vertex {
  /** The skill that it belongs to; absent: the workflow itself. */
  readonly scope: Workflow | undefined;
  readonly action?: Action;
  undo: Undo;
  /** Its name, and where that is ambiguous the skill's. */
  readonly name: string;
  /** Skills that execute it. */
  readonly executors: number[];
  /** Actions that it undoes. */
  readonly undone: number[];
  missing?: string;
}

/** Returns what nodes execute by references of their own; those that are not wanted, and nodes that retry, execute nothing here. */
export function findExecutions(nodes: readonly Node[], isWanted: (node: number) => boolean = () => true): Executions {
  const of = int32s(nodes.length).fill(-1);
  const targets: Target[] = [];
  const known = { action: new Map<string, number>(), skill: new Map<string, number>() };
  for (let node = 0; node < nodes.length; node++) {
    const subject = nodes[node] as Node;
    const reference = referenceOf(subject);
    if (reference === undefined || !isWanted(node)) continue;
    const kind = subject.type === 'skill' ? 'skill' : 'action';
    let at = known[kind].get(reference);
    if (at === undefined) {
      at = targets.push({ kind, reference }) - 1;
      known[kind].set(reference, at);
    }
    of[node] = at;
  }
  return { targets, of };
}

function referenceOf(node: Node): string | undefined {
  if (node.type === 'action') return node.action_def;
  if (node.type === 'skill') return node.workflow_ref;
  return node.type === 'error' && node.handling === 'compensate' ? node.compensate_ref : undefined;
}

/** Returns the closure of what some nodes execute; in time linear in the definitions, whatever refers to whatever. */
export function findClosure(targets: readonly Target[], definitions: Definitions): Closure {
  const { vertices, roots } = collect(targets, definitions);
  const levels = new Map(vertices.map((vertex, at) => [at, levelOf(vertex)]));
  const everyUser = ({ executors, undone }: Vertex): number[][] => [executors, undone];
  const risky = spread(
    vertices,
    sorted(
      vertices,
      at => levels.get(at) !== 0,
      (a, b) => (levels.get(b) ?? 0) - (levels.get(a) ?? 0),
    ),
    everyUser,
  );
  const unknown = spread(
    vertices,
    sorted(
      vertices,
      (_, { missing }) => missing !== undefined,
      (a, b) => compareNames(vertices[a]?.missing ?? '', vertices[b]?.missing ?? ''),
    ),
    everyUser,
  );
  const executors = (vertex: Vertex): number[][] => [vertex.executors];
  const lasting = spread(
    vertices,
    sorted(vertices, (_, vertex) => lastingReason(vertex) !== undefined),
    executors,
  );
  const undoable = spread(
    vertices,
    sorted(vertices, (_, vertex) => isUndoable(vertex)),
    executors,
  );
  return {
    riskOf(target) {
      const at = roots[target] as number;
      if (at < 0) return { at_least: 'SAFE', unknown: targets[target]?.reference ?? '' };
      const level = levels.get(risky[at] as number) ?? 0;
      const direct = level === levels.get(at);
      const source = vertices[direct ? at : (risky[at] as number)];
      const missing = vertices[unknown[at] as number]?.missing;
      return {
        at_least: LEVELS[level] as SafetyLevel,
        ...(level === 0 || source?.action === undefined ? {} : { source: explain(source, source.action, direct) }),
        ...(missing === undefined ? {} : { unknown: missing }),
      };
    },
    effectsOf(target) {
      const at = roots[target] as number;
      const last = vertices[lasting[at] as number];
      const reason = last === undefined ? undefined : lastingReason(last);
      const undo = vertices[undoable[at] as number]?.action;
      return {
        ...(last?.action === undefined || reason === undefined ? {} : { lasting: { action: last.action, reason } }),
        ...(undo === undefined ? {} : { undoable: undo }),
      };
    },
  };
}

function explain(vertex: Vertex, action: Action, direct: boolean): NonNullable<ClosureRisk['source']> {
  const risks = risksOf(action, vertex.undo);
  const highest = Math.max(...risks.map(({ level }) => LEVELS.indexOf(level)));
  return { action, direct, risks: risks.filter(({ level }) => LEVELS.indexOf(level) === highest) };
}

function levelOf({ action, undo }: Vertex): number {
  if (action === undefined) return 0;
  return Math.max(0, ...risksOf(action, undo).map(({ level }) => LEVELS.indexOf(level)));
}

function hasEffect({ action }: Vertex): boolean {
  return action?.side_effects !== undefined && action.side_effects.length > 0;
}

function lastingReason(vertex: Vertex): 'irreversible' | 'no_undo' | undefined {
  if (!hasEffect(vertex)) return undefined;
  if (vertex.action?.rollback === 'irreversible') return 'irreversible';
  const { action, undo } = vertex;
  const lacks = action?.rollback === 'compensatable' ? !canUndo(undo) : undo === undefined;
  return lacks ? 'no_undo' : undefined;
}

function isUndoable(vertex: Vertex): boolean {
  return hasEffect(vertex) && lastingReason(vertex) === undefined;
}

/** The vertices that are wanted, by name where the order given leaves them equal. */
function sorted(
  vertices: readonly Vertex[],
  wanted: (at: number, vertex: Vertex) => boolean,
  compare: (a: number, b: number) => number = () => 0,
): number[] {
  const found: number[] = [];
  for (const [at, vertex] of vertices.entries()) if (wanted(at, vertex)) found.push(at);
  return found.sort(
    (a, b) => compare(a, b) || compareNames((vertices[a] as Vertex).name, (vertices[b] as Vertex).name),
  );
}

/** For each vertex the first of the sources that it leads to, itself included; -1 where it leads to none. */
function spread(
  vertices: readonly Vertex[],
  sources: readonly number[],
  usersOf: (vertex: Vertex) => readonly (readonly number[])[],
): Int32Array {
  const first = int32s(vertices.length).fill(-1);
  for (const source of sources) {
    if (first[source] !== -1) continue;
    first[source] = source;
    const open = [source];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const users of usersOf(vertices[at] as Vertex))
        for (const user of users) {
          if (first[user] !== -1) continue;
          first[user] = source;
          open.push(user);
        }
    }
  }
  return first;
}

function collect(
  targets: readonly Target[],
  definitions: Definitions,
): { vertices: readonly Vertex[]; roots: readonly number[] } {
  const vertices: Vertex[] = [];
  const actions = new Map<Workflow | undefined, Map<Action, number>>();
  const skills = new Map<Workflow, number>();
  const add = (vertex: Omit<Vertex, 'executors' | 'undone' | 'undo'>): number =>
    vertices.push({ ...vertex, undo: undefined, executors: [], undone: [] }) - 1;
  const actionAt = (scope: Workflow | undefined, reference: string): number | undefined => {
    const action = definitions.action(scope, reference);
    if (action === undefined) return undefined;
    const known = actions.get(scope) ?? new Map<Action, number>();
    actions.set(scope, known);
    const name = `${actionKey(action)} ${scope === undefined ? '' : workflowKey(scope)}`;
    const at = known.get(action) ?? add({ scope, action, name });
    known.set(action, at);
    return at;
  };
  const skillAt = (reference: string): number | undefined => {
    const skill = definitions.skill(reference);
    if (skill === undefined) return undefined;
    const at = skills.get(skill) ?? add({ scope: skill, name: workflowKey(skill) });
    skills.set(skill, at);
    return at;
  };
  const find = ({ kind, reference }: Target, scope: Workflow | undefined): number | undefined =>
    kind === 'skill' ? skillAt(reference) : actionAt(scope, reference);
  const roots = targets.map(target => find(target, undefined) ?? -1);
  for (let at = 0; at < vertices.length; at++) {
    const vertex = vertices[at] as Vertex;
    const { action, scope } = vertex;
    if (action !== undefined) followUndo(vertex, action, at);
    else if (scope !== undefined) followNodes(vertex, scope, at);
  }
  return { vertices, roots };

  function followUndo(vertex: Vertex, action: Action, at: number): void {
    const reference = undoReference(action);
    if (reference === undefined) return;
    const undo = actionAt(vertex.scope, reference);
    if (undo === undefined) {
      vertex.missing = reference;
      vertex.undo = definitions.complete ? undefined : 'unknown';
      return;
    }
    vertex.undo = vertices[undo]?.action;
    vertices[undo]?.undone.push(at);
  }

  function followNodes(vertex: Vertex, skill: Workflow, at: number): void {
    for (const target of findExecutions(skill.nodes).targets) {
      const found = find(target, skill);
      if (found !== undefined) vertices[found]?.executors.push(at);
      else if (vertex.missing === undefined || compareNames(target.reference, vertex.missing) < 0)
        vertex.missing = target.reference;
    }
  }
}
