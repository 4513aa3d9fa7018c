import type { CheckParams, DryRun, GateResult, Workflow } from '../../schemas/types.js';
import { Journal } from './audit/journal.js';
import type { Log } from './audit/log.js';
import { Definitions } from './definitions.js';
import { Approvals } from './governance/approvals.js';
import { riskOf } from './governance/safety.js';
import { computeCheck, readStart } from './starts.js';
import { Verdicts } from './verdicts.js';
import { planWorkflow } from './workflow/plan.js';

/** What the gates would say of a start. */
export interface StartPreview {
  /** What governance says, or verification where that denies. */
  readonly said: GateResult;
  /** What a confirmation would have to be for; absent where verification denies. */
  readonly risk?: DryRun;
}

/**
 * What the gates would say of a start at this time (RFC 3339), by what is in the log; nothing is recorded. Throws
 * `invalid_document` and `not_canonical` for a start that is none.
 */
export function previewStart(
  log: Log,
  params: CheckParams & { readonly workflow: Workflow },
  now: string,
): StartPreview {
  const journal = new Journal(log);
  const definitions = new Definitions(journal);
  const parts = {
    journal,
    definitions,
    verdicts: new Verdicts(definitions),
    approvals: new Approvals(journal),
    now: () => now,
  };
  const wanted = readStart('adapter/governance#check_params', params, parts);
  const said = computeCheck(parts, wanted);
  if (said.gate === 'verification') return { said };
  const plan = planWorkflow(wanted.workflow, definitions.actionsOf, definitions.workflowsOf);
  return { said, risk: riskOf(plan, wanted.inputs) };
}
