import { ArsError } from '../error.js';
import { withoutCode } from '../execution/action-table.js';
import { type ActionFunctions, hostFunctions } from '../execution/functions.js';
import { actionsOf, planWorkflow } from '../workflow/plan.js';
import { sourceOf, workflowsOf } from '../workflow/resolve.js';
import type { RunDocuments } from './run-files.js';

/**
 * Asks for the code of all that the nodes of a workflow can come to execute, before a workspace is made.
 *
 * Throws `usage` for what has none. Of a workflow that cannot be resolved the start itself says what is wrong.
 */
export function requireCode(documents: RunDocuments, functions: ActionFunctions): void {
  const missing = codeMissing(documents, functions);
  if (missing.length === 0) return;
  const named = Object.keys(functions);
  const there = named.length === 0 ? 'there is no module of actions' : `there is code for ${named.join(', ')}`;
  const [one] = missing;
  const wanted =
    missing.length === 1 ? `the action "${one}"` : `the actions ${missing.map(key => `"${key}"`).join(', ')}`;
  throw new ArsError(
    'usage',
    `"${documents.file}" uses ${wanted}, and ${there}; give it with --actions FILE or put actions.mjs beside the workflow`,
    { details: { actions: missing } },
  );
}

function codeMissing({ workflow, known }: RunDocuments, functions: ActionFunctions): string[] {
  try {
    const plan = planWorkflow(workflow, sourceOf(known.actions), workflowsOf(known.workflows));
    return withoutCode(actionsOf(plan), hostFunctions(functions));
  } catch (error) {
    if (error instanceof ArsError) return [];
    throw error;
  }
}
