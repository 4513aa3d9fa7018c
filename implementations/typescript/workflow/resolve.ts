import compare from 'semver/functions/compare.js';
import satisfies from 'semver/functions/satisfies.js';
import type { Action, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { undoReference } from '../execution/action-table.js';
import { actionKey } from '../execution/contract.js';

/** The definitions of an action by its id, of any version. */
export type ActionSource = (action_id: string) => readonly Action[];

/** The workflows of a name, of any version. */
export type WorkflowSource = (name: string) => readonly Workflow[];

/** A workflow with every action that it can come to execute; what resolved_digest covers. */
export interface ResolvedDocuments {
  readonly workflow: Workflow;
  /** The actions that the workflow does not bring along itself, ordered by id and version. */
  readonly actions: readonly Action[];
  /** The workflows that are used as skills. */
  readonly workflows: readonly Workflow[];
}

/** What a reference of the workflow means. */
export type Resolution = ReadonlyMap<string, Action>;

/** Splits name@range. */
export function parseReference(reference: string): { name: string; range: string } {
  const at = reference.indexOf('@');
  return { name: reference.slice(0, at), range: reference.slice(at + 1) };
}

const N = '(?:0|[1-9]\\d*)';
const X = '[xX*]';
const PRE = `(?:${N}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const BUILD = '(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?';
const THIRD = `(?:${X}|${N}(?:-${PRE}(?:\\.${PRE})*)?)${BUILD}`;
const OPEN = `${X}(?:\\.${X}${BUILD})?`;
const PARTIAL = `v?(?:${X}(?:\\.${OPEN})?|${N}(?:\\.(?:${OPEN}|${N}(?:\\.${THIRD})?))?)`;
const SET = new RegExp(`^(?:${PARTIAL} +- +${PARTIAL}|(?:(?:[<>]=?|[=~^])? *${PARTIAL}(?: +(?=.)|$))*)$`);

/**
 * Whether a text is a range of versions in the grammar of chapter 5. The library reads more than that, such as `~>1.2`,
 * which other implementations need not.
 */
export function isRange(range: string): boolean {
  return range.split('||').every(set => SET.test(set.replace(/^ +| +$/g, '')));
}

/**
 * How many answers about versions and ranges are remembered, and of texts of which length together: documents ask the same
 * ones again and again.
 */
const MOST_ANSWERS = 1000;
const MOST_TEXT = 300;
const answers = new Map<string, Map<string, boolean>>();
let answered = 0;

/** Whether a version is in a range; none is in a text that is no range. */
export function isInRange(version: string, range: string): boolean {
  const known = answers.get(range)?.get(version);
  return known ?? remember(version, range, isRange(range) && satisfies(version, range));
}

/** Remembers copies of the texts, which may be pieces of a large document that would be kept with them. */
function remember(version: string, range: string, answer: boolean): boolean {
  if (typeof version !== 'string' || version.length + range.length > MOST_TEXT) return answer;
  if (answered === MOST_ANSWERS) {
    answers.clear();
    answered = 0;
  }
  const ofRange = answers.get(range) ?? new Map<string, boolean>();
  if (ofRange.size === 0) answers.set(copyOf(range), ofRange);
  ofRange.set(copyOf(version), answer);
  answered++;
  return answer;
}

/** A text of its own: what is cut out of a text refers to the whole. */
function copyOf(text: string): string {
  return structuredClone(text);
}

/** The definition with the highest version that is in the range, of equal ones that with the greater text. */
export function highestMatch<T extends { readonly version: string }>(all: readonly T[], range: string): T | undefined {
  let best: T | undefined;
  for (const one of all)
    if (isInRange(one.version, range) && (best === undefined || compareVersions(one.version, best.version) > 0))
      best = one;
  return best;
}

/** The order of precedence of versions; build metadata decides by its text. */
export function compareVersions(a: string, b: string): number {
  return compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Gives what every reference means, transitively through reverts and compensations: actions of the workflow come before
 * those of the registry.
 *
 * Throws `not_found` (details {reference, from}) for a reference that nothing satisfies.
 *
 * @requirement S7
 */
export function resolveReferences(workflow: Workflow, registry: ActionSource): Resolution {
  const own = sourceOf(workflow.actions ?? []);
  const resolution = new Map<string, Action>();
  const open: { reference: string; from: string }[] = [];
  for (const node of workflow.nodes) {
    const reference =
      node.type === 'action' ? node.action_def : node.type === 'error' ? node.compensate_ref : undefined;
    if (reference !== undefined) open.push({ reference, from: node.node_id });
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { reference, from } = next;
    if (resolution.has(reference)) continue;
    const { name, range } = parseReference(reference);
    const found = highestMatch(own(name), range) ?? highestMatch(registry(name), range);
    if (found === undefined)
      throw new ArsError('not_found', `No action satisfies '${reference}', which '${from}' refers to; register one.`, {
        details: { reference, from },
      });
    resolution.set(reference, found);
    const undo = undoReference(found);
    if (undo !== undefined) open.push({ reference: undo, from: actionKey(found) });
  }
  return resolution;
}

/**
 * The documents that make the workflow mean the same for ever: itself, its skills, and the actions that none of them
 * brings along. `skills` are the resolved documents of those that it refers to.
 */
export function resolvedDocuments(
  workflow: Workflow,
  resolution: Resolution,
  skills: readonly ResolvedDocuments[] = [],
): ResolvedDocuments {
  const own = new Set<Action>(workflow.actions ?? []);
  const actions = new Map<string, Action>();
  const workflows = new Map<string, Workflow>();
  for (const action of resolution.values()) if (!own.has(action)) actions.set(actionKey(action), action);
  for (const skill of skills) {
    for (const action of skill.actions) actions.set(actionKey(action), action);
    for (const other of [skill.workflow, ...skill.workflows]) workflows.set(workflowKey(other), other);
  }
  return {
    workflow,
    actions: [...actions.values()].sort(
      (a, b) => compareText(a.action_id, b.action_id) || compareVersions(a.version, b.version),
    ),
    workflows: [...workflows.values()].sort(
      ({ workflow: a }, { workflow: b }) => compareText(a.name, b.name) || compareVersions(a.version, b.version),
    ),
  };
}

/** A workflow with what its own workflow_refs resolve to. */
interface SkillUser {
  readonly workflow: Workflow;
  readonly skills: ReadonlyMap<string, Workflow>;
}

/**
 * The workflow and every workflow that it runs as a skill, transitively, each once and after its own skills.
 *
 * Throws `not_found` (details {reference, from}) for a reference that nothing satisfies, and `invalid_document` where a
 * workflow comes to run itself.
 *
 * @requirement S12
 * @requirement S14
 */
export function skillsFirst(workflow: Workflow, workflows: WorkflowSource): readonly SkillUser[] {
  const users = new Map<Workflow, SkillUser>();
  const order: SkillUser[] = [];
  const done = new Set<Workflow>();
  const path = new Set<Workflow>();
  const stack = [workflow];
  while (stack.length > 0) {
    const next = stack.at(-1) as Workflow;
    const known = users.get(next);
    if (known !== undefined) {
      stack.pop();
      path.delete(next);
      if (!done.has(next)) order.push(known);
      done.add(next);
      continue;
    }
    const user = { workflow: next, skills: resolveSkills(next, workflows) };
    users.set(next, user);
    path.add(next);
    for (const skill of user.skills.values()) {
      if (path.has(skill))
        throw new ArsError('invalid_document', `The workflow '${workflowKey(skill)}' comes to run itself.`);
      if (!users.has(skill)) stack.push(skill);
    }
  }
  return order;
}

function resolveSkills(workflow: Workflow, workflows: WorkflowSource): ReadonlyMap<string, Workflow> {
  const skills = new Map<string, Workflow>();
  for (const node of workflow.nodes) {
    if (node.type !== 'skill' || skills.has(node.workflow_ref)) continue;
    const { name, range } = parseReference(node.workflow_ref);
    const named = workflows(name);
    const found = highestMatch(
      named.map(other => other.workflow),
      range,
    );
    const skill = named.find(other => other.workflow.version === found?.version);
    if (skill === undefined)
      throw new ArsError(
        'not_found',
        `No workflow satisfies '${node.workflow_ref}', which '${node.node_id}' refers to; register one.`,
        { details: { reference: node.workflow_ref, from: node.node_id } },
      );
    skills.set(node.workflow_ref, skill);
  }
  return skills;
}

/** The name under which a workflow is known: name@version. */
export function workflowKey({ workflow }: Workflow): string {
  return `${workflow.name}@${workflow.version}`;
}

/** The workflows as a source. */
export function workflowsOf(workflows: readonly Workflow[]): WorkflowSource {
  const byName = new Map<string, Workflow[]>();
  for (const workflow of workflows) {
    const { name } = workflow.workflow;
    const versions = byName.get(name);
    if (versions === undefined) byName.set(name, [workflow]);
    else versions.push(workflow);
  }
  return name => byName.get(name) ?? [];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The actions of resolved documents as a source. */
export function sourceOf(actions: readonly Action[]): ActionSource {
  const byId = new Map<string, Action[]>();
  for (const action of actions) {
    const versions = byId.get(action.action_id);
    if (versions === undefined) byId.set(action.action_id, [action]);
    else versions.push(action);
  }
  return action_id => byId.get(action_id) ?? [];
}
