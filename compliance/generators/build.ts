import type { Action, Edge, Node, TerminalNode, Workflow } from '../../schemas/types.js';
import type { Behaviour, Program } from '../program.js';
import { type Arm, type Block, type ConditionPlan, unfold } from './blocks.js';
import { literalMapping, nodeNames } from './odd.js';
import { HANG_LIMIT_MS, leavesVersionOne, type ScriptedAction, scriptedAction, UNDO_ACTIONS } from './scripts.js';
import { type InputPlan, PLAIN_STEP, type StepPlan } from './steps.js';

/** An out-edge that still leads nowhere, with what is known where it arrives. */
export interface Port {
  readonly from: string;
  readonly label: string;
  /** Nodes that have certainly committed, and all ancestors. */
  readonly certain: ReadonlySet<string>;
  readonly ancestors: ReadonlySet<string>;
  /** The key that the node directly before wrote, at version 1. */
  readonly key?: string;
}

/** The open ends of what is built so far, and how they are to be joined. */
export interface Frontier {
  readonly ports: readonly Port[];
  readonly join: 'AND' | 'OR';
}

type Ending = TerminalNode['status'];

/** Everything beside the blocks that a program is made of. */
export interface Surroundings {
  readonly end: Ending;
  readonly names: number;
  readonly flag: boolean;
  readonly number: number;
  readonly word: string;
  readonly any: unknown;
  readonly explicitStart: boolean;
  readonly inRegistry: boolean;
  readonly outputs: readonly InputPlan[];
  readonly max_parallel: number | undefined;
}

const WORDS = ['x', 'y'];

