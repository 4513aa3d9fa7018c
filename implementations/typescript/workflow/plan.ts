import type {
  Action,
  ActionNode,
  ConditionNode,
  Edge,
  ErrorNode,
  Node,
  TerminalStatus,
  Workflow,
} from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { type ActionTable, type ResolvedAction, undoReference } from '../execution/action-table.js';
import { type ActionContract, actionKey, compileContract } from '../execution/contract.js';
import { compileExpression, type Expression } from '../execution/expression.js';
import { compileSchema, type SchemaCheck } from '../execution/json-schema.js';
import type { RetryTerms } from '../execution/retry.js';
import { digest } from '../state/canonical.js';
import { nonAncestors, type Reading } from './ancestry.js';
import { dominatingErrors, retriedNodes } from './error-nodes.js';
import { buildGraph, type Graph } from './graph.js';
import { compileMapping, type Mapping, type Reference } from './mapping.js';
import {
  type ActionSource,
  type Resolution,
  type ResolvedDocuments,
  resolvedDocuments,
  resolveReferences,
  sourceOf,
} from './resolve.js';

/** A node that executes an action: an action node, or an error node with compensate_ref. */
export interface ActionStep {
  readonly kind: 'action';
  readonly node_id: string;
  /** Whether it is an error node, whose own failure only a failure edge handles. */
  readonly handles: boolean;
  readonly action: ResolvedAction;
  readonly inputs: Mapping;
  /** Absent: the outputs of the node are the whole result. */
  readonly outputs?: Mapping;
  readonly retry: RetryTerms;
  readonly timeout_ms?: number;
}

/** A node that chooses an out-edge. */
export interface ConditionStep {
  readonly kind: 'condition';
  readonly node_id: string;
  readonly expression: Expression;
  /** The nodes whose outputs the expression reads. */
  readonly reads: readonly string[];
}

/** A node that ends a path. */
export interface TerminalStep {
  readonly kind: 'terminal';
  readonly node_id: string;
  readonly status: TerminalStatus;
}

/** An error node that executes the failed node again. */
export interface RetryStep {
  readonly kind: 'retry';
  readonly node_id: string;
  /** The index of the node whose action it executes; -1 where that is none. */
  readonly target: number;
  readonly max_attempts: number;
  readonly backoff_ms: number;
}

/** An error node that undoes what the instance has committed. */
export interface UndoStep {
  readonly kind: 'undo';
  readonly node_id: string;
}

/** An error node that marks the instance failed. */
export interface FailStep {
  readonly kind: 'fail';
  readonly node_id: string;
}

export type PlanStep = ActionStep | ConditionStep | TerminalStep | RetryStep | UndoStep | FailStep;

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
  readonly actions: ActionTable;
  readonly outputs: Mapping;
  readonly inputChecks: ReadonlyMap<string, SchemaCheck>;
}

const NO_HANDLERS = new Int32Array(0);

/**
 * Returns the plan of a workflow that passed verification, its references resolved now.
 *
 * Throws `unsupported` for node types that this runtime does not execute, `not_found` for references that nothing
 * satisfies, and `expression_invalid`, `mapping_invalid` or `invalid_document` for what cannot be compiled.
 */
export function planWorkflow(workflow: Workflow, registry: ActionSource): Plan {
  const resolution = resolveReferences(workflow, registry);
  const resolved = resolvedDocuments(workflow, resolution);
  const graph = buildGraph(workflow);
  const actions = compileActions(resolution);
  const expressions = new Map<string, Expression>();
  const retried = retriedNodes(graph);
  const steps = workflow.nodes.map((node, index) => {
    if (node.type !== 'error') return compileStep(node, resolution, actions, expressions);
    return compileErrorNode(node, resolution, actions, retried.targets[index] as number);
  });
  checkReadings(graph, steps);
  return {
    workflow,
    workflow_id: `${workflow.workflow.name}@${workflow.workflow.version}`,
    resolved,
    resolved_digest: digest(resolved),
    graph,
    steps,
    retriers: retried.retriers,
    handlers: steps.some(readsError) ? dominatingErrors(graph) : NO_HANDLERS,
    actions,
    outputs: compileNamed(() => compileMapping(workflow.outputs ?? {}), 'outputs'),
    inputChecks: compileInputs(workflow),
  };
}

/**
 * Returns the plan of documents that were resolved before.
 *
 * Throws `log_corrupt` where they do not have the digest that the log names.
 */
