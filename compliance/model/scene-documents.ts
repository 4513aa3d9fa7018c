import type { Agent, Permission, Policy, Workflow } from '../../schemas/types.js';
import type { Behaviour, Script } from '../program.js';

/** Where an instance stands when nothing more happens by itself, by what its actions answer first. */
export function endOf({ nodes }: Workflow, script: Script): 'held' | 'completed' | 'failed' | 'in_doubt' {
  const behaviours = nodes.map(({ node_id }) => script.nodes[node_id]?.[0]);
  if (behaviours.some(behaviour => behaviour?.held === true)) return 'held';
  const errors = behaviours.map(errorOf).filter(error => error !== undefined);
  if (errors.some(({ effect = 'unknown' }) => effect === 'unknown')) return 'in_doubt';
  return errors.length > 0 ? 'failed' : 'completed';
}

function errorOf(behaviour: Behaviour | undefined) {
  const reply = behaviour?.reply;
  return reply !== undefined && 'error' in reply ? reply.error : undefined;
}

/** The keys of State that the answers of a workflow's own actions put. */
export function writtenBy({ nodes }: Workflow, script: Script): readonly string[] {
  return nodes.flatMap(({ node_id }) => {
    const reply = script.nodes[node_id]?.[0]?.reply;
    const changes = reply !== undefined && 'outputs' in reply ? (reply.state_changes ?? []) : [];
    return changes.filter(({ op }) => op === 'put').map(({ key }) => key);
  });
}

/** Documents of governance that the answer of an action carries, as outputs of these names. */
export interface Carried {
  readonly agents: readonly Agent[];
  readonly permissions: readonly Permission[];
  readonly policies: readonly Policy[];
}

/** What the answers of a workflow's actions carry. */
export function carriedBy({ nodes }: Workflow, script: Script): Carried {
  const outputs = nodes.flatMap(({ node_id }) => {
    const reply = script.nodes[node_id]?.[0]?.reply;
    return reply !== undefined && 'outputs' in reply ? [reply.outputs as Partial<Record<string, unknown>>] : [];
  });
  return {
    agents: outputs.flatMap(({ agent }) => (agent === undefined ? [] : [agent as Agent])),
    permissions: outputs.flatMap(({ permission }) => (permission === undefined ? [] : [permission as Permission])),
    policies: outputs.flatMap(({ policy }) => (policy === undefined ? [] : [policy as Policy])),
  };
}
