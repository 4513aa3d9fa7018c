import type { VerificationReport, Workflow } from '../../schemas/types.js';
import type { Definitions } from './definitions.js';
import { canonicalize } from './state/canonical.js';
import { verify } from './verification/index.js';
import { type Plan, planWorkflow } from './workflow/plan.js';

/** What verification says of a workflow, and its plan. */
interface Verdict {
  readonly report: VerificationReport;
  /** Throws what {@link planWorkflow} throws. */
  readonly plan: () => Plan;
}

/** How many workflows are remembered, and up to how many characters of canonical form. */
const KEPT = 64;
const LONGEST = 256 * 1024;

/**
 * What verification says of workflows that are started again and again: a verdict depends on nothing but the workflow and
 * the registry, so it is kept while these stay as they are.
 *
 * @requirement VII1
 */
export class Verdicts {
  readonly #definitions: Definitions;
  readonly #kept = new Map<string, Verdict>();
  #revision = -1;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  of(workflow: Workflow): Verdict {
    if (this.#revision !== this.#definitions.revision) {
      this.#kept.clear();
      this.#revision = this.#definitions.revision;
    }
    const text = canonicalize(workflow);
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const verdict = this.#judge(workflow);
    if (text.length > LONGEST) return verdict;
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(text, verdict);
    return verdict;
  }

  #judge(workflow: Workflow): Verdict {
    const { actionsOf, workflowsOf } = this.#definitions;
    const report = verify(workflow, this.#definitions.registry());
    let plan: Plan | undefined;
    return {
      report,
      plan: () => {
        plan ??= planWorkflow(workflow, actionsOf, workflowsOf);
        return plan;
      },
    };
  }
}
