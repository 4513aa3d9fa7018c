import { DEFAULT_AGENT, type Program } from '../program.js';
import { governanceRow } from './governance-gate.js';
import { closureOf, riskOf, skillsOf } from './safety.js';

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

/** The names of a start (Ch9): of the workflow, of those that it runs as skills, and of every action that it can come to execute. */
export function closureNames(program: Program): readonly string[] {
  const workflows = skillsOf(program).map(({ workflow }) => workflow.workflow.name);
  return [...new Set([...workflows, ...closureOf(program).map(({ action }) => action.action_id)])];
}
