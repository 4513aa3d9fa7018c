import type { VerificationReport, Workflow } from '../../schemas/types.js';
import type { Definitions } from './definitions.js';
import { canonicalOf } from './parameters.js';
import { verify } from './verification/index.js';
import { type Plan, planWorkflow } from './workflow/plan.js';

/** What verification says of a workflow, and its plan. */
interface Verdict {
  readonly workflow: Workflow;
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
  /** The canonical forms of copies. */
  readonly #texts = new WeakMap<Workflow, string>();
  #revision = -1;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /**
   * A copy of a workflow as its canonical form says it, the same one for each that is equal; nobody changes it. Throws
   * `not_canonical`.
   */
  copyOf(workflow: Workflow): Workflow {
    const text = canonicalOf(workflow);
    const copy = this.#find(text)?.workflow ?? (JSON.parse(text) as Workflow);
    this.#texts.set(copy, text);
    return copy;
  }

  of(workflow: Workflow): Verdict {
    const text = this.#texts.get(workflow) ?? canonicalOf(workflow);
    const known = this.#find(text);
    if (known !== undefined) return known;
    const verdict = this.#judge(workflow);
    if (text.length > LONGEST) return verdict;
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(text, verdict);
    return verdict;
  }

  #find(text: string): Verdict | undefined {
    if (this.#revision !== this.#definitions.revision) {
      this.#kept.clear();
      this.#revision = this.#definitions.revision;
    }
    return this.#kept.get(text);
  }

  #judge(workflow: Workflow): Verdict {
    const { actionsOf, workflowsOf } = this.#definitions;
    const report = verify(workflow, this.#definitions.registry());
    let plan: Plan | undefined;
    return {
      workflow,
      report,
      plan: () => {
        plan ??= planWorkflow(workflow, actionsOf, workflowsOf);
        return plan;
      },
    };
  }
}
