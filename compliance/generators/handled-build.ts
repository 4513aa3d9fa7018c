import type { Action, Edge, Node, TerminalStatus, Workflow } from '../../schemas/types.js';
import { DETERMINISM_BOUND } from '../model/contract.js';
import type { Behaviour, Program } from '../program.js';
import type { HandlerPlan, Piece, SkillPlan } from './handled.js';
import { literalMapping, nodeNames } from './odd.js';
import { type ScriptedAction, scriptedAction, UNDO_ACTIONS } from './scripts.js';
import { type InputPlan, PLAIN_STEP, type StepPlan } from './steps.js';

/** An out-edge that still leads nowhere, and what has certainly committed where it arrives. */
interface Port {
  readonly from: string;
  readonly label: string;
  readonly certain: ReadonlySet<string>;
}

interface Frontier {
  readonly ports: readonly Port[];
  readonly join: 'AND' | 'OR';
}

/** What all workflows of one program have in common. */
interface Shared {
  readonly name: () => string;
  readonly behaviours: Map<string, readonly Behaviour[]>;
  readonly probes: Map<string, NonNullable<ScriptedAction['probe']>>;
  readonly workflows: Workflow[];
}

/** How often something may still be executed again. */
interface Budget {
  left: number;
}

/** Puts one workflow of a program with error nodes and skills together. */
export class HandledBuilder {
  readonly #nodes: Node[] = [];
  readonly #edges: Edge[] = [];
  readonly #actions: Action[] = [];
  readonly #fields = new Map<string, readonly string[]>();
  readonly #completed: ReadonlySet<string>[] = [];
  readonly #shared: Shared;
  readonly #isRoot: boolean;

  private constructor(shared: Shared, isRoot: boolean) {
    this.#shared = shared;
    this.#isRoot = isRoot;
  }

  /** Gives the program of a series of pieces. */
  static program(
    series: readonly Piece[],
    end: TerminalStatus,
    names: number,
    max_parallel: number | undefined,
  ): Program {
    const shared = { name: nodeNames(names), behaviours: new Map(), probes: new Map(), workflows: [] };
    const builder = new HandledBuilder(shared, true);
    builder.#finish(builder.#series(series, { ports: [], join: 'OR' }), end);
    const workflow = { ...builder.#workflow('generated'), inputs: { any: {} } };
    const undos = Object.values(UNDO_ACTIONS);
    return {
      workflow,
      registry: { actions: undos.map(({ action }) => action), workflows: shared.workflows },
      inputs: { any: 'any' },
      context: { run: 'generated' },
      ...(max_parallel === undefined ? {} : { max_parallel }),
      script: {
        nodes: Object.fromEntries(shared.behaviours),
        actions: Object.fromEntries(undos.map(({ action, behaviours }) => [action.action_id, behaviours])),
        probes: Object.fromEntries(shared.probes),
      },
      kills: [],
    };
  }

  #workflow(name: string): Workflow {
    const [first, ...others] = this.#completed;
    const definite = [...(first ?? [])].filter(id => others.every(certain => certain.has(id)));
    const read = definite.find(id => this.#fields.get(id)?.includes('n') === true);
    return {
      schema_version: '1.0',
      workflow: { name, version: '1.0.0' },
      ...(read === undefined ? {} : { outputs: { out: `\${nodes.${read}.outputs.n}` } }),
      actions: this.#actions,
      nodes: this.#nodes,
      edges: this.#edges,
    };
  }

  #series(series: readonly Piece[], frontier: Frontier): Frontier {
    let at = frontier;
    for (const piece of series) {
      // A series whose every path has ended goes on nowhere.
      if (at.ports.length === 0 && this.#nodes.length > 0) return at;
      if (piece.kind === 'split') at = this.#split(piece, at);
      else if (piece.kind === 'step') {
        const arrived = certainAt(at);
        const retries = piece.handlers.some(({ handling }) => handling === 'retry');
        const { node_id, budget } = this.#step(tamed(piece.step, retries), at);
        at = this.#handled(node_id, arrived, budget, piece.handlers);
      } else at = this.#skill(piece.skill, at, piece.handlers);
    }
    return at;
  }

  #split({ head, arms, join }: Extract<Piece, { kind: 'split' }>, frontier: Frontier): Frontier {
    const certain = certainAt(frontier);
    const { node_id } = this.#step(head, frontier, { fan_out: 'parallel' });
    const ports = arms.flatMap(arm => {
      const end = this.#series(arm, opening(node_id, 'success', withOne(certain, node_id)));
      if (end.ports.length <= 1 || (end.join === 'OR' && join === 'OR')) return end.ports;
      return opening(this.#step(PLAIN_STEP, end).node_id, 'success', certainAt(end)).ports;
    });
    return { ports, join };
  }

  #step(plan: StepPlan, frontier: Frontier, more: object = {}): { node_id: string; budget: Budget } {
    const node_id = this.#shared.name();
    const action_def = this.#act(plan, node_id);
    const max_retries = retriesOf(plan);
    const input_mapping = this.#inputs(plan.inputs, certainAt(frontier));
    const fields = {
      ...{ action_def, input_mapping },
      ...(max_retries === undefined ? {} : { retry_policy: { max_retries } }),
      ...(plan.contract.kind === 'irreversible' ? { irreversible: 'acknowledged' } : {}),
    };
    this.#place({ node_id, type: 'action', ...fields, ...more } as Node, frontier);
    const bound = plan.contract.kind === 'irreversible' ? 0 : DETERMINISM_BOUND[plan.contract.determinism];
    return { node_id, budget: { left: bound - (max_retries ?? 0) } };
  }

