import { uuidv7 } from 'uuidv7';
import type { Workflow } from '../../schemas/types.js';
import type { Definitions } from './definitions.js';
import { ArsError } from './error.js';
import { passGates } from './governance/gates.js';
import type { WorkspaceParts } from './recovery.js';
import { type Plan, planWorkflow } from './workflow/plan.js';

/** An instance that somebody wants to have. */
export interface WantedInstance {
  readonly agent_id: string;
  readonly workflow: Workflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly request_key?: string | undefined;
  readonly max_parallel?: number | undefined;
  /** The ended instance that it resumes, and the plan of that one. */
  readonly resumes?: { readonly execution_id: string; readonly plan: Plan };
}

/** What starting stands on. */
export interface StartParts extends WorkspaceParts {
  readonly definitions: Definitions;
}

/** Passes the gates, starts the instance, and gives its execution_id. Throws what the gates throw. */
export async function startInstance(parts: StartParts, wanted: WantedInstance): Promise<string> {
  const { journal, instances, definitions, now } = parts;
  const { agent_id, workflow, context, resumes } = wanted;
  const execution_id = uuidv7();
  const { permit, plan, inputs } = await passGates(journal, {
    execution_id,
    agent_id,
    workflow,
    registry: definitions.registry(),
    inputs: wanted.inputs,
    plan: () => resumes?.plan ?? planWorkflow(workflow, definitions.actionsOf),
    now: now(),
  });
  instances.keep(plan);
  const head = { execution_id, context_id: execution_id, agent_id, inputs, context };
  const resumed = resumes === undefined ? head : { ...head, resumes: resumes.execution_id };
  const run = instances.create(plan, resumed, wanted.max_parallel);
  try {
    await run.start(permit, wanted.request_key);
  } catch (error) {
    instances.drop(run);
    throw error;
  }
  return execution_id;
}

/**
 * Starts a new instance that takes over what an ended one committed, and gives its execution_id.
 *
 * Throws `illegal_state` where the old one completed or had something undone.
 *
 * @requirement IR1
 * @requirement IR2
 * @requirement IR3
 */
export async function resumeEnded(parts: StartParts, ended: string, agent_id: string): Promise<string> {
  const { journal, instances } = parts;
  const { context_id, resolved_digest = '', inputs = {}, context = {} } = instances.startOf(ended);
  const { status } = await instances.wait(ended, 0);
  const refuse = (why: string) =>
    new ArsError('illegal_state', `The instance '${ended}' ${why}; start the workflow anew.`, {
      details: { execution_id: ended, status },
    });
  if (status === 'completed') throw refuse('completed');
  const committed = { context_id, record_type: 'action', status: 'committed' } as const;
  for (const { purpose } of journal.log.records(committed))
    if (purpose !== undefined) throw refuse('had something undone');
  const plan = instances.planOf(resolved_digest);
  const resumes = { execution_id: ended, plan };
  return startInstance(parts, { agent_id, workflow: plan.workflow, inputs, context, resumes });
}
