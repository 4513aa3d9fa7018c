import type {
  CheckParams,
  GateResult,
  Workflow,
  WorkflowStartParams,
  WorkflowStartResult,
} from '../../schemas/types.js';
import { isDurable } from './audit/journal.js';
import type { StoredDocument } from './audit/log.js';
import type { Definitions } from './definitions.js';
import { ArsError } from './error.js';
import { noCode, withoutCode } from './execution/action-table.js';
import type { Approvals } from './governance/approvals.js';
import { checkStart } from './governance/check.js';
import { type AllowedStart, passDryRun, passGates } from './governance/gates.js';
import type { StartRequest } from './governance/verification-gate.js';
import type { Instances } from './instances.js';
import { newId } from './new-id.js';
import { checked, checkIsDocument } from './parameters.js';
import type { WorkspaceParts } from './recovery.js';
import type { Verdicts } from './verdicts.js';
import { actionsOf, type Plan } from './workflow/plan.js';
import type { InstanceRun } from './workflow/run.js';

/** An instance that somebody wants to have. */
export interface WantedInstance {
  readonly agent_id: string;
  readonly workflow: Workflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly request_key?: string | undefined;
  readonly max_parallel?: number | undefined;
  readonly confirmation_id?: string | undefined;
  /** What becomes durable with a denial. */
  readonly with_denial?: readonly StoredDocument[];
  /** The ended instance that it resumes, and the plan of that one. */
  readonly resumes?: { readonly execution_id: string; readonly plan: Plan };
}

/** What starting stands on. */
export interface StartParts extends WorkspaceParts {
  readonly definitions: Definitions;
  readonly verdicts: Verdicts;
  readonly approvals: Approvals;
}

/** A dry run as it was recorded, with what a confirmation has to be for. */
export type Simulation = Required<WorkflowStartResult>;

/**
 * The start that parameters ask for, as a copy. Throws `invalid_document` where they miss their schema or name no
 * workflow, `not_found` for an unknown workflow_id, `not_canonical`.
 */
export function readStart(
  schema: 'adapter/workflow#start_params' | 'adapter/governance#check_params',
  params: WorkflowStartParams | CheckParams,
  { definitions, verdicts }: Pick<StartParts, 'definitions' | 'verdicts'>,
): WantedInstance {
  const { workflow: given, ...others } = params ?? {};
  const own: WorkflowStartParams = checked(schema, others);
  const { workflow_id, dry_run: _asked, context = {}, ...wanted } = own;
  if (given !== undefined) {
    checkIsDocument(given);
    return { ...wanted, context, workflow: verdicts.copyOf(given) };
  }
  if (workflow_id !== undefined)
    return { ...wanted, context, workflow: verdicts.copyOf(definitions.workflow(workflow_id)) };
  throw new ArsError('invalid_document', 'A start needs a workflow or a workflow_id.');
}

/**
 * Passes the gates, starts the instance, and gives its execution_id; throws what the gates throw. Of starts that name one
 * confirmation each begins when the one before has started or failed.
 *
 * @requirement MS1
 */
export async function startInstance(parts: StartParts, wanted: WantedInstance): Promise<string> {
  const { confirmation_id } = wanted;
  if (confirmation_id === undefined) return start(parts, wanted);
  return parts.approvals.inTurn(confirmation_id, () => start(parts, wanted));
}

/** Asks verification and governance only, records a dry run and gives it. Throws what the gates throw. */
export async function simulate(parts: StartParts, wanted: WantedInstance): Promise<Simulation> {
  const request = requestOf(parts, wanted);
  const dry_run = await passDryRun(parts, request);
  return { execution_id: request.execution_id, dry_run };
}

/** What governance would say of a start, or verification where it denies; nothing is recorded and no trust changes. */
export function computeCheck(
  parts: Pick<StartParts, 'journal' | 'approvals' | 'verdicts' | 'now'>,
  wanted: WantedInstance,
): GateResult {
  return checkStart(parts, requestOf(parts, wanted));
}

/** Ends the passage through the gates, which records nothing then. */
class WithoutCode extends Error {
  readonly actions: readonly string[];

  constructor(actions: readonly string[]) {
    super('no code');
    this.actions = actions;
  }
}

/**
 * The instance, once it is durable: also where the workspace was closed meanwhile, and it goes on at the next opening.
 *
 * @throws `not_found` where there is no code for an action; nothing is recorded then.
 */
