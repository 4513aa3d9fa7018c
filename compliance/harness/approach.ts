import type { WorkflowStartParams } from '../../schemas/types.js';
import type { Answer, Approach, Approached, Step } from '../approach.js';
import { digestsOf, others, SECOND_AGENT } from '../model/consent.js';
import { DEFAULT_AGENT, OWNER, type Program } from '../program.js';
import { violationText } from '../wire/event.js';
import { answered } from './answered.js';
import { withWorkspace } from './case.js';
import { registerApprover } from './consent.js';
import type { Session } from './session.js';
import { exportLog, recordsOf } from './setup.js';

/** How long an instance of one action may take, in milliseconds. */
const WAIT_MS = 4000;

/**
 * Everything that is seen of an approach in a workspace of its own. An instance that starts is followed to its end before
 * the next step. Rejects as running a program does; refusals are observed.
 */
export async function runApproach(session: Session, approach: Approach): Promise<Approached> {
  return withWorkspace(session, programOf(approach), async host => {
    await equipAgents(session);
    const answers: (readonly Answer[])[] = [];
    for (const step of approach.steps) answers.push(await take(session, approach, step));
    const violations = session.events.map(violationText);
    const log = session.has('audit') ? recordsOf(await exportLog(session), violations) : undefined;
    const kills = approach.steps.filter(step => step.do === 'reopen').length;
    return { answers, ledger: host.ledger(), kills, violations, ...(log === undefined ? {} : { log }) };
  });
}

/** The agents that start may approve as well, so that nothing but who they are keeps them from confirming their own starts. */
async function equipAgents(session: Session): Promise<void> {
  await registerApprover(session);
  for (const agent of others()) await session.request('governance/register_agent', { agent, by: OWNER });
  for (const granted_to of [DEFAULT_AGENT, SECOND_AGENT]) {
    const grants = [
      { domain: 'approval', actions: ['grant'] },
      { domain: 'execution', actions: ['execute'] },
    ] as const;
    for (const { domain, actions } of grants)
      await session.request('governance/grant', {
        permission: { domain, actions: [...actions], granted_to, granted_by: OWNER },
      });
  }
}

async function take(session: Session, approach: Approach, step: Step): Promise<readonly Answer[]> {
  switch (step.do) {
    case 'clock':
      await session.request('clock/set', { time: step.time });
      return [];
    case 'trust': {
      const { agent_id, trust } = step;
      await session.request('governance/register_agent', { agent: { agent_id, trust }, by: OWNER });
      return [];
    }
    case 'reopen':
      await session.kill();
      await session.open();
      return [];
    case 'dry_run':
      return [await ask(session, startOf(approach, { ...step, dry_run: true }))];
    case 'approve': {
      const { confirmation_id, approver, agent_id = DEFAULT_AGENT, expires_at } = step;
      const wanted = { confirmation_id, ...digestsOf(approach, step), agent_id, approver, expires_at };
      const answer = await answered(session.request('governance/approve', wanted));
      return ['error' in answer ? answer : answer.result];
    }
    case 'start': {
      const { confirmation_id, times = 1 } = step;
      const params = startOf(approach, { ...step, ...(confirmation_id === undefined ? {} : { confirmation_id }) });
      const answers = await Promise.all(Array.from({ length: times }, () => ask(session, params)));
      for (const answer of answers)
        if (!('error' in answer) && answer.execution_id !== undefined) await follow(session, answer.execution_id);
      return answers;
    }
  }
}

async function ask(session: Session, params: WorkflowStartParams): Promise<Answer> {
  const answer = await answered(session.request('workflow/start', params));
  return 'error' in answer ? answer : answer.result;
}

async function follow(session: Session, execution_id: string): Promise<void> {
  const budget_ms = Math.round(WAIT_MS * session.scale);
  await answered(session.request('workflow/wait', { execution_id, budget_ms }));
}

function startOf(
  { workflow }: Approach,
  { inputs = {}, agent_id = DEFAULT_AGENT, confirmation_id, dry_run }: Partial<WorkflowStartParams>,
): WorkflowStartParams {
  return {
    workflow,
    inputs: { ...inputs },
    agent_id,
    ...(confirmation_id === undefined ? {} : { confirmation_id }),
    ...(dry_run === undefined ? {} : { dry_run }),
  };
}

function programOf({ workflow }: Approach): Program {
  return { workflow, inputs: {}, script: { nodes: { send: [{ reply: { outputs: {} } }] } }, kills: [] };
}
