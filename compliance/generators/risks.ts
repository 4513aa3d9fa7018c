import * as fc from 'fast-check';
import type { Action, Edge, Node, Workflow } from '../../schemas/types.js';
import type { Known } from '../model/closure.js';

/** What a step of a risky workflow does; the names are those of the actions, or of workflows used as skills. */
export const DEEDS = [
  'plain',
  'random',
  'asked',
  'reverted',
  'bare',
  'posted',
  'gap',
  'false-gap',
  'final',
  'leads-far',
  'loop',
  'trip',
  'dire-trip',
  'missing',
] as const;

/** How the failure of a step is handled. */
const HANDLINGS = ['none', 'always', 'fail', 'undo', 'rollback', 'ref', 'retry', 'retry-undo'] as const;

/** One step of a chain. */
export interface Step {
  readonly deed: (typeof DEEDS)[number];
  readonly handling: (typeof HANDLINGS)[number];
  /** Whether it also leads to the step after the next one. */
  readonly jumps: boolean;
}

const SKILLS: readonly string[] = ['trip', 'dire-trip'];
const BASE: Action = {
  action_id: 'plain',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
const act = (action_id: string, more: Partial<Action>): Action => ({ ...BASE, action_id, ...more });
const made = (action_id: string, compensation: string, more: Partial<Action> = {}): Action =>
  act(action_id, { rollback: 'compensatable', side_effects: ['repository'], compensation, ...more });

const ACTIONS: readonly Action[] = [
  BASE,
  act('random', { determinism: 'non_deterministic' }),
  made('asked', 'loop@1', { side_effects: ['remote_server'] }),
  act('reverted', { side_effects: ['filesystem'], revert: 'plain@1' }),
  act('bare', { side_effects: ['filesystem'] }),
  made('posted', 'plain@1', { side_effects: ['external_service'] }),
  act('gap', { rollback: 'compensatable', side_effects: ['repository'] }),
  made('false-gap', 'final@1'),
  act('final', { rollback: 'irreversible', side_effects: ['repository'] }),
  made('leads-far', 'asked@1'),
  made('loop', 'loop-back@1'),
  made('loop-back', 'loop@1', { side_effects: ['filesystem'] }),
];

/** Workflows with actions and skills of every level, whose failures are handled in every way. */
export const risky: fc.Arbitrary<Known> = fc
  .record({
    steps: fc.array(
      fc.record({ deed: fc.constantFrom(...DEEDS), handling: fc.constantFrom(...HANDLINGS), jumps: fc.boolean() }),
      { minLength: 1, maxLength: 12 },
    ),
    shift: fc.nat({ max: 12 }),
  })
  .map(({ steps, shift }) => chainOf(steps, shift));

/** Gives a chain of steps; with the shift the order of their names changes. */
export function chainOf(steps: readonly Step[], shift = 0): Known {
  const name = (at: number): string => `s${String.fromCharCode(97 + ((at * 5 + shift) % 13))}`;
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const next = (at: number): string => (at < steps.length ? name(at) : 'done');
  for (const [at, { deed, handling, jumps }] of steps.entries()) {
    const id = name(at);
    const splits = (jumps && at + 1 < steps.length) || handling === 'always';
    const shared = { node_id: id, join_type: 'OR', ...(splits ? ({ fan_out: 'parallel' } as const) : {}) } as const;
    if (SKILLS.includes(deed)) nodes.push({ ...shared, type: 'skill', workflow_ref: `${deed}@1` });
    else nodes.push({ ...shared, type: 'action', action_def: `${deed}@^1.0.0` });
    edges.push({ from_node: id, to_node: next(at + 1), label: 'success' });
    if (jumps && at + 1 < steps.length) edges.push({ from_node: id, to_node: next(at + 2), label: 'success' });
    handle(id, handling, next(at + 1), nodes, edges);
  }
  nodes.push({ node_id: 'done', type: 'terminal', status: 'completed', join_type: 'OR' });
  return {
    workflow: workflowOf('chain', nodes, edges, []),
    actions: ACTIONS,
    workflows: [skill('trip', 'reverted'), skill('dire-trip', 'final')],
  };
}

function handle(id: string, handling: Step['handling'], next: string, nodes: Node[], edges: Edge[]): void {
  const first = `${id}-x`;
  const last = `${id}-z`;
  const end = (from_node: string): void => {
    nodes.push({ node_id: `${id}-end`, type: 'terminal', status: 'compensated' });
    edges.push({ from_node, to_node: `${id}-end`, label: 'success' });
  };
  if (handling === 'none') return;
  if (handling === 'always') {
    nodes.push({ node_id: `${id}-on`, type: 'terminal', status: 'completed' });
    edges.push({ from_node: id, to_node: `${id}-on`, label: 'always' });
    return;
  }
  edges.push({ from_node: id, to_node: first, label: 'failure' });
  if (handling === 'fail') nodes.push({ node_id: first, type: 'error', handling: 'fail' });
  if (handling === 'rollback') nodes.push({ node_id: first, type: 'error', handling: 'rollback' });
  if (handling === 'undo') nodes.push({ node_id: first, type: 'error', handling: 'compensate' });
  if (handling === 'ref')
    nodes.push({ node_id: first, type: 'error', handling: 'compensate', compensate_ref: 'asked@1' });
  if (handling === 'rollback' || handling === 'undo' || handling === 'ref') end(first);
  if (handling !== 'retry' && handling !== 'retry-undo') return;
  nodes.push({ node_id: first, type: 'error', handling: 'retry' });
  edges.push({ from_node: first, to_node: next, label: 'success' });
  if (handling === 'retry') return;
  nodes.push({ node_id: last, type: 'error', handling: 'rollback' });
  edges.push({ from_node: first, to_node: last, label: 'failure' });
  end(last);
}

function skill(name: string, deed: string): Workflow {
  const nodes: Node[] = [
    { node_id: 'first', type: 'action', action_def: `${deed}@1` },
    { node_id: 'second', type: 'action', action_def: 'random@1' },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ];
  const edges: Edge[] = [
    { from_node: 'first', to_node: 'second', label: 'success' },
    { from_node: 'second', to_node: 'done', label: 'success' },
  ];
  return workflowOf(name, nodes, edges, ACTIONS);
}

function workflowOf(name: string, nodes: Node[], edges: Edge[], actions: readonly Action[]): Workflow {
  return { schema_version: '1.0', workflow: { name, version: '1.0.0' }, actions: [...actions], nodes, edges };
}