  /** Makes the action that a node executes, and what the host does; gives the reference. */
  #act(plan: StepPlan, node_id: string): string {
    const scripted = scriptedAction(
      plan,
      `act.${node_id.length}.${this.#shared.behaviours.size}`,
      `key of ${node_id}`,
      undefined,
    );
    this.#actions.push(scripted.action);
    this.#shared.behaviours.set(node_id, scripted.behaviours);
    if (scripted.probe !== undefined) this.#shared.probes.set(node_id, scripted.probe);
    this.#fields.set(node_id, ['n', 'v']);
    return `${scripted.action.action_id}@^1.0.0`;
  }

  #skill(plan: SkillPlan, frontier: Frontier, handlers: readonly HandlerPlan[]): Frontier {
    const node_id = this.#shared.name();
    const child = new HandledBuilder(this.#shared, false);
    const retries = handlers.some(({ handling }) => handling === 'retry');
    child.#finish(
      child.#series(retries ? plan.pieces.map(resumable) : plan.pieces, { ports: [], join: 'OR' }),
      plan.end,
    );
    const name = `child of ${node_id}`.replaceAll(/[^a-z0-9]+/gi, '-');
    const unique = `${name}-${this.#shared.workflows.length}`;
    const certain = certainAt(frontier);
    const { declared, mapping } = this.#childInput(plan.input, certain);
    const workflow = { ...child.#workflow(unique), ...(declared === undefined ? {} : { inputs: { n: declared } }) };
    this.#shared.workflows.push(workflow);
    this.#fields.set(node_id, workflow.outputs === undefined ? [] : ['out']);
    const acknowledged = child.#actions.some(({ rollback }) => rollback === 'irreversible');
    const node = {
      ...{ node_id, type: 'skill', workflow_ref: `${unique}@^1.0.0`, input_mapping: mapping },
      ...(acknowledged ? { irreversible: 'acknowledged' } : {}),
    };
    this.#place(node as Node, frontier);
    const bounds = child.#actions.map(({ rollback, determinism }) =>
      rollback === 'irreversible' ? 0 : DETERMINISM_BOUND[determinism],
    );
    const isFlat = child.#nodes.every(({ type }) => type !== 'skill');
    return this.#handled(node_id, certain, { left: isFlat ? Math.min(3, ...bounds) : 0 }, handlers);
  }

  #childInput(plan: SkillPlan['input'], certain: ReadonlySet<string>): { declared?: object; mapping: object } {
    const schema = { type: 'number' };
    const from = [...certain].find(id => this.#fields.get(id)?.includes('n') === true);
    if (plan === 'none') return { mapping: {} };
    if (plan === 'defaulted') return { declared: { schema, default: 7 }, mapping: {} };
    if (plan === 'unfit' && this.#isRoot) return { declared: {}, mapping: { n: '${inputs.any.no.such.thing}' } };
    const value = plan === 'reference' && from !== undefined ? `\${nodes.${from}.outputs.n}` : 5;
    return { declared: { schema }, mapping: { n: value } };
  }

  /** The success of a node, and what its handlers make of its failure. */
  #handled(node_id: string, certain: ReadonlySet<string>, budget: Budget, handlers: readonly HandlerPlan[]): Frontier {
    const ports: Port[] = [{ from: node_id, label: 'success', certain: withOne(certain, node_id) }];
    let failed: Port = { from: node_id, label: 'failure', certain };
    let again = { budget, fields: this.#fields.get(node_id) ?? [], possible: true };
    for (const plan of handlers) {
      const handler = this.#shared.name();
      const attempts = Math.min(plan.max_attempts, again.possible ? again.budget.left : 0);
      const handling = plan.handling === 'retry' && attempts < 1 ? 'fail' : plan.handling;
      const mapped = plan.reads && again.fields.includes('n');
      this.#place(this.#errorNode(handler, handling, attempts, plan, mapped), { ports: [failed], join: 'OR' });
      if (handling === 'fail') break;
      if (handling === 'retry') {
        again.budget.left -= attempts;
        this.#fields.set(handler, mapped ? ['n'] : again.fields);
      } else if (handling === 'execute') {
        const { contract, max_retries } = tamed(plan.step, true);
        const left = DETERMINISM_BOUND[contract.determinism] - (max_retries ?? 0);
        again = { budget: { left }, fields: ['n', 'v'], possible: true };
      } else again = { ...again, possible: false };
      const executes = handling === 'retry' || handling === 'execute';
      const success = { from: handler, label: 'success', certain: executes ? withOne(certain, handler) : certain };
      ports.push(...this.#recovered(success, plan));
      failed = { from: handler, label: 'failure', certain };
    }
    return { ports, join: 'OR' };
  }

  #errorNode(
    node_id: string,
    handling: HandlerPlan['handling'],
    max_attempts: number,
    plan: HandlerPlan,
    mapped: boolean,
  ): Node {
    const base = { node_id, type: 'error' as const };
    const output_mapping = { n: '${result.n}' };
    if (handling === 'retry') return { ...base, handling, max_attempts, ...(mapped ? { output_mapping } : {}) };
    if (handling !== 'execute') return { ...base, handling };
    const compensate_ref = this.#act(tamed(plan.step, true), node_id);
    return { ...base, handling: 'compensate', compensate_ref, input_mapping: FAILURE };
  }

  /** Leads the success of an error node on: to a terminal, or back, with a step that reads the failure where asked. */
  #recovered(success: Port, { reads, after }: HandlerPlan): readonly Port[] {
    let port = success;
    if (reads) {
      const node_id = this.#shared.name();
      const action_def = this.#act(PLAIN_STEP, node_id);
      const node: Node = { node_id, type: 'action', action_def, input_mapping: FAILURE };
      this.#place(node, { ports: [port], join: 'OR' });
      port = { from: node_id, label: 'success', certain: withOne(success.certain, node_id) };
    }
    if (after === 'join') return [port];
    this.#finish({ ports: [port], join: 'OR' }, after);
    return [];
  }

  #finish(frontier: Frontier, status: TerminalStatus): void {
    if (frontier.ports.length === 0) return;
    this.#place({ node_id: this.#shared.name(), type: 'terminal', status }, frontier);
    if (status === 'completed') this.#completed.push(certainAt(frontier));
  }

  #place(node: Node, { ports, join }: Frontier): void {
    this.#nodes.push(ports.length > 1 ? ({ ...node, join_type: join } as Node) : node);
    for (const { from, label } of ports) this.#edges.push({ from_node: from, to_node: node.node_id, label });
  }

  #inputs(plans: readonly InputPlan[], certain: ReadonlySet<string>): Record<string, unknown> {
    const inputs = plans.map(({ kind, pick, value }, index) => {
      const readable = [...certain].filter(id => this.#fields.get(id)?.[0] !== undefined);
      const from = readable[pick % Math.max(1, readable.length)];
      const reference = from === undefined ? undefined : `\${nodes.${from}.outputs.${this.#fields.get(from)?.[0]}}`;
      const mapped = kind === 'context' ? '${context.run}' : kind === 'reference' ? reference : undefined;
      return [`p${index}`, mapped ?? literalMapping(value)] as const;
    });
    return Object.fromEntries(inputs);
  }
}

