import type { ActionNode, ConditionNode, ErrorNode, Node, SkillNode, TerminalStatus } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { ActionTable, ResolvedAction } from '../execution/action-table.js';
import { actionKey } from '../execution/contract.js';
import { compileExpression, type Expression } from '../execution/expression.js';
import type { RetryTerms } from '../execution/retry.js';
import { compileMapping, type Mapping, type Reference } from './mapping.js';
import type { Plan } from './plan.js';
import type { Resolution } from './resolve.js';

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

/** A node that runs another workflow as a child instance. */
export interface SkillStep {
  readonly kind: 'skill';
  readonly node_id: string;
  readonly plan: Plan;
  readonly inputs: Mapping;
  /** Absent: the outputs of the node are those of the workflow. */
  readonly outputs?: Mapping;
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
  /** The outputs of the node; absent: by the mapping of the node whose action it executes. */
  readonly outputs?: Mapping;
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

export type PlanStep = ActionStep | SkillStep | ConditionStep | TerminalStep | RetryStep | UndoStep | FailStep;

/** What compiling a node draws on. */
export interface StepParts {
  readonly resolution: Resolution;
  readonly actions: ActionTable;
  /** The plan that a workflow_ref resolves to. */
  readonly skill: (reference: string) => Plan | undefined;
  /** The node whose action a retrying error node executes; -1 where there is none. */
  readonly target: (node: number) => number;
  /** Equal expressions are compiled once; generated workflows repeat theirs. */
  readonly expressions: Map<string, Expression>;
}

/** Returns what node `index` does. Throws `expression_invalid` and `mapping_invalid`. */
export function compileStep(node: Node, index: number, parts: StepParts): PlanStep {
  switch (node.type) {
    case 'action':
      return compileActionNode(node, node.action_def, parts);
    case 'condition':
      return compileCondition(node, parts.expressions);
    case 'terminal':
      return { kind: 'terminal', node_id: node.node_id, status: node.status };
    case 'skill':
      return compileSkillNode(node, parts);
    default:
      return compileErrorNode(node, parts.target(index), parts);
  }
}

function compileErrorNode(node: ErrorNode, target: number, parts: StepParts): PlanStep {
  const { node_id, handling, compensate_ref, max_attempts = 1, backoff_ms = 0 } = node;
  if (handling === 'retry')
    return { kind: 'retry', node_id, target, max_attempts, backoff_ms, ...compileOutputs(node) };
  if (handling === 'fail') return { kind: 'fail', node_id };
  if (handling === 'rollback' || compensate_ref === undefined) return { kind: 'undo', node_id };
  return compileActionNode(node, compensate_ref, parts);
}

function compileSkillNode(node: SkillNode, parts: StepParts): SkillStep {
  const plan = parts.skill(node.workflow_ref);
  if (plan === undefined) throw new ArsError('internal', `The node '${node.node_id}' has no resolved workflow.`);
  return { kind: 'skill', node_id: node.node_id, plan, ...compileMappings(node) };
}

function compileMappings(node: ActionNode | ErrorNode | SkillNode) {
  const { node_id, input_mapping } = node;
  const inputs = compileNamed(() => compileMapping(input_mapping ?? {}), `input_mapping of '${node_id}'`);
  return { inputs, ...compileOutputs(node) };
}

function compileOutputs({ node_id, output_mapping }: ActionNode | ErrorNode | SkillNode): { outputs?: Mapping } {
  if (output_mapping === undefined) return {};
  return { outputs: compileNamed(() => compileMapping(output_mapping), `output_mapping of '${node_id}'`) };
}

function compileActionNode(
  node: ActionNode | ErrorNode,
  reference: string,
  { resolution, actions }: StepParts,
): ActionStep {
  const definition = resolution.get(reference);
  const action = definition === undefined ? undefined : actions.get(actionKey(definition));
  if (action === undefined) throw new ArsError('internal', `The node '${node.node_id}' has no resolved action.`);
  const { retry_policy, timeout_ms } = node.type === 'action' ? node : {};
  const limits = [timeout_ms, action.action.timeout_ms].filter(limit => limit !== undefined);
  return {
    kind: 'action',
    node_id: node.node_id,
    handles: node.type === 'error',
    action,
    ...compileMappings(node),
    retry: {
      determinism: action.action.determinism,
      ...(retry_policy === undefined ? {} : { policy: retry_policy }),
    },
    ...(limits.length === 0 ? {} : { timeout_ms: Math.min(...limits) }),
  };
}

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
export function readsOf(step: PlanStep): readonly string[] {
  if (step.kind === 'condition') return step.reads;
  return referencesOf(step)
    .filter(({ path }) => path[0] === 'nodes')
    .map(({ path }) => path[1] ?? '');
}

function referencesOf(step: PlanStep): readonly Reference[] {
  if (step.kind === 'retry') return step.outputs?.references ?? [];
  if (step.kind !== 'action' && step.kind !== 'skill') return [];
  return [...step.inputs.references, ...(step.outputs?.references ?? [])];
}

/** Whether a step reads `error`. */
export function readsError(step: PlanStep): boolean {
  if (step.kind === 'condition') return step.expression.references.some(([root]) => root === 'error');
  return referencesOf(step).some(({ path }) => path[0] === 'error');
}

/** Compiles something, and names the place in what it throws. */
export function compileNamed<T>(compile: () => T, place: string): T {
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
