import type { Action, Edge, Node, Registry, Workflow } from '../../../../schemas/types.js';
import type { Draw } from './enumerate.js';

/** A workflow that keeps every rule because of how it is built, and the registry that it needs. */
export interface SoundProgram {
  readonly workflow: Workflow;
  readonly registry: Registry;
}

/** A path that can be read at a place, and the type of what it leads to. */
interface Readable {
  readonly path: string;
  readonly type: 'string' | 'number' | 'boolean';
}

/** Where an edge to the next node begins. */
interface Port {
  readonly from: string;
  readonly label: string;
}

/** The open ends of what was built, and what whoever comes next can read. */
interface Flow {
  readonly ports: readonly Port[];
  readonly readable: readonly Readable[];
}

const RESULT = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'number' }, done: { type: 'boolean' } },
  required: ['text', 'count', 'done'],
  additionalProperties: false,
} as const;
const TYPE_OF = { text: 'string', count: 'number', done: 'boolean' } as const;
const BOUNDS = { deterministic: 3, conditionally_deterministic: 2, non_deterministic: 0 } as const;
const LITERALS = { string: 'a text', number: 3, boolean: true } as const;

/** Returns a program: actions, skills, conditions, joins and error nodes of every handling, which hand data on. */
export function drawSound(draw: Draw): SoundProgram {
  return new Builder(draw).build();
}

/** A path as an expression reads it: names that are no identifiers stand in brackets. */
function inExpression(path: string): string {
  return path.replace(/\.([^.]*[^\w.][^.]*)/gu, '["$1"]');
}

