import type { Action, ActionResult, ErrorClass, ErrorResult, Predicate } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { MAX_VALUE_SIZE } from '../state/size.js';
import { type Bindings, compileExpression, type Expression } from './expression.js';
import { compileSchema, type SchemaCheck } from './json-schema.js';

/** A predicate whose expression is compiled. */
interface CompiledPredicate {
  readonly id: string;
  readonly kind: Predicate['kind'];
  readonly expression: Expression;
}

/** An action whose schemas and expressions are compiled. */
export interface ActionContract {
  readonly action: Action;
  /** action_id@version. */
  readonly key: string;
  readonly checkInputs: SchemaCheck;
  readonly checkOutputs: SchemaCheck;
  readonly preconditions: readonly CompiledPredicate[];
  readonly postconditions: readonly CompiledPredicate[];
  readonly success?: Expression;
}

/** What an execution is given. */
export interface ExecutionInput {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
}

/** What a check of the contract says: the execution may go on, possibly degraded, or has failed. */
export type ContractVerdict = { readonly ok: true; readonly degraded: boolean } | Violation;

/** A failure that the contract finds. */
export interface Violation {
  readonly ok: false;
  readonly error: ErrorResult;
}

/** The name under which an action is known: action_id@version. */
export function actionKey(action: Pick<Action, 'action_id' | 'version'>): string {
  return `${action.action_id}@${action.version}`;
}

/**
 * Returns the action, ready to be checked against.
 *
 * Throws `invalid_document` for a schema that cannot be used and `expression_invalid` for an expression.
 */
export function compileContract(action: Action): ActionContract {
  const key = actionKey(action);
  const success = action.success_condition;
  return {
    action,
    key,
    checkInputs: compileSchema(action.input_schema, `input_schema of ${key}, inputs`),
    checkOutputs: compileSchema(action.output_schema, `output_schema of ${key}, outputs`),
    preconditions: compilePredicates(action.preconditions, `precondition of ${key}`),
    postconditions: compilePredicates(action.postconditions, `postcondition of ${key}`),
    ...(success === undefined ? {} : { success: compileNamed(success, `success_condition of ${key}`) }),
  };
}

/**
 * Whether the action may be invoked: its inputs fit and every hard precondition is true.
 *
 * @requirement EC2
 * @requirement PR-H
 * @requirement PR-S
 */
export function checkBefore(contract: ActionContract, input: ExecutionInput): ContractVerdict {
  const misfit = contract.checkInputs(input.inputs);
  if (misfit !== undefined) return violation('E4', `inputs do not fit their schema: ${misfit}`, 'none');
  return checkPredicates(contract.preconditions, { inputs: input.inputs, context: input.context }, 'pre', 'none');
}

/**
 * Whether the result may be committed: success condition, output schema, hard postconditions, in this order.
 *
 * @requirement EC2
 * @requirement PC1
 */
export function checkAfter(contract: ActionContract, input: ExecutionInput, result: ActionResult): ContractVerdict {
  const bindings = { inputs: input.inputs, context: input.context, result: result.outputs };
  const unsuccessful = checkSuccess(contract, bindings, result.exit_code);
  if (unsuccessful !== undefined) return violation('E3', unsuccessful);
  const misfit = checkForm(result) ?? contract.checkOutputs(result.outputs);
  if (misfit !== undefined) return violation('E4', `outputs do not fit their schema: ${misfit}`);
  return checkPredicates(contract.postconditions, bindings, 'post', 'unknown');
}

/** An error result of the runtime's own. */
export function violation(
  error_class: ErrorClass,
  detail: string,
  effect: ErrorResult['effect'] = 'unknown',
): Violation {
  return { ok: false, error: { error_class, detail, effect } };
}

function checkSuccess(contract: ActionContract, bindings: Bindings, exit_code: number | undefined): string | undefined {
  if (contract.success === undefined)
    return exit_code === undefined || exit_code === 0 ? undefined : `the exit code is ${exit_code}, not 0`;
  const answer = ask(contract.success, exit_code === undefined ? bindings : { ...bindings, exit_code });
  return answer === true ? undefined : `the success condition is not true: ${answer}`;
}

function checkForm(result: ActionResult): string | undefined {
  try {
    const { outputs, state_changes = [], evidence = null } = result;
    return canonicalize({ outputs, state_changes, evidence }).length > MAX_VALUE_SIZE
      ? `with state changes and evidence they are larger than ${MAX_VALUE_SIZE} characters`
      : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checkPredicates(
  predicates: readonly CompiledPredicate[],
  bindings: Bindings,
  moment: 'pre' | 'post',
  effect: 'none' | 'unknown',
): ContractVerdict {
  let degraded = false;
  for (const { id, kind, expression } of predicates) {
    const answer = ask(expression, bindings);
    if (answer === true) continue;
    if (kind === 'hard') return violation('E4', `the ${moment}condition '${id}' is not true: ${answer}`, effect);
    degraded = true;
  }
  return { ok: true, degraded };
}

/** True, or in words why it is not. */
function ask(expression: Expression, bindings: Bindings): true | string {
  try {
    const value = expression.evaluate(bindings);
    if (value === true) return true;
    return value === false ? 'it is false' : `it is ${JSON.stringify(value)}, not a boolean`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function compilePredicates(predicates: readonly Predicate[] | undefined, name: string): readonly CompiledPredicate[] {
  return (predicates ?? []).map(({ id, kind, expression }) => ({
    id,
    kind,
    expression: compileNamed(expression, `${name} '${id}'`),
  }));
}

function compileNamed(source: string, name: string): Expression {
  try {
    return compileExpression(source);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    throw new ArsError(error.code, `The ${name} cannot be used: ${error.message}`, {
      details: { ...error.details, name },
      cause: error,
    });
  }
}
