import type {
  Agent,
  ApproveParams,
  CheckParams,
  DryRun,
  GateResult,
  Permission,
  Policy,
  Workflow,
} from '../../schemas/types.js';
import { ArsError } from './error.js';
import { findAgent, grant, registerAgent, revoke } from './governance/agents.js';
import { putPolicy } from './governance/policies.js';
import { causesOf, type RiskCause, riskOf } from './governance/safety.js';
import { newId } from './new-id.js';
import { checked, checkedWorkflow, checkMembers, checkNames } from './parameters.js';
import type { RuntimeParts } from './runtime-parts.js';
import { RuntimeRegistry } from './runtime-registry.js';
import { computeCheck, readStart } from './starts.js';
import { planWorkflow } from './workflow/plan.js';

/** Who may do what in a workspace: agents, permissions, policies, confirmations, and what a start would meet. */
export class RuntimeGovernance extends RuntimeRegistry {
  readonly #parts: RuntimeParts;

  /** @internal */
  protected constructor(parts: RuntimeParts) {
    super(parts);
    this.#parts = parts;
  }

  /**
   * The agent as it is registered; undefined where it is not.
   *
   * @example
   * ```ts
   * const trust = runtime.agent('ada')?.trust ?? 'UNKNOWN';
   * ```
   */
  agent(agent_id: string): Agent | undefined {
    checkNames({ agent_id });
    return findAgent(this.#parts.journal.log, agent_id);
  }

  /**
   * Makes an agent known or replaces it. Throws `denied` unless `by` holds governance:grant, and `invalid_document`.
   *
   * @example
   * ```ts
   * await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
   * ```
   */
  async registerAgent(agent: Agent, by: string): Promise<void> {
    this.#parts.admission.demand();
    const params = checked('adapter/governance#register_agent_params', { agent, by });
    await registerAgent(this.#parts.journal, params, { now: this.#parts.now(), newId });
  }

  /**
   * Grants a permission and gives its permission_id. Throws `denied`, `conflict`, `invalid_document`.
   *
   * @example
   * ```ts
   * const permission_id = await runtime.grant({
   *   domain: 'execution',
   *   actions: ['execute'],
   *   granted_to: 'ada',
   *   granted_by: OWNER,
   * });
   * ```
   */
  async grant(permission: Permission): Promise<string> {
    this.#parts.admission.demand();
    return grant(this.#parts.journal, checked('permission', permission), { now: this.#parts.now(), newId });
  }

  /**
   * Takes a permission back. Throws `not_found`, `denied`.
   *
   * @example
   * ```ts
   * await runtime.revoke(permission_id, OWNER);
   * ```
   */
  async revoke(permission_id: string, by: string): Promise<void> {
    this.#parts.admission.demand();
    checkNames({ permission_id, by });
    await revoke(this.#parts.journal, permission_id, by, this.#parts.now());
  }

  /**
   * Keeps a version of a policy, for every decision from here on; of one that is there only `active` can change.
   *
   * Throws `denied` unless `by` holds governance:write, `invalid_document`, and `conflict` for a version that is there with
   * other content.
   *
   * @requirement I4
   * @example
   * ```ts
   * await runtime.putPolicy(
   *   {
   *     policy_id: 'no-strangers',
   *     version: '1.0.0',
   *     level: 1,
   *     effect: 'deny',
   *     scope: 'hello',
   *     condition: 'inputs.name == "Mallory"',
   *   },
   *   OWNER,
   * );
   * ```
   */
  async putPolicy(policy: Policy, by: string): Promise<void> {
    this.#parts.admission.demand();
    const params = checked('adapter/governance#put_policy_params', { policy, by });
    await putPolicy(this.#parts.journal, params, this.#parts.now());
  }

  /**
   * What governance would say of a start, or verification where that denies first. Nothing is recorded and no trust
   * changes. Throws `not_found` for an unknown workflow_id.
   *
   * @example
   * ```ts
   * const { decision, reasons } = runtime.check({ workflow, inputs: { name: 'Mallory' }, agent_id: 'ada' });
   * for (const { code, message } of reasons) console.log(code, message);
   * ```
   */
  check(params: CheckParams): GateResult {
    this.#parts.admission.demand();
    return computeCheck(this.#parts, readStart('adapter/governance#check_params', params, this.#parts));
  }

  /**
   * What a confirmation to resume an instance, or to start a workflow with these inputs, has to be for. Throws what resolving
   * it throws, and `not_found` for an execution_id that is no instance.
   *
   * @example
   * ```ts
   * const { safety_level, resolved_digest, inputs_digest } = runtime.risk({ workflow: letter, inputs: {} });
   * ```
   */
  risk(target: string | { readonly workflow: Workflow; readonly inputs: Readonly<Record<string, unknown>> }): DryRun {
    const { instances, definitions } = this.#parts;
    if (typeof target !== 'string') {
      checkMembers('question of risk', target ?? null);
      const { workflow, inputs } = target;
      const plan = planWorkflow(checkedWorkflow(workflow), definitions.actionsOf, definitions.workflowsOf);
      if (inputs !== undefined) return riskOf(plan, inputs);
      throw new ArsError('invalid_document', 'The risk of a workflow needs its "inputs", as an object.');
    }
    checkNames({ execution_id: target });
    const { resolved_digest = '', inputs = {} } = instances.startOf(target);
    return riskOf(instances.planOf(resolved_digest), inputs);
  }

  /**
   * The nodes that give a workflow, or the one of an instance, its safety level; none where it is SAFE. Throws what
   * resolving it throws, and `not_found` for an execution_id that is no instance.
   *
   * @example
   * ```ts
   * for (const { node_id, action_id, level } of runtime.causes(letter)) console.log(node_id, action_id, level);
   * ```
   */
  causes(target: Workflow | string): readonly RiskCause[] {
    const { instances, definitions } = this.#parts;
    if (typeof target !== 'string')
      return causesOf(planWorkflow(checkedWorkflow(target), definitions.actionsOf, definitions.workflowsOf));
    checkNames({ execution_id: target });
    return causesOf(instances.planOf(instances.startOf(target).resolved_digest ?? ''));
  }

  /**
   * Records a confirmation, which one start can use up, and gives its confirmation_id.
   *
   * Throws `denied` unless the approver is registered, another agent than the one that may start, and holds
   * approval:grant; `conflict` where the name is taken.
   *
   * @requirement MS1
   * @example
   * ```ts
   * await runtime.start({ workflow: letter, inputs: {}, agent_id: OWNER, dry_run: true });
   * const confirmation_id = await runtime.approve({
   *   resolved_digest,
   *   inputs_digest,
   *   agent_id: OWNER,
   *   approver: 'eve',
   *   expires_at: '2099-01-01T00:00:00.000Z',
   * });
   * const sent = await runtime.start({ workflow: letter, inputs: {}, agent_id: OWNER, confirmation_id });
   * ```
   */
  async approve(params: ApproveParams): Promise<string> {
    this.#parts.admission.demand();
    const wanted = checked('adapter/governance#approve_params', params);
    return this.#parts.approvals.approve(wanted, { now: this.#parts.now(), newId });
  }
}
