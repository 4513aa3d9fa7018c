import { expect } from 'vitest';
import type {
  Action,
  ActionInvokeParams,
  ActionInvokeResult,
  Edge,
  ErrorClass,
  FaultPoint,
  Node,
  ProbeAnswer,
  Workflow,
} from '../../schemas/types.js';
import { killAt, MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import type { ActionHost } from './execution/host.js';
import { checkLines } from './governance/log-check.js';
import { differencesOf } from './replayed.fixture.js';
import { OWNER, Runtime } from './runtime.js';

/** An action without effects. */
export const pure: Action = {
  action_id: 'pure',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
const effect: Action = { ...pure, side_effects: ['filesystem'], probe: true, idempotent: true };
const actions: readonly Action[] = [
  pure,
  { ...pure, action_id: 'chance', determinism: 'non_deterministic' },
  { ...effect, action_id: 'roll', revert: 'undo@1' },
  { ...effect, action_id: 'comp', rollback: 'compensatable', compensation: 'undo@1' },
  { ...effect, action_id: 'once', rollback: 'irreversible' },
  { ...effect, action_id: 'undo', revert: 'undo@1' },
];

export const run = (node_id: string, action: string, more: Partial<Node> = {}) =>
  ({ node_id, type: 'action', action_def: `${action}@1`, ...more }) as Node;
export const skill = (node_id: string, name: string, more: Record<string, unknown> = {}) =>
  ({ node_id, type: 'skill', workflow_ref: `${name}@^1`, ...more }) as Node;
export const end = (node_id: string, status: 'completed' | 'compensated' | 'failed' = 'completed'): Node => ({
  node_id,
  type: 'terminal',
  status,
});
export const onError = (node_id: string, handling: string, more: Record<string, unknown> = {}) =>
  ({ node_id, type: 'error', handling, ...more }) as Node;

/** `a -success-> b` as an edge. */
function edge(text: string): Edge {
  const [from_node = '', label = '', to_node = ''] = text.split(/ -|-> /);
  return { from_node, to_node, label };
}

/** A workflow of those nodes, edges as texts, and anything else. */
export function workflowOf(
  nodes: readonly Node[],
  edges: readonly string[],
  outputs: Record<string, unknown> = {},
  more: Partial<Workflow> = {},
): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name: 'w', version: '1.0.0' },
    actions: [...actions],
    outputs: outputs as NonNullable<Workflow['outputs']>,
    nodes: [...nodes],
    edges: edges.map(edge),
    ...more,
  };
}

export type Script = Readonly<Record<string, readonly (ErrorClass | 'ok')[]>>;

/**
 * Hosted actions that follow a script by node, and by `undo <node>` for undos; the last word of a script holds on. A redo,
 * which has the key and the attempt of what it repeats, is answered as that was.
 */
export class World implements ActionHost {
  readonly calls: ActionInvokeParams[] = [];
  readonly done = new Set<string>();
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async invoke(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    this.calls.push(call);
    const words = this.#script[this.#name(call)] ?? ['ok'];
    const word = words[Math.min(this.#turn(call), words.length) - 1] as ErrorClass | 'ok';
    if (word !== 'ok') return { error: { error_class: word, detail: `${call.node_id} says ${word}`, effect: 'none' } };
    this.done.add(call.idempotency_key);
    return { outputs: { of: call.node_id ?? '', attempt: call.attempt } };
  }

  /** The how-manieth of its name a call is. */
  #turn(call: ActionInvokeParams): number {
    const alike = this.calls.filter(other => this.#name(other) === this.#name(call));
    if (call.action_id === 'undo') return alike.length;
    const keyOf = ({ idempotency_key, attempt }: ActionInvokeParams) => `${attempt} ${idempotency_key}`;
    return [...new Set(alike.map(keyOf))].indexOf(keyOf(call)) + 1;
  }

  async probe({ idempotency_key, node_id = '' }: ActionInvokeParams): Promise<ProbeAnswer> {
    if (!this.done.has(idempotency_key)) return { verdict: 'absent' };
    return { verdict: 'applied', outputs: { of: node_id, attempt: 0 } };
  }

  /** What was invoked, as `node` or `undo node`, in order. */
  get names(): string[] {
    return this.calls.map(call => this.#name(call));
  }

  #name({ action_id, node_id = '' }: ActionInvokeParams): string {
    return action_id === 'undo' ? `undo ${node_id}` : node_id;
  }
}

/** A runtime with the log of a workspace, killed at a passing of a point where that is given. */
export async function open(
  memory: MemoryWorkspace,
  host: ActionHost,
  kill?: { point: FaultPoint; occurrence: number },
) {
  const fault = kill && killAt(kill.point, kill.occurrence);
  const log = memory.open(fault);
  return Runtime.open({ workspace: '', log, host, ...(fault === undefined ? {} : { fault }) });
}

/** Runs a workflow to its end, with these workflows in the registry, and checks the log. */
export async function ran(
  workflow: Workflow,
  script: Script = {},
  { max_parallel = 8, skills = [] }: { max_parallel?: number; skills?: readonly Workflow[] } = {},
) {
  const memory = new MemoryWorkspace();
  const world = new World(script);
  const runtime = await open(memory, world);
  await runtime.putRegistry({ workflows: [...skills] });
  const wanted = { workflow, inputs: {}, agent_id: OWNER };
  const irreversible = workflow.nodes.some(node => node.type === 'action' && node.action_def === 'once@1');
  const more = irreversible ? { confirmation_id: await confirm(runtime, wanted) } : {};
  const id = await runtime.start({ ...wanted, ...more, max_parallel });
  const result = await runtime.wait(id, 10_000);
  expect(checkLines(memory.lines)).toEqual([]);
  expect(differencesOf(memory)).toEqual([]);
  const trace = Object.fromEntries(result.trace.map(entry => [entry.node_id, [entry.outcome, entry.attempts]]));
  return { memory, world, runtime, id, result, trace };
}