async function start(parts: StartParts, wanted: WantedInstance): Promise<string> {
  const request = requestOf(parts, wanted);
  const served = (plan: Plan): Plan => {
    const missing = withoutCode(actionsOf(plan), parts.host);
    if (missing.length > 0) throw new WithoutCode(missing);
    return plan;
  };
  const gated = { ...request, plan: () => served(request.plan()) };
  try {
    await passGates(parts, gated, allowed => begin(parts, wanted, request.execution_id, allowed));
  } catch (error) {
    throw error instanceof WithoutCode ? noCode(`The workflow '${nameOf(wanted)}'`, error.actions) : error;
  }
  return request.execution_id;
}

/** Starts what the gates have allowed; what they said is recorded also where it cannot be started. */
async function begin(
  { instances, journal }: StartParts,
  wanted: WantedInstance,
  execution_id: string,
  allowed: AllowedStart,
): Promise<void> {
  const { records } = allowed;
  let run: InstanceRun;
  try {
    run = runOf(instances, wanted, execution_id, allowed);
  } catch (error) {
    await journal.append({ records });
    throw error;
  }
  try {
    await run.start(records, wanted.request_key);
  } catch (error) {
    instances.drop(run);
    if (!isDurable(error)) throw error;
  }
}

function runOf(
  instances: Instances,
  { agent_id, context, resumes, max_parallel }: WantedInstance,
  execution_id: string,
  { plan, inputs, confirmation_id }: AllowedStart,
): InstanceRun {
  const why = resumes === undefined ? undefined : hindrance(instances, resumes.execution_id);
  if (why !== undefined)
    throw new ArsError('illegal_state', `The instance '${resumes?.execution_id}' ${why}.`, {
      details: { execution_id: resumes?.execution_id },
    });
  instances.keep(plan);
  return instances.create(
    plan,
    {
      execution_id,
      context_id: execution_id,
      agent_id,
      inputs,
      context,
      ...(resumes === undefined ? {} : { resumes: resumes.execution_id }),
      ...(confirmation_id === undefined ? {} : { confirmation_id }),
    },
    max_parallel,
  );
}

/** Why what an ended instance committed cannot be taken over now. */
function hindrance(instances: Instances, ended: string): string | undefined {
  if (instances.isInUse(ended)) return 'is resumed by one that has not ended';
  return instances.hasUndone(ended) ? 'had something undone' : undefined;
}

function nameOf({ workflow: { workflow } }: WantedInstance): string {
  return `${workflow.name}@${workflow.version}`;
}

function requestOf({ verdicts, now }: Pick<StartParts, 'verdicts' | 'now'>, wanted: WantedInstance): StartRequest {
  const { agent_id, workflow, inputs, context, resumes, confirmation_id, with_denial } = wanted;
  return {
    execution_id: newId(),
    agent_id,
    workflow,
    report: () => verdicts.of(workflow).report,
    inputs,
    context,
    plan: () => resumes?.plan ?? verdicts.of(workflow).plan(),
    confirmation_id,
    with_denial,
    now: now(),
  };
}

/**
 * Starts a new instance that takes over what an ended one committed, with its limit, and gives its execution_id. It passes
 * all gates, so where its safety level needs one it uses up a confirmation of its own, for the same documents and inputs.
 *
 * Throws `illegal_state` where the old one completed, is a child instance, had something undone, or is being resumed by one
 * that has not ended.
 *
 * @requirement IR1
 * @requirement IR2
 * @requirement IR3
 */
export async function resumeEnded(
  parts: StartParts,
  ended: string,
  { agent_id, confirmation_id }: Pick<WantedInstance, 'agent_id' | 'confirmation_id'>,
): Promise<string> {
  const { instances } = parts;
  const { resolved_digest = '', inputs = {}, context = {}, parent_execution_id } = instances.startOf(ended);
  const { status } = await instances.wait(ended, 0);
  const refuse = (why: string) =>
    new ArsError('illegal_state', `The instance '${ended}' ${why}; start the workflow anew.`, {
      details: { execution_id: ended, status },
    });
  if (status === 'completed') throw refuse('completed');
  if (parent_execution_id !== undefined) throw refuse('is a child instance, which is resumed with its root');
  const why = hindrance(instances, ended);
  if (why !== undefined) throw refuse(why);
  const plan = instances.planOf(resolved_digest);
  return startInstance(parts, {
    agent_id,
    workflow: plan.workflow,
    inputs,
    context,
    resumes: { execution_id: ended, plan },
    confirmation_id,
    max_parallel: instances.limitOf(ended),
  });
}
