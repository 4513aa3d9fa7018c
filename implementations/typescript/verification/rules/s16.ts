import type { Action, ErrorNode } from '../../../../schemas/types.js';
import { nonAncestors } from '../../workflow/ancestry.js';
import { ERROR, SUCCESS } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { findDemands } from '../demands.js';
import { findMeetings } from '../meetings.js';
import { atNode, compareNames, type FindingDraft, listNames, type Rule } from '../rule.js';
import { membersOf } from '../values/json-schema-shape.js';
import { actionOf, executedBy } from '../values/known-values.js';

/** What a compensation is given. */
const GIVEN = new Set(['execution_id', 'idempotency_key', 'inputs', 'outputs']);
/** How many pairs of an error node and a node before it are looked at. */
const MOST_PAIRS = 2_000_000;

/** S16: what is to be compensated can be. @requirement S16 */
export const s16: Rule = {
  id: 'S16',
  severity: 'blocking',
  requirement:
    'An error node that undoes has a compensation for every compensatable action that can have committed before it, here or in skills; a compensation takes its inputs from what exists then; neither it nor a compensate_ref is irreversible.',
  why: 'An error node that cannot undo what was done fails, and leaves half of it standing.',
  help: 'Name the action that makes good for it: compensation: name@^1, in the definition; or let the error node have handling: compensate and a compensate_ref.',
  kinds: [
    {
      id: 'no-compensation',
      summary: 'nothing to compensate with',
      message: /^".*" cannot undo ".*" of ".*", which has no compensation$/,
    },
    {
      id: 'irreversible-compensation',
      summary: 'a compensation that is irreversible',
      message: /^".*" cannot undo ".*" of ".*", which has a compensation that is irreversible, /,
    },
    {
      id: 'compensation-inputs',
      summary: 'a compensation that takes what is not there',
      message: /^".*" cannot undo ".*" of ".*", which has a compensation, ".*", that (requires|does not take) /,
    },
    {
      id: 'irreversible-reference',
      summary: 'a compensate_ref that is irreversible',
      message: /^The compensate_ref .*".*" is irreversible$/,
    },
  ],
  failing: `actions:
  - { action_id: book, version: 1.0.0, determinism: deterministic, rollback: compensatable, side_effects: [remote_server] }
  - { action_id: pay, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: book, type: action, action_def: book@^1 }
  - { node_id: pay, type: action, action_def: pay@^1 }
  - { node_id: undo, type: error, handling: compensate }
  - { node_id: paid, type: terminal, status: completed }
  - { node_id: undone, type: terminal, status: compensated }
edges:
  - { from_node: book, to_node: pay, label: success }
  - { from_node: pay, to_node: paid, label: success }
  - { from_node: pay, to_node: undo, label: failure }
  - { from_node: undo, to_node: undone, label: success }
`,
  passing: `actions:
  - { action_id: book, version: 1.0.0, determinism: deterministic, rollback: compensatable, side_effects: [remote_server], compensation: cancel@^1 }
  - { action_id: cancel, version: 1.0.0, determinism: deterministic, rollback: compensatable, side_effects: [remote_server] }
  - { action_id: pay, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: book, type: action, action_def: book@^1 }
  - { node_id: pay, type: action, action_def: pay@^1 }
  - { node_id: undo, type: error, handling: compensate }
  - { node_id: paid, type: terminal, status: completed }
  - { node_id: undone, type: terminal, status: compensated }
edges:
  - { from_node: book, to_node: pay, label: success }
  - { from_node: pay, to_node: paid, label: success }
  - { from_node: pay, to_node: undo, label: failure }
  - { from_node: undo, to_node: undone, label: success }
`,
  check(context) {
    const errorNodes: number[] = [];
    const findings: FindingDraft[] = [];
    for (let node = 0; node < context.graph.nodeCount; node++) {
      if (context.columns.type[node] !== ERROR || context.judged[node] === 0) continue;
      const subject = context.node(node) as ErrorNode;
      if (subject.handling === 'compensate' && subject.compensate_ref !== undefined) {
        if (actionOf(context, node)?.rollback === 'irreversible') findings.push(irreversibleReference(context, node));
      } else if (subject.handling === 'compensate' || subject.handling === 'rollback') errorNodes.push(node);
    }
    if (errorNodes.length === 0) return { findings };
    const { lacking, unknown } = lackingNodes(context);
    const reasons: string[] = [];
    if (unknown) reasons.push('what some nodes execute is not known (S7, S12)');
    if (lacking.size > 0) {
      if (context.orderDoubt !== undefined)
        reasons.push(`what can have committed is found once that is mended: ${context.orderDoubt}`);
      else if (lacking.size * errorNodes.length > MOST_PAIRS)
        reasons.push('there are too many nodes without a compensation to look at each with each error node');
      else {
        const judged = judge(context, errorNodes, lacking);
        for (const found of judged.findings) findings.push(found);
        if (judged.isOpen)
          reasons.push(
            'of some error nodes it could not be found out whether what they cannot undo can have committed',
          );
      }
    }
    return reasons.length === 0 ? { findings } : { findings, notEvaluated: reasons.join('; ') };
  },
};

/** An action that cannot be compensated, and why. */
interface Lack {
  readonly action: Action;
  readonly reason: string;
  readonly help: string;
}

