import type { Action, Edge, Node, SafetyLevel, Workflow } from '../../schemas/types.js';
import { compareVersionTexts, satisfiesRange } from './range.js';

/** A workflow and everything that it can refer to. */
export interface Known {
  readonly workflow: Workflow;
  readonly actions: readonly Action[];
  readonly workflows: readonly Workflow[];
}

/** An action, and the workflow in which its references mean something. */
interface Use {
  readonly action: Action;
  readonly user: Workflow;
}

/** What a node can come to execute, and the references of that which lead to nothing. */
interface Reach {
  /** What it executes itself, or a skill of it does. */
  readonly executed: readonly Use[];
  readonly closure: readonly Use[];
  readonly missing: readonly string[];
}

/** Sources of risk of Ch8 that are known of a node, and its level by them. */
export interface NodeRisk {
  readonly level: SafetyLevel | 'UNKNOWN';
  readonly at_least: SafetyLevel;
  /** The requirement that gives an action of the closure the level; SC1 where it is SAFE. */
  readonly requirements: readonly string[];
}

const LEVELS: readonly SafetyLevel[] = ['SAFE', 'CONDITIONALLY_SAFE', 'RISKY', 'IRREVERSIBLE'];

/** Gives the level of a node by everything in its closure (Ch8, Safety). */
export function riskOfNode(node: Node, known: Known): NodeRisk {
  const { closure, missing } = reachOf(node, known);
  const sources = closure.flatMap(use => sourcesOf(use, known));
  const rank = Math.max(0, ...sources.map(([, level]) => LEVELS.indexOf(level)));
  const at_least = LEVELS[rank] as SafetyLevel;
  const requirements = [...new Set(sources.filter(([, level]) => level === at_least).map(([id]) => id))].sort();
  const isOpen = missing.length > 0 && at_least !== 'IRREVERSIBLE';
  return { level: isOpen ? 'UNKNOWN' : at_least, at_least, requirements: rank === 0 ? ['SC1'] : requirements };
}

/** An effect that can stay, and why. */
export interface Effect {
  /** The action that has it, as id@version. */
  readonly action: string;
  readonly reason: 'irreversible' | 'no_undo' | 'not_undone';
}

/** Gives the effects of a node, of several of one kind the first by name: lasting ones, and those that can be undone. */
export function effectsOf(node: Node, known: Known): { readonly lasting?: Effect; readonly undoable?: Effect } {
  const effects = reachOf(node, known)
    .executed.filter(({ action }) => (action.side_effects ?? []).length > 0)
    .map(use => ({ action: `${use.action.action_id}@${use.action.version}`, reason: reasonOf(use, known) }))
    .sort((a, b) => (a.action < b.action ? -1 : 1));
  const lasting = effects.find(({ reason }) => reason !== 'not_undone');
  const undoable = effects.find(({ reason }) => reason === 'not_undone');
  return { ...(lasting && { lasting }), ...(undoable && { undoable }) };
}

/** Gives the node whose action or skill a node executes: itself, or the one that failed where it retries. */
export function executedBy(node: Node, { workflow }: Known): Node | undefined {
  let at: Node | undefined = node;
  while (at?.type === 'error' && at.handling === 'retry') {
    const retrying: Node = at;
    const edge: Edge | undefined = workflow.edges.find(({ to_node }) => to_node === retrying.node_id);
    at = workflow.nodes.find(({ node_id }) => node_id === edge?.from_node);
  }
  return at;
}

function reachOf(node: Node, known: Known): Reach {
  const executed: Use[] = [];
  const missing: string[] = [];
  const start = executedBy(node, known);
  if (start !== undefined) execute(start, known.workflow, known, executed, missing, new Set());
  const closure: Use[] = [];
  for (const use of executed) {
    for (let next: Use | undefined = use; next !== undefined && !has(closure, next); ) {
      closure.push(next);
      const reference: string | undefined = undoReference(next.action);
      const undo: Action | undefined = reference === undefined ? undefined : find(reference, next.user, known);
      if (reference !== undefined && undo === undefined) missing.push(reference);
      next = undo === undefined ? undefined : { action: undo, user: next.user };
    }
  }
  return { executed, closure, missing };
}

function execute(
  node: Node,
  user: Workflow,
  known: Known,
  executed: Use[],
  missing: string[],
  entered: Set<Workflow>,
): void {
  if (node.type === 'skill') {
    const skill = known.workflows
      .filter(({ workflow }) => fits(node.workflow_ref, workflow.name, workflow.version))
      .sort((a, b) => compareVersionTexts(b.workflow.version, a.workflow.version))[0];
    if (skill === undefined) missing.push(node.workflow_ref);
    else if (!entered.has(skill)) {
      entered.add(skill);
      for (const inner of skill.nodes) execute(inner, skill, known, executed, missing, entered);
    }
    return;
  }
  const reference = node.type === 'action' ? node.action_def : node.type === 'error' ? node.compensate_ref : undefined;
  if (reference === undefined) return;
  const action = find(reference, user, known);
  if (action === undefined) missing.push(reference);
  else if (!has(executed, { action, user })) executed.push({ action, user });
}

function sourcesOf(use: Use, known: Known): [requirement: string, level: SafetyLevel][] {
  const { action } = use;
  const effects = action.side_effects ?? [];
  const sources: [string, SafetyLevel][] = [];
  if (action.determinism === 'non_deterministic') sources.push(['RS1', 'CONDITIONALLY_SAFE']);
  if (effects.includes('remote_server')) sources.push(['RS2', 'CONDITIONALLY_SAFE']);
  if (effects.includes('external_service')) sources.push(['RS3', 'RISKY']);
  if (hasGap(use, known)) sources.push(['RS4', 'RISKY']);
  if (action.rollback === 'irreversible') sources.push(['RS5', 'IRREVERSIBLE']);
  return sources;
}

function hasGap({ action, user }: Use, known: Known): boolean {
  if (action.rollback !== 'compensatable') return false;
  const undo = action.compensation === undefined ? undefined : find(action.compensation, user, known);
  return undo === undefined || undo.rollback === 'irreversible';
}

function reasonOf(use: Use, known: Known): Effect['reason'] {
  const { action, user } = use;
  if (action.rollback === 'irreversible') return 'irreversible';
  const undoable =
    action.rollback === 'compensatable'
      ? !hasGap(use, known)
      : action.revert !== undefined && find(action.revert, user, known) !== undefined;
  return undoable ? 'not_undone' : 'no_undo';
}

function undoReference({ rollback, revert, compensation }: Action): string | undefined {
  if (rollback === 'irreversible') return undefined;
  return rollback === 'rollbackable' ? revert : compensation;
}

function find(reference: string, user: Workflow, known: Known): Action | undefined {
  for (const actions of [user.actions ?? [], known.actions]) {
    const fitting = actions.filter(({ action_id, version }) => fits(reference, action_id, version));
    const [highest] = fitting.sort((a, b) => compareVersionTexts(b.version, a.version));
    if (highest !== undefined) return highest;
  }
  return undefined;
}

function fits(reference: string, name: string, version: string): boolean {
  const at = reference.indexOf('@');
  return reference.slice(0, at) === name && satisfiesRange(version, reference.slice(at + 1));
}

function has(uses: readonly Use[], { action, user }: Use): boolean {
  return uses.some(use => use.action === action && use.user === user);
}
