import { expect } from 'vitest';
import type { Action, ActionInvokeParams, ActionInvokeResult, ProbeAnswer, Workflow } from '../../schemas/types.js';
import { verifyChain } from './audit/chain.js';
import { checkLifecycle } from './audit/lifecycle.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import type { ActionHost } from './execution/host.js';
import { open, pure } from './nodes.fixture.js';
import { OWNER } from './runtime.js';

const effect: Action = { ...pure, side_effects: ['filesystem'], probe: true };

const actions: readonly Action[] = [
  pure,
  { ...pure, action_id: 'note' },
  { ...effect, action_id: 'roll', revert: 'undo@1' },
  { ...effect, action_id: 'comp', rollback: 'compensatable', compensation: 'undo@1' },
  { ...effect, action_id: 'once', rollback: 'irreversible' },
  { ...effect, action_id: 'undo', idempotent: true, revert: 'undo@1', input_schema: { required: ['outputs'] } },
];

/** A chain of nodes, one for each action named. */
export function workflowOf(names: readonly string[], status: 'completed' | 'failed' = 'completed'): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name: 'chain', version: '1.0.0' },
    actions: [...actions],
    nodes: [
      ...names.map(id => ({
        node_id: id,
        type: 'action' as const,
        action_def: `${id}@1`,
        ...(id === 'once' ? { irreversible: 'acknowledged' as const } : {}),
      })),
      { node_id: 'end', type: 'terminal', status },
    ],
    edges: names.map((id, at) => ({ from_node: id, to_node: names[at + 1] ?? 'end', label: 'success' })),
  };
}

/** Hosted actions that tell of their calls. */
export class World implements ActionHost {
  readonly calls: ActionInvokeParams[] = [];
  probed: ProbeAnswer = { verdict: 'unknown' };
  undo: () => Promise<ActionInvokeResult> = async () => ({ outputs: { undone: true } });
  known = true;

  async invoke(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    this.calls.push(call);
    if (call.action_id === 'undo') return this.undo();
    const state_changes = [{ key: 'note', op: 'put' as const, value: 'x' as never }];
    return { outputs: { of: call.action_id }, ...(call.action_id === 'note' ? { state_changes } : {}) };
  }

  async probe(): Promise<ProbeAnswer> {
    return this.probed;
  }

  has(action_id: string): boolean {
    return action_id !== 'undo' || this.known;
  }

  get undos(): ActionInvokeParams[] {
    return this.calls.filter(({ action_id }) => action_id === 'undo');
  }
}

/** Why something is undone. */
export const evidence = { ticket: 7 };

/** Runs a workflow to its end, and gives the executions of its nodes. */
export async function ran(names: readonly string[], status?: 'completed' | 'failed') {
  const memory = new MemoryWorkspace();
  const world = new World();
  const runtime = await open(memory, world);
  const workflow = workflowOf(names, status);
  const wanted = { workflow, inputs: {}, agent_id: OWNER };
  const more = names.includes('once') ? { confirmation_id: await confirm(runtime, wanted) } : {};
  const id = await runtime.start({ ...wanted, ...more });
  await runtime.wait(id, 5_000);
  const executions = new Map(
    [...runtime.records({ record_type: 'action', status: 'committed' })].map(r => [r.node_id ?? '', r.execution_id]),
  );
  const of = (node: string) => executions.get(node) as string;
  return { memory, world, runtime, id, of, workflow };
}

/** What must hold of any log. */
export function sound(memory: MemoryWorkspace): void {
  expect(verifyChain(memory.lines).ok).toBe(true);
  expect(checkLifecycle(memory.records)).toEqual({ ok: true });
}
