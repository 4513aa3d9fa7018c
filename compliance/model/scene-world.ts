import type { Agent, Permission, Policy, Trust, Workflow } from '../../schemas/types.js';
import { OWNER } from '../program.js';
import type { Asked, Scene } from '../scene.js';
import { endOf, writtenBy } from './scene-documents.js';

/** A permission that was granted once. */
export interface Granted {
  readonly permission: Permission;
  readonly revoked: boolean;
}

/** A confirmation that was granted, with the start that it is for. */
export interface Confirmed {
  readonly of: string;
  readonly agent_id: string;
  readonly approver: string;
  readonly used: boolean;
}

/** An instance as the model knows it. */
export interface Instance {
  readonly asked: Asked;
  readonly status: 'held' | 'cancelled' | 'completed' | 'failed' | 'in_doubt';
  /** Whether governance denied it to go on after a restart. */
  readonly stopped: boolean;
}

/** What one agent's trust became, in turn. */
export interface TrustChange {
  readonly agent_id: string;
  readonly trust: Trust;
}

/** What governance knows after some acts of a scene (Ch9). Nothing in it is changed in place. */
export interface World {
  readonly scene: Scene;
  /** RFC 3339. */
  readonly now: string;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly granted: ReadonlyMap<string, Granted>;
  /** By policy_id@version. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly confirmations: ReadonlyMap<string, Confirmed>;
  /** What was simulated, by workflow and inputs. */
  readonly simulated: ReadonlyMap<string, true>;
  readonly instances: ReadonlyMap<string, Instance>;
  /** The labels of instances by agent and request_key, and all agents by key. */
  readonly keys: ReadonlyMap<string, string>;
  /** What the trust of agents became, registrations without a change aside. */
  readonly trust_changes: readonly TrustChange[];
  /** Whether governance had a fault before. */
  readonly was_faulty: boolean;
  /** The approvers of confirmations that logs of somewhere else tell of, for what is started here. */
  readonly foreign: ReadonlyMap<string, string>;
  /** What the world was before documents were damaged, and which requirement that is about; absent where none are. */
  readonly damage?: { readonly intact: World; readonly about: 'GF1' | 'GF2' };
  /** False once an answer depends on what the specification leaves open. */
  readonly certain: boolean;
}

/** The world of a scene before its first act. */
export function worldOf(scene: Scene, now: string): World {
  const empty = new Map<string, never>();
  return {
    scene,
    now,
    agents: new Map([[OWNER, { agent_id: OWNER, trust: 'TRUSTED' }]]),
    granted: empty,
    policies: empty,
    confirmations: empty,
    simulated: empty,
    instances: empty,
    keys: empty,
    trust_changes: [],
    was_faulty: false,
    foreign: empty,
    certain: true,
  };
}

/** The map with one entry more, or another value for one. */
export function withEntry<T>(map: ReadonlyMap<string, T>, name: string, value: T): ReadonlyMap<string, T> {
  return new Map([...map, [name, value]]);
}

/** The world in which an agent has another trust. */
export function withTrust(world: World, agent_id: string, trust: Trust): World {
  const agent = world.agents.get(agent_id);
  if (agent === undefined || agent.trust === trust) return world;
  return {
    ...world,
    agents: withEntry(world.agents, agent_id, { ...agent, trust }),
    trust_changes: [...world.trust_changes, { agent_id, trust }],
  };
}

/** The world in which an instance was started. */
export function withInstance(
  world: World,
  label: string,
  asked: Asked,
  { request_key, uses }: { readonly request_key?: string | undefined; readonly uses?: string | undefined } = {},
): World {
  const status = endOf(workflowOf(world, asked.workflow), world.scene.script);
  const used = uses === undefined ? undefined : world.confirmations.get(uses);
  return {
    ...world,
    instances: withEntry(world.instances, label, { asked, status, stopped: false }),
    ...(request_key === undefined ? {} : { keys: withEntry(world.keys, keyName(asked.agent_id, request_key), label) }),
    ...(used === undefined || uses === undefined
      ? {}
      : { confirmations: withEntry(world.confirmations, uses, { ...used, used: true }) }),
  };
}

/** The name under which an agent's request_key is kept. */
export function keyName(agent_id: string, request_key: string): string {
  return JSON.stringify([agent_id, request_key]);
}

/** Keys that State certainly has: those that a completed instance in which nothing was undone has written itself. */
export function writtenKeys(world: World): readonly string[] {
  const completed = [...world.instances.values()].filter(({ status }) => status === 'completed');
  return completed.flatMap(({ asked }) => writtenBy(workflowOf(world, asked.workflow), world.scene.script));
}

/** The workflow of a name; throws where the scene has none. */
export function workflowOf({ scene }: World, name: string): Workflow {
  const found = scene.workflows.find(({ workflow }) => workflow.name === name);
  if (found === undefined) throw new RangeError(`the scene has no workflow '${name}'`);
  return found;
}

/** Whether two versions of one policy are active. */
export function isFaulty({ policies }: World): boolean {
  const active = [...policies.values()].filter(policy => policy.active !== false);
  return new Set(active.map(({ policy_id }) => policy_id)).size < active.length;
}
