import { isValid } from '../../../schemas/index.js';
import { ArsError } from '../error.js';
import { type Plan, planWorkflow } from '../workflow/plan.js';
import { sourceOf, workflowsOf } from '../workflow/resolve.js';
import { collect } from './collect.js';

/**
 * Gives the plans of the workflows in files and of their skills, by the digest of their resolved documents. One that
 * cannot be resolved is left out. Throws `usage` for a file that cannot be read.
 */
export async function plansOfFiles(files: readonly string[]): Promise<ReadonlyMap<string, Plan>> {
  const plans = new Map<string, Plan>();
  if (files.length === 0) return plans;
  const { documents, registry, problems } = await collect(files.map(file => ({ file, named: true })));
  if (problems.length > 0) throw new ArsError('usage', problems.join('; '));
  const inFiles = documents.flatMap(({ value }) => (isValid('workflow', value) ? [value] : []));
  const workflows = workflowsOf([...(registry?.workflows ?? []), ...inFiles]);
  const actions = sourceOf(registry?.actions ?? []);
  for (const workflow of [...inFiles, ...(registry?.workflows ?? [])]) {
    const plan = resolved(() => planWorkflow(workflow, actions, workflows));
    for (const member of plan === undefined ? [] : [plan, ...plan.skills]) plans.set(member.resolved_digest, member);
  }
  return plans;
}

function resolved(plan: () => Plan): Plan | undefined {
  try {
    return plan();
  } catch (error) {
    if (error instanceof ArsError) return undefined;
    throw error;
  }
}