export function planResolved(resolved: ResolvedDocuments, resolved_digest: string): Plan {
  const plan = planWorkflow(resolved.workflow, sourceOf(resolved.actions));
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
 * Throws `invalid_document` (details {input}) for one that is unknown, missing, or does not fit its schema.
 *
 * @requirement EB1
 */
export function bindInputs(plan: Plan, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const declared = plan.workflow.inputs ?? {};
  const refuse = (input: string, problem: string) =>
    new ArsError('invalid_document', `The input '${input}' of ${plan.workflow_id} ${problem}.`, { details: { input } });
  for (const name of Object.keys(given)) if (!Object.hasOwn(declared, name)) throw refuse(name, 'is not declared');
  const bound: [string, unknown][] = [];
  for (const [name, input] of Object.entries(declared)) {
    if (!Object.hasOwn(given, name)) {
      if (input.default !== undefined) bound.push([name, input.default]);
      else if (input.required !== false) throw refuse(name, 'is required and missing');
      continue;
    }
    const misfit = plan.inputChecks.get(name)?.(given[name]);
    if (misfit !== undefined) throw refuse(name, `does not fit its schema: ${misfit}`);
    bound.push([name, given[name]]);
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

function compileStep(
  node: Node,
  resolution: Resolution,
  actions: ActionTable,
  expressions: Map<string, Expression>,
): PlanStep {
  switch (node.type) {
    case 'action':
      return compileActionNode(node, node.action_def, resolution, actions);
    case 'condition':
      return compileCondition(node, expressions);
    case 'terminal':
      return { kind: 'terminal', node_id: node.node_id, status: node.status };
    default:
      throw new ArsError(
        'unsupported',
        `The node '${node.node_id}' is of type ${node.type}, which this runtime does not execute.`,
        {
          details: { node_id: node.node_id, type: node.type },
        },
      );
  }
}

function compileErrorNode(node: ErrorNode, resolution: Resolution, actions: ActionTable, target: number): PlanStep {
  const { node_id, handling, compensate_ref, max_attempts = 1, backoff_ms = 0 } = node;
  if (handling === 'retry') return { kind: 'retry', node_id, target, max_attempts, backoff_ms };
  if (handling === 'fail') return { kind: 'fail', node_id };
  if (handling === 'rollback' || compensate_ref === undefined) return { kind: 'undo', node_id };
  return compileActionNode(node, compensate_ref, resolution, actions);
}

function compileActionNode(
  node: ActionNode | ErrorNode,
  reference: string,
  resolution: Resolution,
  actions: ActionTable,
): ActionStep {
  const definition = resolution.get(reference);
  const action = definition === undefined ? undefined : actions.get(actionKey(definition));
  if (action === undefined) throw new ArsError('internal', `The node '${node.node_id}' has no resolved action.`);
  const { output_mapping } = node;
  const { retry_policy, timeout_ms } = node.type === 'action' ? node : {};
  const limits = [timeout_ms, action.action.timeout_ms].filter(limit => limit !== undefined);
  return {
    kind: 'action',
    node_id: node.node_id,
    handles: node.type === 'error',
    action,
    inputs: compileNamed(() => compileMapping(node.input_mapping ?? {}), `input_mapping of '${node.node_id}'`),
    ...(output_mapping === undefined
      ? {}
      : { outputs: compileNamed(() => compileMapping(output_mapping), `output_mapping of '${node.node_id}'`) }),
    retry: {
      determinism: action.action.determinism,
      ...(retry_policy === undefined ? {} : { policy: retry_policy }),
    },
    ...(limits.length === 0 ? {} : { timeout_ms: Math.min(...limits) }),
  };
}

/** Equal expressions are compiled once; generated workflows repeat theirs. */
function compileCondition(node: ConditionNode, expressions: Map<string, Expression>): ConditionStep {
  const place = `expression of '${node.node_id}'`;
  let expression = expressions.get(node.expression);
  if (expression === undefined) {
    expression = compileNamed(() => compileExpression(node.expression), place);
    expressions.set(node.expression, expression);
  }
  const reads = new Set<string>();
  for (const [root, node_id] of expression.references) {
    if (root !== 'nodes') continue;
    if (node_id === undefined)
      throw new ArsError('expression_invalid', `The ${place} reads all nodes; it must name the node that it reads.`, {
        details: { node_id: node.node_id },
      });
    reads.add(node_id);
  }
  return { kind: 'condition', node_id: node.node_id, expression, reads: [...reads] };
}

/** Which nodes a step reads the outputs of. */
function readsOf(step: PlanStep): readonly string[] {
  if (step.kind === 'condition') return step.reads;
  if (step.kind !== 'action') return [];
  return referencesOf(step)
    .filter(({ path }) => path[0] === 'nodes')
    .map(({ path }) => path[1] ?? '');
}

function referencesOf({ inputs, outputs }: ActionStep): readonly Reference[] {
  return [...inputs.references, ...(outputs?.references ?? [])];
}

function readsError(step: PlanStep): boolean {
  if (step.kind === 'condition') return step.expression.references.some(([root]) => root === 'error');
  return step.kind === 'action' && referencesOf(step).some(({ path }) => path[0] === 'error');
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

function compileInputs(workflow: Workflow): ReadonlyMap<string, SchemaCheck> {
  return new Map(
    Object.entries(workflow.inputs ?? {}).map(([name, input]) => [
      name,
      compileSchema(input.schema, `schema of input ${name}`),
    ]),
  );
}

function compileNamed<T>(compile: () => T, place: string): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    throw new ArsError(error.code, `The ${place} cannot be used: ${error.message}`, {
      details: { ...error.details, place },
      cause: error,
    });
  }
}
