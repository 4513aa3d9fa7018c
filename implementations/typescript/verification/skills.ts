import type { Action, Registry, Workflow } from '../../../schemas/types.js';
import { highestMatch, parseReference, sourceOf, workflowKey } from '../workflow/resolve.js';
import { compareNames } from './rule.js';

/** An action that a skill executes, itself or through skills of its own. */
export interface SkillAction {
  readonly action: Action;
  /** The workflow that refers to it. */
  readonly workflow: Workflow;
}

/** What a skill executes. */
export interface SkillContent {
  readonly actions: readonly SkillAction[];
  /** Whether something in it could not be found, so that there may be more. */
  readonly incomplete: boolean;
}

/** The workflows that a document can use as skills. */
export interface Skills {
  /** Whether every workflow that there is is known. */
  readonly complete: boolean;
  /** The names of all workflows that there are. */
  names(): readonly string[];
  /** The workflows of a name, of any version. */
  named(name: string): readonly Workflow[];
  resolve(reference: string): Workflow | undefined;
  /** What a workflow executes, found once for each. */
  contentOf(workflow: Workflow): SkillContent;
  /** What an action's reference in a workflow of the registry leads to. */
  actionIn(workflow: Workflow, reference: string): Action | undefined;
}

/** Returns what can be used as skills: the workflows of the registry, those verified together, and the document itself. */
export function findSkills(
  self: Workflow | undefined,
  registry: Registry | undefined,
  companions: readonly Workflow[],
): Skills {
  const byName = new Map<string, Map<string, Workflow>>();
  for (const workflow of [...(self === undefined ? [] : [self]), ...companions, ...(registry?.workflows ?? [])]) {
    const { name } = workflow.workflow;
    const versions = byName.get(name) ?? new Map<string, Workflow>();
    if (!versions.has(workflow.workflow.version)) versions.set(workflow.workflow.version, workflow);
    byName.set(name, versions);
  }
  const shared = sourceOf(registry?.actions ?? []);
  const sources = new Map<Workflow, ReturnType<typeof sourceOf>>();
  const contents = new Map<Workflow, SkillContent>();
  const named = (name: string): readonly Workflow[] => [...(byName.get(name)?.values() ?? [])];
  const resolve = (reference: string): Workflow | undefined => {
    const { name, range } = parseReference(reference);
    const found = highestMatch(
      named(name).map(({ workflow }) => workflow),
      range,
    );
    return found === undefined ? undefined : byName.get(name)?.get(found.version);
  };
  const actionIn = (workflow: Workflow, reference: string): Action | undefined => {
    let own = sources.get(workflow);
    if (own === undefined) {
      own = sourceOf(workflow.actions ?? []);
      sources.set(workflow, own);
    }
    const { name, range } = parseReference(reference);
    return highestMatch(own(name), range) ?? highestMatch(shared(name), range);
  };
  const contentOf = (workflow: Workflow): SkillContent => {
    const known = contents.get(workflow);
    if (known !== undefined) return known;
    const content = collect(workflow, resolve, actionIn);
    contents.set(workflow, content);
    return content;
  };
  return {
    complete: registry?.workflows !== undefined,
    names: () => [...byName.keys()].filter(name => name !== self?.workflow.name),
    named,
    resolve,
    contentOf,
    actionIn,
  };
}

function collect(workflow: Workflow, resolve: Skills['resolve'], actionIn: Skills['actionIn']): SkillContent {
  const actions = new Map<Action, SkillAction>();
  const open = [workflow];
  const seen = new Set(open);
  let incomplete = false;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const node of at.nodes) {
      if (node.type === 'skill') {
        const skill = resolve(node.workflow_ref);
        if (skill === undefined) incomplete = true;
        else if (!seen.has(skill)) {
          seen.add(skill);
          open.push(skill);
        }
        continue;
      }
      const reference =
        node.type === 'action' ? node.action_def : node.type === 'error' ? node.compensate_ref : undefined;
      if (reference === undefined) continue;
      const action = actionIn(at, reference);
      if (action === undefined) incomplete = true;
      else if (!actions.has(action)) actions.set(action, { action, workflow: at });
    }
  }
  const key = ({ action, workflow: user }: SkillAction): string =>
    `${action.action_id}@${action.version} ${workflowKey(user)}`;
  return { actions: [...actions.values()].sort((a, b) => compareNames(key(a), key(b))), incomplete };
}
