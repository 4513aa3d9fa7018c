import type { Action, ActionNode, ErrorClass, ProbeAnswer, StateChange } from '../../schemas/types.js';
import type { Behaviour, Program } from '../program.js';
import { type Answer, acceptResult, answerOf, checkPreconditions } from './attempt.js';
import { fitsSchema, hasSideEffects, resolveAction, retryLimit } from './contract.js';
import type { NodeRun, Resolution } from './firing.js';
import { type Decision, decideByCategory, undoAction, undoDecision } from './judgement.js';
import { evaluateObjectMapping } from './mapping.js';
import type { Scope } from './scope.js';
import { effectMoment, hostedProbe, nodeBehaviour, readProbe, undoBehaviour } from './script.js';
import { type Fold, versionsHold } from './state.js';

type Success = Extract<Answer, { kind: 'success' }>;
type Failure = Extract<Answer, { kind: 'error' }>;

/** Where in the life of a node its attempts begin: at the first one, unless an error node executes it again. */
export interface Course {
  /** Attempts so far, by policy and by error nodes. */
  readonly before: number;
  /** How many behaviours of the script these, and those of instances resumed, have used up. */
  readonly scripted: number;
  /** The number of the last attempt that an error node may make; absent where classes and policies limit. */
  readonly last?: number;
  /** Whether an earlier attempt under the same key may have left an effect behind. */
  readonly effect: boolean;
  /** What the output mapping sees, where that is something else than the input mapping does. */
  readonly mapped?: Scope;
}

const FIRST: Course = { before: 0, scripted: 0, effect: false };

/**
 * How an action node resolves in an undisturbed instance (Ch5, Ch6): input mapping, preconditions, attempts, and the
 * judgement of a last failure whose effect is not known. `handled` tells whether a failure has an edge to take. The count
 * of attempts is that of this course.
 */
export function runActionNode(
  node: ActionNode,
  program: Program,
  instance: Scope,
  fold: Fold,
  handled: boolean,
  course: Course = FIRST,
): Resolution {
  const action = resolveAction(node.action_def, program);
  const mapped = evaluateObjectMapping(node.input_mapping ?? {}, instance);
  if (action === undefined || 'error' in mapped) return failure('E4', handled, 0, idle());
  const inputs = mapped.value;
  const own: Scope = { inputs, ...(instance.context === undefined ? {} : { context: instance.context }) };
  const before = fitsSchema(action.input_schema, inputs) ? checkPreconditions(action, own) : 'blocked';
  if (before === 'blocked') return failure('E4', handled, 0, idle(inputs));
  const attempts = new Attempts(node, action, program, own, course.mapped ?? instance, fold, course);
  const end = attempts.run();
  const base = {
    inputs,
    invocations: attempts.count,
    degraded: false,
    committed: false,
    changes: [],
    contested: attempts.contested,
    effect: attempts.effectPossible,
  };
  if (end.kind === 'never') return { outcome: 'running', attempts: attempts.count, run: base };
  if (end.kind === 'success') {
    return {
      outcome: 'success',
      attempts: attempts.count,
      outputs: end.outputs,
      run: {
        ...base,
        committed: true,
        changes: end.changes,
        degraded: end.degraded || before === 'degraded',
        result: end.result,
      },
    };
  }
  const undo = end.decision === undefined ? undefined : undoOf(end.decision, action, program);
  const run: NodeRun = undo === undefined ? base : { ...base, undo };
  if (end.decision === 'in_doubt' || undo?.done === false)
    return { outcome: 'in_doubt', attempts: attempts.count, run };
  return failure(end.error_class, handled, attempts.count, run);
}

function idle(inputs?: NodeRun['inputs']): NodeRun {
  const base = { invocations: 0, changes: [], contested: [], committed: false, degraded: false };
  return inputs === undefined ? base : { ...base, inputs };
}

/** A failure drains where nothing handles it and, whatever the edges, where its class is E5. */
export function failure(error_class: ErrorClass, handled: boolean, attempts: number, run?: NodeRun): Resolution {
  return {
    outcome: 'failure',
    attempts,
    error_class,
    drains: !handled || error_class === 'E5',
    ...(run === undefined ? {} : { run }),
  };
}

