import type { Permission } from '../../schemas/types.js';
import { DEFAULT_AGENT, type Program } from '../program.js';
import { resolveAction } from './contract.js';
import { undoReference } from './judgement.js';

/**
 * Whether the governance gate lets a program start (Ch9): the agent is registered and trusted enough, and its valid
 * permissions cover execution of the workflow, or of every part of it. `now` is an RFC 3339 time.
 */
export function mayStart(program: Program, now: string): boolean {
  const agentId = program.agent_id ?? DEFAULT_AGENT;
  if (program.agents === undefined) return agentId === DEFAULT_AGENT;
  const agent = program.agents.filter(candidate => candidate.agent_id === agentId).at(-1);
  if (agent === undefined) return false;
  if (agent.trust !== 'TRUSTED') return false;
  const held = (program.permissions ?? []).filter(permission => allowsExecution(permission, agentId, now));
  return closureNames(program).every(name => held.some(permission => inScope(permission.scope ?? '*', name)));
}

function allowsExecution(permission: Permission, agentId: string, now: string): boolean {
  return (
    permission.domain === 'execution' &&
    permission.actions.includes('execute') &&
    permission.granted_to === agentId &&
    (permission.valid_until === undefined || now < permission.valid_until)
  );
}

function inScope(scope: string, name: string): boolean {
  return scope.endsWith('*') ? name.startsWith(scope.slice(0, -1)) : scope === name;
}

/** The workflow's name and those of every action it can come to execute. */
export function closureNames(program: Program): readonly string[] {
  const names = new Set([program.workflow.workflow.name]);
  for (const node of program.workflow.nodes) {
    const action = node.type === 'action' ? resolveAction(node.action_def, program) : undefined;
    if (action === undefined) continue;
    names.add(action.action_id);
    const undo = undoReference(action);
    if (undo !== undefined) names.add(undo.slice(0, undo.indexOf('@')));
  }
  return [...names];
}
