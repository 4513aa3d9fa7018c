import { expect } from 'vitest';
import type { Action, ActionInvokeParams, ActionInvokeResult, ProbeAnswer, Workflow } from '../../schemas/types.js';
import type { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import type { ActionHost } from './execution/host.js';
import { checkLines } from './governance/log-check.js';
import { pure } from './nodes.fixture.js';
import { differencesOf } from './replayed.fixture.js';
import { OWNER, Runtime } from './runtime.js';

const base: Action = { ...pure, determinism: 'non_deterministic' };
const effect = { ...base, side_effects: ['filesystem' as const], probe: true };

const idempotent: Action = {
  ...effect,
  action_id: 'idem',
  determinism: 'deterministic',
  idempotent: true,
  revert: 'undo@1',
};

const rollbackable: Action = { ...effect, action_id: 'roll', revert: 'undo@1' };
const compensatable: Action = { ...effect, action_id: 'comp', rollback: 'compensatable', compensation: 'undo@1' };
const irreversible: Action = { ...effect, action_id: 'once', rollback: 'irreversible', determinism: 'deterministic' };
const undo: Action = { ...effect, action_id: 'undo', idempotent: true, revert: 'undo@1' };
const actions = [base, idempotent, rollbackable, compensatable, irreversible, undo];
/** The actions of chains: without effects, idempotent, rollbackable, compensatable, irreversible. */
export const ids = ['pure', 'idem', 'roll', 'comp', 'once'] as const;
type Id = (typeof ids)[number];

/** A chain of nodes, one for each action named, each of which writes its own key. */
export function chain(names: readonly Id[]): Workflow {
  const nodes: Workflow['nodes'] = names.map((id, at) => ({
    node_id: `n${at}`,
    type: 'action',
    action_def: `${id}@1`,
  }));
  const edges = names.map((_, at) => ({
    from_node: `n${at}`,
    to_node: at + 1 < names.length ? `n${at + 1}` : 'end',
    label: 'success',
  }));
  return {
    schema_version: '1.0',
    workflow: { name: 'chain', version: '1.0.0', start: 'n0' },
    actions,
    nodes: [...nodes, { node_id: 'end', type: 'terminal', status: 'completed' }],
    edges,
  };
}

/** Hosted actions whose effects outlive the runtime; idempotent ones have one effect for each key. */
export class World implements ActionHost {
  readonly calls: ActionInvokeParams[] = [];
  readonly effects = new Map<string, number>();
  readonly undone = new Set<string>();
  answer: (call: { idempotency_key: string; action_id: string }) => ProbeAnswer['verdict'] = () => 'unknown';
  reply: ((call: ActionInvokeParams) => ActionInvokeResult | undefined) | undefined;

  async invoke(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    this.calls.push(call);
    const scripted = this.reply?.(call);
    if (scripted !== undefined && 'error' in scripted) return scripted;
    const before = this.effects.get(call.idempotency_key) ?? 0;
    if (call.action_id === 'undo') this.undone.add(String(call.inputs.execution_id));
    this.effects.set(call.idempotency_key, call.action_id === 'idem' || call.action_id === 'undo' ? 1 : before + 1);
    return scripted ?? result(call.node_id ?? '');
  }

  async probe(call: { idempotency_key: string; action_id: string; node_id?: string }): Promise<ProbeAnswer> {
    const verdict = this.answer(call);
    return verdict === 'applied' ? { verdict, ...result(call.node_id ?? '') } : { verdict };
  }

  /** Says what really happened. */
  truth = (call: { idempotency_key: string }): ProbeAnswer['verdict'] =>
    this.effects.has(call.idempotency_key) ? 'applied' : 'absent';
}

function result(node_id: string) {
  return { outputs: { from: node_id }, state_changes: [{ key: node_id, op: 'put' as const, value: node_id as never }] };
}

/** The confirmation that a workflow with an irreversible action needs, made in an opening of its own. */
export async function confirmed(memory: MemoryWorkspace, world: World, workflow: Workflow) {
  if (!workflow.nodes.some(node => node.type === 'action' && node.action_def === 'once@1')) return {};
  const runtime = await reopen(memory, world);
  const confirmation_id = await confirm(runtime, { workflow, inputs: {}, agent_id: OWNER });
  await runtime.close();
  return { confirmation_id };
}

/** Starts a workflow with the confirmation that it needs. */
export async function startConfirmed(runtime: Runtime, workflow: Workflow): Promise<string> {
  const wanted = { workflow, inputs: {}, agent_id: OWNER };
  return runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
}

/** Opens the workspace in the next incarnation. */
export async function reopen(memory: MemoryWorkspace, world: World): Promise<Runtime> {
  return Runtime.open({ workspace: '', log: memory.open(), host: world });
}

/** What must hold of any log, however often the runtime was killed. */
export function checkLog(memory: MemoryWorkspace, world: World): void {
  expect(checkLines(memory.lines)).toEqual([]);
  expect(differencesOf(memory)).toEqual([]);
  for (const { gate, sequence, execution_id } of memory.records)
    if (gate === 'execution')
      expect(memory.records[sequence]).toMatchObject({ status: 'workflow_started', execution_id });
  const pendings = new Map(memory.records.filter(r => r.status === 'pending').map(r => [r.execution_id, r]));
  for (const call of world.calls) expect(pendings.get(call.execution_id)?.inputs).toEqual(call.inputs);
  expect(new Set(world.calls.map(c => c.execution_id)).size).toBe(world.calls.length);
  const decided = memory.records.filter(r => r.record_type === 'recovery').map(r => r.execution_id);
  expect(new Set(decided).size).toBe(decided.length);
  const commits = memory.records.filter(r => r.status === 'committed' && r.purpose === undefined);
  expect(new Set(commits.map(r => r.node_id)).size).toBe(commits.length);
}