function undoOf(decision: Decision, action: Action, program: Program): NodeRun['undo'] {
  const undo = decision === 'roll_back' || decision === 'compensate' ? undoAction(action, program) : undefined;
  if (undo === undefined) return undefined;
  const reply = undoBehaviour(program.script, undo.action_id, 1).reply;
  const done = reply !== undefined && 'outputs' in reply;
  return { action_id: undo.action_id, done, changes: done ? (reply.state_changes ?? []) : [] };
}

type End = Success | { readonly kind: 'never' } | (Failure & { readonly decision?: Decision });

/** The attempts of one node, one after the other. */
class Attempts {
  count = 0;
  /** The changes whose version checks failed. */
  contested: readonly StateChange[] = [];
  /** Whether an attempt so far may have left an effect behind. */
  effectPossible: boolean;
  readonly #course: Course;
  readonly #node: ActionNode;
  readonly #action: Action;
  readonly #program: Program;
  readonly #own: Scope;
  readonly #instance: Scope;
  readonly #fold: Fold;
  readonly #undo: Action | undefined;

  constructor(
    node: ActionNode,
    action: Action,
    program: Program,
    own: Scope,
    instance: Scope,
    fold: Fold,
    course: Course,
  ) {
    this.effectPossible = course.effect;
    this.#course = course;
    this.#node = node;
    this.#action = action;
    this.#program = program;
    this.#own = own;
    this.#instance = instance;
    this.#fold = fold;
    this.#undo = undoAction(action, program);
  }

  run(): End {
    for (;;) {
      this.count += 1;
      const behaviour = nodeBehaviour(this.#program.script, this.#node.node_id, this.#course.scripted + this.count);
      const answer = answerOf(behaviour, this.#action, this.#node, this.#own, this.#instance);
      if (answer.kind === 'never') return answer;
      if (answer.kind === 'success') return this.#commit(answer);
      const end = this.#afterError(answer, behaviour);
      if (end !== 'retry') return end;
    }
  }

  #commit(answer: Success): End {
    if (versionsHold(this.#fold, answer.changes)) return answer;
    this.contested = answer.changes;
    return this.#refused({ kind: 'error', error_class: 'E4', effect: 'unknown', refused: true });
  }

  #refused(failed: Failure): End {
    return hasSideEffects(this.#action) ? { ...failed, decision: undoDecision(this.#action, this.#undo) } : failed;
  }

  #afterError(failed: Failure, behaviour: Behaviour): End | 'retry' {
    this.effectPossible ||= failed.effect === 'unknown';
    const attempt = this.#course.before + this.count;
    const { last } = this.#course;
    const left =
      last === undefined ? attempt <= retryLimit(failed.error_class, this.#action, this.#node) : attempt < last;
    const mayRepeat = failed.effect === 'none' || this.#action.rollback !== 'irreversible';
    if (left && mayRepeat) return 'retry';
    if (!hasSideEffects(this.#action) || !this.effectPossible) return failed;
    if (failed.refused) return this.#refused(failed);
    const probe = this.#probe(behaviour);
    if (left && probe.verdict === 'absent') return 'retry';
    const decision = decideByCategory(this.#action, probe.verdict, this.#undo);
    return decision === 'commit' ? this.#commitProbed(probe, failed) : { ...failed, decision };
  }

  #probe(behaviour: Behaviour): ProbeAnswer {
    const applied = effectMoment(behaviour) !== 'never';
    return readProbe(this.#action, hostedProbe(this.#program.script, this.#node.node_id, applied, behaviour));
  }

  /** A result that the contract refuses counts as the answer unknown, so the failure stays what it was. */
  #commitProbed(probe: ProbeAnswer, failed: Failure): End {
    const changes: readonly StateChange[] = probe.state_changes ?? [];
    const reply = { outputs: probe.outputs ?? {}, state_changes: changes };
    const answer = acceptResult(reply, this.#action, this.#node, this.#own, this.#instance);
    if (answer.kind === 'success') return this.#commit(answer);
    return answer.kind === 'never' ? answer : this.#refused(failed);
  }
}
