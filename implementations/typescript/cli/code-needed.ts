import { ArsError } from '../error.js';
import { type ResolvedAction, withoutCode } from '../execution/action-table.js';
import { type ActionFunctions, codeOf, hostFunctions } from '../execution/functions.js';
import { actionsOf, planWorkflow } from '../workflow/plan.js';
import { sourceOf, workflowsOf } from '../workflow/resolve.js';
import type { RunDocuments } from './run-files.js';

/**
 * Asks for the code of all that the nodes of a workflow can come to execute, before a workspace is made; gives a line for
 * each probe that will not be asked, or answers nothing.
 *
 * Throws `usage` for what has none. Of a workflow that cannot be resolved the start itself says what is wrong.
 */
export function requireCode(documents: RunDocuments, functions: ActionFunctions): readonly string[] {
  const actions = actionsNeeded(documents);
  const missing = withoutCode(actions, hostFunctions(functions));
  if (missing.length === 0) return probesAmiss(actions, functions);
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

function actionsNeeded({ workflow, known }: RunDocuments): readonly ResolvedAction[] {
  try {
    return actionsOf(planWorkflow(workflow, sourceOf(known.actions), workflowsOf(known.workflows)));
  } catch (error) {
    if (error instanceof ArsError) return [];
    throw error;
  }
}

/** Where contract and code do not agree on a probe, which only a crash would show. */
function probesAmiss(actions: readonly ResolvedAction[], functions: ActionFunctions): string[] {
  const told = new Map<string, string>();
  for (const { key, action } of actions) {
    const hasProbe = typeof codeOf(functions, action) === 'object';
    if (hasProbe === (action.probe === true)) continue;
    told.set(
      key,
      hasProbe
        ? `${key} has a probe, which is never asked: its contract does not say probe: true`
        : `${key} says probe: true, and its code has none, so that after a crash the answer is unknown; give { invoke, probe }`,
    );
  }
  return [...told.values()];
}