class Builder {
  readonly #draw: Draw;
  readonly #nodes: Node[] = [];
  readonly #edges: Edge[] = [];
  readonly #actions: Action[] = [];
  readonly #workflows: Workflow[] = [];
  readonly #names: string[];
  readonly #inputs: NonNullable<Workflow['inputs']> = {
    text: { schema: { type: 'string' } },
    amount: { schema: { type: 'number' }, default: 5 },
    urgent: { schema: { type: 'boolean' } },
    note: { schema: { type: 'string' }, required: false },
  };

  constructor(draw: Draw) {
    this.#draw = draw;
    this.#names = Array.from({ length: 200 }, (_, at) => `${['n', 'b', 'Z', 'é', 'a'][draw(5)]}${at}`);
  }

  build(): SoundProgram {
    let flow: Flow = {
      ports: [],
      readable: [
        { path: 'inputs.text', type: 'string' },
        { path: 'inputs.amount', type: 'number' },
        { path: 'inputs.urgent', type: 'boolean' },
      ],
    };
    flow = this.#step(flow);
    for (let blocks = 1 + this.#draw(4); blocks > 0; blocks--) flow = this.#block(flow, 2);
    const outputs: Record<string, unknown> = { note: '${inputs.note ?? "none"}', told: this.#mapping(flow, 'string') };
    if (this.#draw(3) === 0) flow = this.#irreversible(flow);
    this.#end(flow, 'completed');
    const workflow: Workflow = {
      schema_version: '1.0',
      workflow: { name: 'sound', version: '1.2.3' },
      inputs: this.#inputs,
      outputs,
      actions: this.#actions,
      nodes: this.#nodes,
      edges: this.#edges,
    };
    return { workflow, registry: { schema_version: '1.0', actions: [], workflows: this.#workflows } };
  }

  #block(flow: Flow, depth: number): Flow {
    const kind = this.#draw(depth > 0 ? 7 : 3);
    if (kind < 2) return this.#step(flow);
    if (kind === 2) return this.#skill(flow);
    if (kind === 3) return this.#branch(flow, depth);
    if (kind === 4) return this.#choice(flow, depth);
    return kind === 5 ? this.#parallel(flow, depth) : this.#repeated(flow);
  }

  /** An action, its failure handled. */
  #step(flow: Flow, more: Partial<Extract<Node, { type: 'action' }>> = {}): Flow {
    const action = this.#define();
    const retries = this.#draw(1 + BOUNDS[action.determinism]);
    const name = this.#join(flow, {
      type: 'action',
      action_def: `${action.action_id}@^1`,
      input_mapping: this.#inputsOf(flow),
      ...(retries > 0 ? { retry_policy: { max_retries: retries, backoff_ms: 10 } } : {}),
      ...more,
    });
    this.#handle(name, flow);
    return this.#after(name, flow, more.output_mapping === undefined ? 'result' : 'mapped');
  }

  #after(name: string, flow: Flow, outputs: 'result' | 'mapped'): Flow {
    const keys = outputs === 'mapped' ? (['text'] as const) : (['text', 'count', 'done'] as const);
    const own = keys.map((key): Readable => ({ path: `nodes.${name}.outputs.${key}`, type: TYPE_OF[key] }));
    return { ports: [{ from: name, label: 'success' }], readable: [...flow.readable, ...own] };
  }

  #skill(flow: Flow): Flow {
    const workflow = this.#child();
    const name = this.#join(flow, {
      type: 'skill',
      workflow_ref: `${workflow.workflow.name}@~1.0.0`,
      input_mapping: { text: this.#mapping(flow, 'string') },
      output_mapping: { text: '${result.text}' },
    });
    this.#handle(name, flow);
    return this.#after(name, flow, 'mapped');
  }

  #child(): Workflow {
    const known = this.#workflows[this.#draw(3)];
    if (known !== undefined) return known;
    const at = this.#workflows.length;
    const workflow: Workflow = {
      schema_version: '1.0',
      workflow: { name: `child-${at}`, version: '1.0.4' },
      inputs: { text: { schema: { type: 'string' } }, more: { schema: { type: 'number' }, default: 1 } },
      outputs: { text: '${nodes.inner.outputs.text}' },
      actions: [this.#contract(`inner-${at}`, 'pure')],
      nodes: [
        {
          node_id: 'inner',
          type: 'action',
          action_def: `inner-${at}@1.0.0`,
          input_mapping: { text: '${inputs.text}' },
        },
        { node_id: 'end', type: 'terminal', status: 'completed' },
        { node_id: 'failed', type: 'error', handling: 'fail' },
      ],
      edges: [
        { from_node: 'inner', to_node: 'end', label: 'success' },
        { from_node: 'inner', to_node: 'failed', label: 'failure' },
      ],
    };
    this.#workflows.push(workflow);
    return workflow;
  }

  /** A boolean condition whose branches meet again, or of which one ends. */
  #branch(flow: Flow, depth: number): Flow {
    const name = this.#join(flow, { type: 'condition', expression: this.#boolean(flow) });
    const other = this.#draw(2) === 0 ? 'false' : 'default';
    const yes = this.#block({ ...flow, ports: [{ from: name, label: 'true' }] }, depth - 1);
    if (this.#draw(3) === 0) {
      this.#end({ ...flow, ports: [{ from: name, label: other }] }, 'failed');
      return yes;
    }
    const no = this.#block({ ...flow, ports: [{ from: name, label: other }] }, depth - 1);
    return { ports: [...yes.ports, ...no.ports], readable: flow.readable };
  }

  /** A condition over texts. */
  #choice(flow: Flow, depth: number): Flow {
    const texts = flow.readable.filter(({ type }) => type === 'string');
    const { path } = this.#pick(texts);
    const name = this.#join(flow, { type: 'condition', expression: inExpression(path) });
    const ends = ['red', 'green', 'default'].map(
      label => this.#block({ ...flow, ports: [{ from: name, label }] }, depth - 1).ports,
    );
    return { ports: ends.flat(), readable: flow.readable };
  }

  /** Branches that run side by side and are waited for. */
  #parallel(flow: Flow, depth: number): Flow {
    const fork = this.#step(flow, { fan_out: 'parallel' });
    const [port] = fork.ports as [Port];
    const branches = [0, 1].map(() => {
      let branch = this.#step({ ...fork, ports: [port] });
      for (let steps = this.#draw(2); steps > 0; steps--)
        branch = depth > 1 && this.#draw(2) === 0 ? this.#skill(branch) : this.#step(branch);
      return branch;
    });
    const all = {
      ports: branches.flatMap(({ ports }) => ports),
      readable: [...new Map(branches.flatMap(({ readable }) => readable).map(one => [one.path, one])).values()],
    };
    return this.#step(all, { join_type: 'AND' });
  }

  /** An action that an error node executes once more; whoever follows reads the one that committed. */
  #repeated(flow: Flow): Flow {
    const action = this.#contract(`again-${this.#actions.length}`, 'pure');
    this.#actions.push({ ...action, determinism: 'deterministic' });
    const input_mapping = this.#inputsOf(flow);
    const name = this.#join(flow, { type: 'action', action_def: `${action.action_id}@^1`, input_mapping });
    const retry = this.#add({ type: 'error', handling: 'retry', max_attempts: 1 + this.#draw(3) });
    this.#edges.push({ from_node: name, to_node: retry, label: 'failure' });
    this.#fail(retry);
    const ports = [name, retry].map((from): Port => ({ from, label: 'success' }));
    const text = `\${nodes.${name}.outputs.text ?? nodes.${retry}.outputs.text}`;
    const next = this.#step({ ports, readable: flow.readable }, { output_mapping: { text: '${result.text}' } });
    const node = this.#nodes.find(({ node_id }) => node_id === next.ports[0]?.from) as { input_mapping?: object };
    node.input_mapping = { ...node.input_mapping, text };
    return next;
  }

  /** What nothing can undo, marked, and nothing behind it that can fail. */
  #irreversible(flow: Flow): Flow {
    const action = this.#contract(`send-${this.#actions.length}`, 'irreversible');
    this.#actions.push(action);
    const name = this.#join(flow, {
      type: 'action',
      action_def: `${action.action_id}@1`,
      irreversible: 'acknowledged',
      input_mapping: this.#inputsOf(flow),
    });
    this.#fail(name);
    return this.#after(name, flow, 'result');
  }

  /** Leads the failure of a node to an error node of some handling. */
  #handle(name: string, flow: Flow): void {
    const kind = this.#draw(4);
    if (kind === 0) {
      this.#fail(name);
      return;
    }
    const handling = (['compensate', 'rollback', 'compensate'] as const)[kind - 1] as 'compensate' | 'rollback';
    let node: Omit<Extract<Node, { type: 'error' }>, 'node_id'> = { type: 'error', handling };
    if (kind === 1) {
      const action = this.#contract(`amend-${this.#actions.length}`, 'pure');
      this.#actions.push(action);
      const input_mapping = { text: '${error.node_id}', count: this.#mapping(flow, 'number') };
      node = { ...node, compensate_ref: `${action.action_id}@*`, input_mapping };
    }
    const error = this.#add(node);
    this.#edges.push({ from_node: name, to_node: error, label: 'failure' });
    this.#end({ ports: [{ from: error, label: 'success' }], readable: [] }, 'compensated');
    this.#fail(error);
  }

  #fail(name: string): void {
    const known = this.#nodes.find(node => node.type === 'error' && node.handling === 'fail');
    const error = known?.node_id ?? this.#add({ type: 'error', handling: 'fail' });
    this.#edges.push({ from_node: name, to_node: error, label: 'failure' });
  }

  #end(flow: Flow, status: 'completed' | 'failed' | 'compensated'): void {
    this.#join(flow, { type: 'terminal', status });
  }

  /** Adds a node below all ports. */
  #join(flow: Flow, node: object): string {
    const joined = flow.ports.length > 1 && !('join_type' in node) ? { join_type: 'OR' } : {};
    const name = this.#add({ ...node, ...joined });
    for (const { from, label } of flow.ports) this.#edges.push({ from_node: from, to_node: name, label });
    return name;
  }

  #add(node: object): string {
    const node_id = this.#names.pop() ?? `n${this.#nodes.length}`;
    this.#nodes.push({ node_id, ...node } as Node);
    return node_id;
  }

  #inputsOf(flow: Flow): Record<string, unknown> {
    const optional = this.#draw(2) === 0 ? { done: this.#mapping(flow, 'boolean') } : {};
    return { text: this.#mapping(flow, 'string'), count: this.#mapping(flow, 'number'), ...optional };
  }

  /** A mapping that gives a value of a type, from what can be read as often as not. */
  #mapping(flow: Flow, type: Readable['type']): unknown {
    const fitting = flow.readable.filter(readable => readable.type === type);
    const way = this.#draw(5);
    if (fitting.length === 0 || way === 0) return LITERALS[type];
    const { path } = this.#pick(fitting);
    if (way === 1 && type === 'string') return `a \${${this.#pick(flow.readable).path}} and \${${path}}, $\${not this}`;
    if (way === 2) return `\${${path} ?? ${JSON.stringify(LITERALS[type])}}`;
    return way === 3 && type === 'string' ? `\${inputs.note ?? ${path}}` : `\${${path}}`;
  }

  /** An expression that gives a boolean. */
  #boolean(flow: Flow): string {
    const of = (type: Readable['type']): string =>
      inExpression(this.#pick(flow.readable.filter(readable => readable.type === type)).path);
    const forms = [
      () => `${of('number')} > 2`,
      () => of('boolean'),
      () => `${of('boolean')} && ${of('number')} <= 7.5`,
      () => `${of('string')} == "x" || ${of('string')}.startsWith("y")`,
      () => 'has(inputs.note) && inputs.note != ""',
      () => `[${of('number')}, ${of('number')}].exists(i, i > 1.0)`,
      () => `size(${of('string')}) > 3 ? ${of('boolean')} : !${of('boolean')}`,
    ];
    return this.#pick(forms)();
  }

  #define(): Action {
    const profile = this.#pick(['pure', 'revertible', 'compensatable'] as const);
    const action = this.#contract(`do-${this.#actions.length}`, profile);
    this.#actions.push(action);
    return action;
  }

  #contract(action_id: string, profile: 'pure' | 'revertible' | 'compensatable' | 'irreversible'): Action {
    const determinism = this.#pick(['deterministic', 'conditionally_deterministic', 'non_deterministic'] as const);
    const base: Action = {
      action_id,
      version: '1.0.0',
      determinism,
      rollback: 'rollbackable',
      side_effects: [],
      input_schema: {
        type: 'object',
        properties: { text: { type: 'string' }, count: { type: ['number', 'null'] }, done: {} },
        required: ['text'],
        additionalProperties: false,
      },
      output_schema: { ...RESULT },
      preconditions: [{ id: 'some-text', kind: 'soft', expression: 'size(inputs.text) > 0' }],
      success_condition: 'result.done',
    };
    if (profile === 'pure') return base;
    if (profile === 'irreversible') return { ...base, rollback: 'irreversible', side_effects: ['external_service'] };
    const undo = `undo-${action_id}`;
    const given = { type: 'object', required: ['execution_id', 'inputs'] };
    const undoing: Action = {
      action_id: undo,
      version: '2.1.0',
      determinism: 'deterministic',
      rollback: 'compensatable',
      side_effects: ['remote_server'],
      idempotent: true,
      input_schema: given,
    };
    this.#actions.push(undoing);
    return profile === 'revertible'
      ? { ...base, side_effects: ['filesystem', 'memory'], revert: `${undo}@^2` }
      : {
          ...base,
          rollback: 'compensatable',
          side_effects: ['remote_server'],
          modifies_existing: true,
          compensation: `${undo}@>=2 <3`,
        };
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#draw(list.length)] as T;
  }
}