/** Puts nodes and edges together; whatever it is told, the workflow that comes out is valid unless edges are made by hand. */
export class Builder {
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];
  readonly actions: Action[] = [];
  /** For the workflow outputs: what had certainly committed at each completed terminal. */
  readonly #completed: ReadonlySet<string>[] = [];
  readonly #fields = new Map<string, readonly string[]>();
  readonly #behaviours = new Map<string, readonly Behaviour[]>();
  readonly #probes = new Map<string, NonNullable<ScriptedAction['probe']>>();
  readonly #usedInputs = new Set<string>();
  readonly #undos = new Set<keyof typeof UNDO_ACTIONS>();
  readonly #surroundings: Surroundings;
  readonly name: () => string;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.name = nodeNames(surroundings.names);
  }

  /** Builds blocks one after the other. */
  series(blocks: readonly Block[], frontier: Frontier): Frontier {
    let at = frontier;
    for (const block of blocks) {
      const [only, ...others] = unfold(block);
      if (only !== block && only !== undefined) at = this.series([only, ...others], at);
      else if (block.kind === 'step') at = open([this.#step(block.step, at)]);
      else at = block.kind === 'choice' ? this.#choice(block, at) : this.#fan(block, at);
    }
    return at;
  }

  #step(plan: StepPlan, frontier: Frontier, fanOut = false): Port {
    const node_id = this.name();
    const arrived = arrive(frontier);
    const key = `key of ${node_id}`;
    const scripted = scriptedAction(plan, `act.${this.actions.length + 1}`, key, arrived.key);
    this.actions.push(scripted.action);
    if (plan.contract.kind === 'rollbackable' || plan.contract.kind === 'compensatable')
      this.#undos.add(plan.contract.undo);
    this.#behaviours.set(node_id, scripted.behaviours);
    if (scripted.probe !== undefined) this.#probes.set(node_id, scripted.probe);
    this.#fields.set(
      node_id,
      plan.course.kind === 'refused' && plan.course.by === 'output mapping'
        ? ['n']
        : plan.mapped === 'whole'
          ? ['n', 's', 'b', 'v']
          : plan.mapped === 'some'
            ? ['n', 'v']
            : [],
    );
    const inputs = plan.inputs.map((input, index) => [`p${index}`, this.#input(input, arrived)] as const);
    const retries = retriesOf(plan);
    const fields = {
      action_def: `${scripted.action.action_id}@^1.0.0`,
      input_mapping: Object.fromEntries(inputs),
      ...outputMapping(plan),
      ...(retries === undefined ? {} : { retry_policy: { max_retries: retries } }),
      ...(plan.course.kind === 'hang' ? { timeout_ms: HANG_LIMIT_MS } : {}),
      ...(plan.contract.kind === 'irreversible' ? { irreversible: 'acknowledged' } : {}),
      ...(fanOut ? { fan_out: 'parallel' } : {}),
    };
    this.place({ node_id, type: 'action', ...fields } as Node, frontier);
    const left = leave(node_id, plan.leave, arrived);
    return leavesVersionOne(plan.state) && !fanOut ? { ...left, key } : left;
  }

  #choice(block: Extract<Block, { kind: 'choice' }>, frontier: Frontier): Frontier {
    const node_id = this.name();
    const arrived = arrive(frontier);
    this.place({ node_id, type: 'condition', expression: this.#expression(block.condition, arrived) }, frontier);
    const labels = labelsOf(block.condition, block.arms.length);
    const ports: Port[] = [];
    for (const [index, label] of labels.entries()) {
      const arm: Arm = block.arms[index] ?? block.arms[0];
      const end = this.series(arm.blocks, open([leave(node_id, label, arrived, false)]));
      if (arm.end === 'join') ports.push(...this.#narrow(end, 'OR').ports);
      else if (end.ports.length > 0) this.terminal(arm.end, end);
    }
    return { ports, join: 'OR' };
  }

  #fan(block: Extract<Block, { kind: 'fan' }>, frontier: Frontier): Frontier {
    const head = this.#step(block.head, frontier, true);
    const ports: Port[] = [];
    for (const arm of block.arms) {
      const certain = arm.label === 'always' ? without(head.certain, head.from) : withOne(head.certain, head.from);
      const end = this.series(arm.blocks, open([{ ...head, label: arm.label, certain }]));
      if ((arm.end ?? 'join') === 'join') ports.push(...this.#narrow(end, block.join).ports);
      else if (end.ports.length > 0) this.terminal(arm.end as Ending, end);
    }
    return { ports, join: block.join };
  }

  /** A frontier that can become part of a wider join: where it needs a join of its own first, that is made. */
  #narrow(end: Frontier, join: Frontier['join']): Frontier {
    const own = end.ports.length > 1 && (end.join === 'AND' || join === 'AND');
    return own ? open([this.#step(PLAIN_STEP, end)]) : end;
  }

  /** Ends a frontier in a terminal. */
  terminal(status: Ending, frontier: Frontier): string {
    const node_id = this.name();
    this.place({ node_id, type: 'terminal', status }, frontier);
    if (status === 'completed') this.#completed.push(arrive(frontier).certain);
    return node_id;
  }

  /** Adds a node behind a frontier. */
  place(node: Node, { ports, join }: Frontier): void {
    this.nodes.push(ports.length > 1 ? ({ ...node, join_type: join } as Node) : node);
    for (const { from, label } of ports) this.edges.push({ from_node: from, to_node: node.node_id, label });
  }

  /** Adds an action node that succeeds at once, behind a frontier, and gives its success edge. */
  plain(frontier: Frontier): Port {
    return this.#step(PLAIN_STEP, frontier);
  }

  /** The name of a workflow input that a condition can use, declared from now on. */
  use(input: 'flag' | 'word' | 'number' | 'any'): string {
    this.#usedInputs.add(input);
    return `inputs.${input}`;
  }

  #expression(plan: ConditionPlan, { certain }: Port): string {
    if (plan.kind === 'flag') return this.use('flag');
    if (plan.kind === 'any') return this.use('any');
    if (plan.kind === 'error') return `${this.use('any')}.missing.${'deep'} == 1.0`;
    const field = plan.kind === 'word' ? 's' : 'n';
    const readable = [...certain].filter(id => this.#fields.get(id)?.includes(field) === true);
    const from = pickOf(readable, plan.pick);
    const value = from === undefined ? this.use(plan.kind) : `nodes[${JSON.stringify(from)}].outputs.${field}`;
    return plan.kind === 'word' ? value : `${value} > ${plan.boundary}.0`;
  }

  #input(plan: InputPlan, { certain, ancestors }: Port): unknown {
    const known = pickOf(
      [...certain].filter(id => (this.#fields.get(id) ?? []).length > 0),
      plan.pick,
    );
    const field = known === undefined ? undefined : pickOf(this.#fields.get(known) ?? [], plan.pick >> 3);
    switch (plan.kind) {
      case 'reference':
        return known === undefined ? literalMapping(plan.value) : `\${nodes.${known}.outputs.${field}}`;
      case 'built':
        return known === undefined ? `n=\${${this.use('number')}}` : `<\${nodes.${known}.outputs.${field}}>$\${`;
      case 'default': {
        const from = pickOf(
          [...ancestors].filter(id => (this.#fields.get(id) ?? []).length > 0),
          plan.pick,
        );
        return from === undefined
          ? 'none'
          : `\${nodes.${from}.outputs.${this.#fields.get(from)?.[0]} ?? ${JSON.stringify(plan.value)}}`;
      }
      case 'input':
        return `\${${this.use(plan.pick % 2 === 0 ? 'number' : 'any')}}`;
      case 'context':
        return { context: ['${context}'] };
      case 'missing':
        return `\${${this.use('any')}.no.such.thing}`;
      default:
        return literalMapping(plan.value);
    }
  }

  /** The program that has been built. */
  program(start: string | undefined): Program {
    const world = this.#surroundings;
    const values = { flag: world.flag, number: world.number, word: world.word, any: world.any };
    const schemas = {
      flag: { schema: { type: 'boolean' } },
      number: { schema: { type: 'number' } },
      word: { schema: { type: 'string' } },
      any: {},
    };
    const outputs = this.#outputs();
    const used = (Object.keys(values) as (keyof typeof values)[]).filter(name => this.#usedInputs.has(name));
    const undos = [...this.#undos].map(name => UNDO_ACTIONS[name]);
    const actions = [...this.actions, ...undos.map(undo => undo.action)];
    const workflow: Workflow = {
      schema_version: '1.0',
      workflow: { name: 'generated', version: '1.0.0', ...(start === undefined ? {} : { start }) },
      ...(used.length === 0 ? {} : { inputs: Object.fromEntries(used.map(name => [name, schemas[name]])) }),
      ...outputs,
      ...(world.inRegistry ? {} : { actions }),
      nodes: this.nodes,
      edges: this.edges,
    };
    return {
      workflow,
      ...(world.inRegistry ? { registry: { actions } } : {}),
      inputs: Object.fromEntries(used.map(name => [name, values[name]])),
      context: { run: 'generated' },
      ...(world.max_parallel === undefined ? {} : { max_parallel: world.max_parallel }),
      script: {
        nodes: Object.fromEntries(this.#behaviours),
        ...(undos.length === 0
          ? {}
          : { actions: Object.fromEntries(undos.map(({ action, behaviours }) => [action.action_id, behaviours])) }),
        ...(this.#probes.size === 0 ? {} : { probes: Object.fromEntries(this.#probes) }),
      },
      kills: [],
    };
  }

  #outputs(): Pick<Workflow, 'outputs'> {
    const [first, ...others] = this.#completed;
    const plans = this.#surroundings.outputs;
    if (first === undefined || plans.length === 0) return {};
    const definite = new Set([...first].filter(id => others.every(certain => certain.has(id))));
    const port: Port = { from: '', label: '', certain: definite, ancestors: definite };
    const outputs = plans.map((plan, index) => [`out${index}`, this.#input(plan, port)] as const);
    return { outputs: Object.fromEntries(outputs) as NonNullable<Workflow['outputs']> };
  }
}

function open(ports: readonly Port[]): Frontier {
  return { ports, join: 'OR' };
}

/** What is known behind a join: after AND what any in-edge knows, after OR what all of them know. */
function arrive({ ports, join }: Frontier): Port {
  const [only] = ports;
  if (only !== undefined && ports.length === 1) return only;
  const certain = new Set<string>();
  for (const id of ports.flatMap(port => [...port.certain])) {
    if (join === 'AND' || ports.every(port => port.certain.has(id))) certain.add(id);
  }
  return { from: '', label: '', certain, ancestors: new Set(ports.flatMap(port => [...port.ancestors])) };
}

function leave(from: string, label: string, { certain, ancestors }: Port, commits = label === 'success'): Port {
  return { from, label, certain: commits ? withOne(certain, from) : certain, ancestors: withOne(ancestors, from) };
}

function withOne(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set, id]);
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter(other => other !== id));
}

function pickOf<T>(from: readonly T[], pick: number): T | undefined {
  return from[pick % Math.max(1, from.length)];
}

function labelsOf({ kind }: ConditionPlan, arms: number): readonly string[] {
  if (kind === 'any') return ['true', 'default'];
  if (kind === 'word') return [...WORDS.slice(0, arms - 1), 'default'];
  return arms > 2 ? ['default', 'false'] : ['true', 'false'];
}

function outputMapping(plan: StepPlan): object {
  const refused = plan.course.kind === 'refused' && plan.course.by === 'output mapping';
  if (refused) return { output_mapping: { n: '${result.v.no.such.thing}' } };
  if (plan.mapped === 'whole') return {};
  return { output_mapping: plan.mapped === 'none' ? {} : { n: '${result.n}', v: ['${result.v}', '${result.s}!'] } };
}

/** Retries within the bound of S9; an irreversible action is given none. */
function retriesOf({ contract, max_retries }: StepPlan): number | undefined {
  if (max_retries === undefined) return undefined;
  if (contract.kind === 'irreversible' || contract.determinism === 'non_deterministic') return 0;
  return Math.min(max_retries, contract.determinism === 'deterministic' ? 3 : 2);
}
