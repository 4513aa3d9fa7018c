import type { Action, Determinism, Edge, Node, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { type ActionTable, type ResolvedAction, undoReference } from '../execution/action-table.js';
import { type ActionContract, actionKey, compileContract } from '../execution/contract.js';
import { compileSchema, type SchemaCheck } from '../execution/json-schema.js';
import { digest } from '../state/canonical.js';
import { nonAncestors, type Reading } from './ancestry.js';
import { dominatingErrors, retriedNodes } from './error-nodes.js';
import { buildGraph, type Graph } from './graph.js';
import { compileMapping, type Mapping } from './mapping.js';
import {
  type ActionSource,
  type Resolution,
  type ResolvedDocuments,
  resolvedDocuments,
  resolveReferences,
  skillsFirst,
  sourceOf,
  type WorkflowSource,
  workflowKey,
  workflowsOf,
} from './resolve.js';
import { compileNamed, compileStep, type PlanStep, readsError, readsOf } from './step.js';

export type { ActionStep, ConditionStep, PlanStep, RetryStep, SkillStep } from './step.js';

const DETERMINISM: readonly Determinism[] = ['deterministic', 'conditionally_deterministic', 'non_deterministic'];

/** A workflow of which every reference is resolved and every expression and mapping compiled. */
export interface Plan {
  readonly workflow: Workflow;
  /** name@version. */
  readonly workflow_id: string;
  readonly resolved: ResolvedDocuments;
  readonly resolved_digest: string;
  readonly graph: Graph<Node, Edge>;
  /** What node i of the graph does. */
  readonly steps: readonly PlanStep[];
  /** The retrying error node that takes up the failure of node i; -1 where none does. */
  readonly retriers: Int32Array;
  /** The error node whose `error` node i reads: itself, or the nearest that dominates it; -1 where there is none. */
  readonly handlers: Int32Array;
  /** What its own nodes can come to execute; see {@link actionsOf} for what is in its skills. */
  readonly actions: ActionTable;
  /** The plans of all skills that it runs, and that these run, each once. */
  readonly skills: readonly Plan[];
  /** The worst of what it executes. */
  readonly determinism: Determinism;
  readonly outputs: Mapping;
  readonly inputChecks: ReadonlyMap<string, SchemaCheck>;
}

const NO_HANDLERS = new Int32Array(0);

/**
 * Returns the plan of a workflow that passed verification, its references resolved now, those of its skills included.
 *
 * Throws `not_found` for references that nothing satisfies, and `expression_invalid`, `mapping_invalid` or
 * `invalid_document` for what cannot be compiled.
 */
export function planWorkflow(workflow: Workflow, registry: ActionSource, workflows: WorkflowSource = () => []): Plan {
  const plans = new Map<Workflow, Plan>();
  for (const { workflow: next, skills } of skillsFirst(workflow, workflows))
    plans.set(
      next,
      planOne(next, registry, reference => plans.get(skills.get(reference) as Workflow)),
    );
  return plans.get(workflow) as Plan;
}

function planOne(workflow: Workflow, registry: ActionSource, skill: (reference: string) => Plan | undefined): Plan {
  const resolution = resolveReferences(workflow, registry);
  const graph = buildGraph(workflow);
  const actions = compileActions(resolution);
  const retried = retriedNodes(graph);
  const target = (node: number) => retried.targets[node] as number;
  const parts = { resolution, actions, skill, target, expressions: new Map() };
  const steps = workflow.nodes.map((node, index) => compileStep(node, index, parts));
  const skills = new Set(steps.flatMap(step => (step.kind === 'skill' ? [step.plan] : [])));
  const resolved = resolvedDocuments(
    workflow,
    resolution,
    [...skills].map(plan => plan.resolved),
  );
  checkReadings(graph, steps);
  return {
    workflow,
    workflow_id: workflowKey(workflow),
    resolved,
    resolved_digest: digest(resolved),
    graph,
    steps,
    retriers: retried.retriers,
    handlers: steps.some(readsError) ? dominatingErrors(graph) : NO_HANDLERS,
    actions,
    skills: closureOf(skills),
    determinism: worstOf(steps),
    outputs: compileNamed(() => compileMapping(workflow.outputs ?? {}), 'outputs'),
    inputChecks: compileInputs(workflow),
  };
}

function closureOf(skills: ReadonlySet<Plan>): readonly Plan[] {
  return [...new Set([...skills].flatMap(plan => [plan, ...plan.skills]))];
}

/**
 * The worst determinism of what the nodes execute.
 *
 * @requirement SN3
 */
function worstOf(steps: readonly PlanStep[]): Determinism {
  let worst = 0;
  for (const step of steps) {
    if (step.kind === 'action') worst = Math.max(worst, DETERMINISM.indexOf(step.action.action.determinism));
    else if (step.kind === 'skill') worst = Math.max(worst, DETERMINISM.indexOf(step.plan.determinism));
  }
  return DETERMINISM[worst] as Determinism;
}

/** Every action that an instance of the plan can come to execute, in its skills, too. */
export function actionsOf({ actions, skills }: Plan): readonly ResolvedAction[] {
  return [...actions.values(), ...skills.flatMap(plan => [...plan.actions.values()])];
}

/**
 * Returns the plan of documents that were resolved before.
 *
 * Throws `log_corrupt` where they do not have the digest that the log names.
 */
export function planResolved(resolved: ResolvedDocuments, resolved_digest: string): Plan {
  const plan = planWorkflow(resolved.workflow, sourceOf(resolved.actions), workflowsOf(resolved.workflows));
  if (plan.resolved_digest !== resolved_digest)
    throw new ArsError(
      'log_corrupt',
      `The resolved documents have the digest ${plan.resolved_digest}, not ${resolved_digest}.`,
      {
        details: { expected: resolved_digest, actual: plan.resolved_digest },
      },
    );
  return plan;
}

/**
 * The inputs of an instance: those given, and the defaults of the others.
 *
 * Throws `invalid_document` (details {input}) for one that is unknown or missing, and for one that does not fit its
 * schema, a default included.
 *
 * @requirement EB1
 */
export function bindInputs(
  plan: Pick<Plan, 'workflow' | 'workflow_id' | 'inputChecks'>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const declared = plan.workflow.inputs ?? {};
  const refuse = (input: string, problem: string, subject = 'input') =>
    new ArsError('invalid_document', `The ${subject} '${input}' of ${plan.workflow_id} ${problem}.`, {
      details: { input },
    });
  for (const name of Object.keys(given)) if (!Object.hasOwn(declared, name)) throw refuse(name, 'is not declared');
  const bound: [string, unknown][] = [];
  for (const [name, input] of Object.entries(declared)) {
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? given[name] : input.default;
    if (!isGiven && value === undefined) {
      if (input.required !== false) throw refuse(name, 'is required and missing');
      continue;
    }
    const misfit = plan.inputChecks.get(name)?.(value);
    if (misfit !== undefined)
      throw refuse(name, `does not fit its schema: ${misfit}`, isGiven ? 'input' : 'default of the input');
    bound.push([name, value]);
  }
  return Object.fromEntries(bound);
}

/** The inputs given with the defaults of the others filled in, whether they fit or not; what inputs_digest is of. */
export function withDefaults(plan: Plan, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const declared = Object.entries(plan.workflow.inputs ?? {});
  const defaults = declared.filter(([name, input]) => input.default !== undefined && !Object.hasOwn(given, name));
  return Object.fromEntries([...Object.entries(given), ...defaults.map(([name, input]) => [name, input.default])]);
}

function compileActions(resolution: Resolution): ActionTable {
  const table = new Map<string, ResolvedAction>();
  for (const action of resolution.values()) {
    const key = actionKey(action);
    if (table.has(key)) continue;
    const reference = undoReference(action);
    const undo = reference === undefined ? undefined : resolution.get(reference);
    const contract: ActionContract = contractOf(action);
    table.set(key, undo === undefined ? contract : { ...contract, undo: actionKey(undo) });
  }
  return table;
}

const CONTRACTS_KEPT = 1024;
const contracts = new Map<string, ActionContract>();

/** The compiled contract, kept from one plan to the next: compiling schemas is what a plan spends its time on. */
function contractOf(action: Action): ActionContract {
  const key = digest(action);
  const known = contracts.get(key);
  if (known !== undefined) return known;
  const contract = compileContract(action);
  if (contracts.size >= CONTRACTS_KEPT) contracts.clear();
  contracts.set(key, contract);
  return contract;
}

/** A node reads its ancestors only: of any other node, timing would decide whether it has outputs. */
function checkReadings(graph: Graph<Node, Edge>, steps: readonly PlanStep[]): void {
  const readings: (Reading & { name: string })[] = [];
  steps.forEach((step, reader) => {
    for (const name of new Set(readsOf(step))) {
      const source = graph.indexOf(name);
      if (source < 0) throw notAncestor(step.node_id, name);
      readings.push({ reader, source, name });
    }
  });
  const [wrong] = nonAncestors(graph, readings);
  if (wrong !== undefined) throw notAncestor((steps[wrong.reader] as PlanStep).node_id, wrong.name);
}

function notAncestor(node_id: string, reference: string): ArsError {
  return new ArsError(
    'mapping_invalid',
    `The node '${node_id}' reads '${reference}', which is not an ancestor of it.`,
    {
      details: { node_id, reference },
    },
  );
}

/** The checks of a workflow's inputs, by name. Throws `invalid_document` for a schema that cannot be compiled. */
export function compileInputs(workflow: Workflow): ReadonlyMap<string, SchemaCheck> {
  return new Map(
    Object.entries(workflow.inputs ?? {}).map(([name, input]) => [
      name,
      compileSchema(input.schema, `schema of input ${name}`),
    ]),
  );
}