/** What a node behind an error node reads of the failure. */
const FAILURE = { of: '${error.node_id}', class: '${error.error_class}' };

/** A step that can be executed again: nothing that is irreversible, and no policy that uses up all retries. */
function tamed(plan: StepPlan, again: boolean): StepPlan {
  if (!again || plan.contract.kind !== 'irreversible') return plan;
  return { ...plan, contract: PLAIN_STEP.contract };
}

/** A piece of a workflow that may be resumed: nothing in it is irreversible or undone. */
function resumable(piece: Piece): Piece {
  if (piece.kind === 'split')
    return { ...piece, head: tamed(piece.head, true), arms: piece.arms.map(arm => arm.map(resumable)) };
  if (piece.kind === 'skill') return { kind: 'step', step: PLAIN_STEP, handlers: [] };
  return { ...piece, step: tamed(piece.step, true) };
}

function retriesOf({ contract, max_retries }: StepPlan): number | undefined {
  if (max_retries === undefined) return undefined;
  if (contract.kind === 'irreversible' || contract.determinism === 'non_deterministic') return 0;
  return max_retries;
}

function opening(from: string, label: string, certain: ReadonlySet<string>): Frontier {
  return { ports: [{ from, label, certain }], join: 'OR' };
}

/** What is known behind a join: after AND what any in-edge knows, after OR what all of them know. */
function certainAt({ ports, join }: Frontier): ReadonlySet<string> {
  const all = new Set(ports.flatMap(({ certain }) => [...certain]));
  if (join === 'AND') return all;
  return new Set([...all].filter(id => ports.every(({ certain }) => certain.has(id))));
}

function withOne(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set, id]);
}