/** The nodes that execute something that is compensatable and cannot be compensated. */
function lackingNodes(context: VerificationContext): { lacking: Map<number, readonly Lack[]>; unknown: boolean } {
  const lacking = new Map<number, readonly Lack[]>();
  let unknown = false;
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (!context.isJudged(node)) continue;
    const executed = executedBy(context, node);
    if (executed === undefined) continue;
    const lacks: Lack[] = [];
    for (const [action, compensation] of compensationsOf(context, executed)) {
      if (action === undefined || compensation === 'unknown') unknown = true;
      else {
        const lack = hasEffects(action) && action.rollback === 'compensatable' ? lackOf(compensation) : undefined;
        if (lack !== undefined) lacks.push({ action, ...lack });
      }
    }
    if (lacks.length > 0) lacking.set(node, lacks);
  }
  return { lacking, unknown };
}

/** Where there are no side effects, nothing is to be compensated; that it is compensatable is said by S10. */
function hasEffects({ side_effects }: Action): boolean {
  return side_effects === undefined || side_effects.length > 0;
}

type Compensated = [action: Action | undefined, compensation: Action | undefined | 'unknown'];

function* compensationsOf(context: VerificationContext, node: number): Generator<Compensated> {
  const subject = context.node(node);
  if (subject.type !== 'skill') {
    const action = actionOf(context, node);
    yield [action, findCompensation(action, reference => context.actions.resolve(reference))];
    return;
  }
  const skill = context.skills.resolve(subject.workflow_ref);
  const content = skill === undefined ? undefined : context.skills.contentOf(skill);
  if (content === undefined || content.incomplete) yield [undefined, undefined];
  for (const { action, workflow } of content?.actions ?? [])
    yield [action, findCompensation(action, reference => context.skills.actionIn(workflow, reference))];
}

function findCompensation(
  action: Action | undefined,
  resolve: (reference: string) => Action | undefined,
): Action | undefined | 'unknown' {
  return action?.compensation === undefined ? undefined : (resolve(action.compensation) ?? 'unknown');
}

/** Why an action cannot be compensated by this one; undefined where it can. */
function lackOf(compensation: Action | undefined): Omit<Lack, 'action'> | undefined {
  if (compensation === undefined) return { reason: 'has no compensation', help: s16.help };
  const name = `"${compensation.action_id}@${compensation.version}"`;
  if (compensation.rollback === 'irreversible') {
    const help =
      'Name a compensation that can itself be undone, or let the error node have handling: compensate and a compensate_ref.';
    return { reason: `has a compensation that is irreversible, ${name}`, help };
  }
  const schema = compensation.input_schema ?? {};
  const { required, allowed } = membersOf({ schema, root: schema });
  const wanted = required.filter(key => !GIVEN.has(key)).sort();
  const refused = allowed === undefined ? [] : [...GIVEN].filter(key => !allowed.includes(key));
  if (wanted.length + refused.length === 0) return undefined;
  const what = wanted.length > 0 ? `requires ${listNames(wanted)}` : `does not take ${listNames(refused)}`;
  return {
    reason: `has a compensation, ${name}, that ${what}; a compensation is given ${listNames([...GIVEN])}`,
    help: 'Let it take what it needs from inputs and outputs, those of what it undoes; or let the error node have handling: compensate and a compensate_ref.',
  };
}

/** One finding for each definition and error node that some execution brings together. */
function judge(
  context: VerificationContext,
  errorNodes: readonly number[],
  lacking: ReadonlyMap<number, readonly Lack[]>,
): { findings: FindingDraft[]; isOpen: boolean } {
  const name = (node: number): string => context.node(node).node_id;
  const nodes = [...lacking.keys()].sort((a, b) => compareNames(name(a), name(b)));
  const outcomes = new Map(nodes.map(node => [node, context.node(node).type === 'skill' ? undefined : 'success']));
  const demands = findDemands(context, new Map([...errorNodes.map(node => [node, undefined] as const), ...outcomes]));
  const pairs = errorNodes.flatMap(source => nodes.map(reader => ({ reader, source })));
  const open = nonAncestors(context.graph, pairs)
    .filter(({ reader, source }) => reader !== source && !demands.excludes(reader, source))
    .map(({ reader, source }) => ({
      committed: reader,
      outcome: outcomes.get(reader) === undefined ? undefined : SUCCESS,
      runs: source,
    }));
  const { met, isOpen } = findMeetings(context, open, ({ committed, runs }) => keysOf(committed, runs));
  const findings: FindingDraft[] = [];
  const places = new Map(context.actions.used.map(({ action, pointer }) => [action, pointer]));
  for (const [key, { committed, runs }] of met) {
    const lack = (lacking.get(committed) ?? []).find(({ action }) => keyOf(action, runs) === key);
    if (lack === undefined) continue;
    const { action, reason, help } = lack;
    const place = places.get(action);
    findings.push({
      node_id: name(runs),
      pointer: context.nodePointer(runs),
      message: `"${name(runs)}" cannot undo "${action.action_id}@${action.version}" of "${name(committed)}", which ${reason}`,
      related: [
        atNode(context, committed, 'this can have committed before'),
        ...(place === undefined ? [] : [{ pointer: place, message: 'and this is how it is defined' }]),
      ],
      help,
    });
  }
  return { findings, isOpen };

  function keysOf(node: number, errorNode: number): string[] {
    return (lacking.get(node) ?? []).map(({ action }) => keyOf(action, errorNode));
  }

  function keyOf({ action_id, version }: Action, errorNode: number): string {
    return JSON.stringify([errorNode, action_id, version]);
  }
}

function irreversibleReference(context: VerificationContext, node: number): FindingDraft {
  const { node_id, compensate_ref } = context.node(node) as ErrorNode;
  return {
    node_id,
    pointer: `${context.nodePointer(node)}/compensate_ref`,
    message: `The compensate_ref "${compensate_ref}" of "${node_id}" is irreversible`,
    related: [],
    help: 'Make good with an action that can itself be undone, or fail and leave it to somebody.',
  };
}
