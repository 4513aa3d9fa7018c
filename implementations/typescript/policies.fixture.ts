import { afterEach, beforeEach } from 'vitest';
import type { Action, Agent, Policy, Workflow } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { OWNER, Runtime } from './runtime.js';

/** The time that these tests live in. */
export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

export const SAFE: Action = {
  action_id: 'note.put',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
export const RISKY: Action = { ...SAFE, rollback: 'compensatable', side_effects: ['remote_server'] };

/** A workflow of one action. */
export function workflow(name = 'keep', action = SAFE): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name, version: '1.0.0' },
    inputs: { amount: { schema: { type: 'number' }, default: 20 } },
    actions: [action],
    nodes: [
      { node_id: 'save', type: 'action', action_def: 'note.put@1' },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'save', to_node: 'done', label: 'success' }],
  };
}

/** A policy of the workspace that denies everything, but for what is said. */
export const policy = (policy_id: string, more: Partial<Policy> = {}): Policy => ({
  policy_id,
  version: '1.0.0',
  level: 1,
  effect: 'deny',
  ...more,
});

/** What a start wants of ada, who may execute. */
export const wanted = (document = workflow(), agent_id = 'ada') => ({ workflow: document, inputs: {}, agent_id });

/** A runtime over a workspace in memory of each test, where ada is trusted and may execute. */
export function governedOfTests() {
  const at = {
    memory: undefined as unknown as MemoryWorkspace,
    log: undefined as unknown as ReturnType<MemoryWorkspace['open']>,
    runtime: undefined as unknown as Runtime,
    /** How often the action has been invoked. */
    calls: 0,
    actions: {
      'note.put': async () => {
        at.calls += 1;
        return { outputs: {} };
      },
    },
    /** Opens the workspace (anew), where asked with a fault. */
    async open(fault?: Parameters<MemoryWorkspace['open']>[0]): Promise<void> {
      at.log = at.memory.open(fault);
      const more = fault === undefined ? {} : { fault };
      at.runtime = await Runtime.open({ workspace: '', log: at.log, actions: at.actions, clock: () => NOW, ...more });
    },
    agent: (document: Agent) => at.runtime.registerAgent(document, OWNER),
    put: (...args: Parameters<typeof policy>) => at.runtime.putPolicy(policy(...args), OWNER),
    /** How a started instance ends. */
    async completed(starting: Promise<string>): Promise<string> {
      return (await at.runtime.wait(await starting, 5_000)).status;
    },
  };
  beforeEach(async () => {
    at.memory = new MemoryWorkspace();
    at.calls = 0;
    await at.open();
    await at.agent({ agent_id: 'ada', trust: 'TRUSTED' });
    await at.runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER });
  });
  afterEach(() => at.runtime.close());
  return at;
}
