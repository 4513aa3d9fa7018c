import { DEFAULT_AGENT, type Program } from '../program.js';
import { resolveAction } from './contract.js';
import { governanceRow } from './governance-gate.js';
import { undoReference } from './judgement.js';
import { riskOf } from './safety.js';

/**
 * Whether the governance gate lets a program start (Ch9): the agent is registered and trusted enough, and its valid
 * permissions cover execution of the workflow, or of every part of it. `now` is an RFC 3339 time.
 */
export function mayStart(program: Program, now: string): boolean {
  const agent_id = program.agent_id ?? DEFAULT_AGENT;
  if (program.agents === undefined) return agent_id === DEFAULT_AGENT;
  const agent = program.agents.findLast(candidate => candidate.agent_id === agent_id);
  const { name, version } = program.workflow.workflow;
  const row = governanceRow({
    agent_id,
    ...(agent === undefined ? {} : { agent }),
    permissions: program.permissions ?? [],
    policies: [],
    workflow: { name, version },
    names: closureNames(program),
    inputs: program.inputs,
    context: program.context ?? {},
    safety_level: riskOf(program).level,
    confirmed: true,
    dry_run: false,
    now,
  });
  return row.decision === 'allowed';
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
