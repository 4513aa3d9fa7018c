import type { Action, Edge, Node, Registry, Workflow } from '../../../../schemas/types.js';
import type { Draw } from './enumerate.js';
import type { SoundProgram } from './sound.js';

/** What an action of a planted node takes and gives. */
const INPUT = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false } as const;
const OUTPUT = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false } as const;

/** A definition of which nothing is wrong, under a name of its own. */
export function plainAction(action_id: string, more: Partial<Action> = {}): Action {
  return {
    action_id,
    version: '1.0.0',
    determinism: 'deterministic',
    rollback: 'rollbackable',
    side_effects: [],
    input_schema: INPUT,
    output_schema: OUTPUT,
    ...more,
  };
}

/** A copy of a sound program into which something is planted. What is added keeps every rule, too, unless it is told not to. */
export class Site {
  readonly workflow: Workflow;
  readonly registry: Registry;
  readonly nodes: Node[];
  readonly edges: Edge[];
  readonly actions: Action[];
  readonly #draw: Draw;
  #added = 0;

  constructor(program: SoundProgram, draw: Draw) {
    const { workflow, registry } = structuredClone(program);
    this.workflow = workflow;
    this.registry = registry;
    this.nodes = workflow.nodes;
    this.edges = workflow.edges;
    workflow.actions ??= [];
    this.actions = workflow.actions;
    this.#draw = draw;
  }

  /** Adds a definition; returns its pointer. */
  define(action: Action): string {
    this.actions.push(action);
    return `/actions/${this.actions.length - 1}`;
  }

  /** Adds an action node that executes a new plain definition, its failure handled; returns its name. */
  action(more: object = {}, contract: Partial<Action> = {}): string {
    const action = plainAction(`planted-${this.actions.length}`, contract);
    this.define(action);
    const node_id = this.add({ type: 'action', action_def: `${action.action_id}@^1`, ...more });
    this.fails(node_id);
    return node_id;
  }

  /** Adds a condition over a boolean. */
  condition(expression = 'inputs.urgent', more: object = {}): string {
    return this.add({ type: 'condition', expression, ...more });
  }

  /** Adds a condition that only passes on. */
  pass(more: object = {}): string {
    return this.condition('inputs.text', more);
  }

  /** Adds a skill node over a new workflow of the registry, its failure handled; returns its name. */
  skill(more: object = {}, child: Partial<Workflow> = {}): string {
    const name = `planted-child-${this.registry.workflows?.length ?? 0}`;
    this.registry.workflows ??= [];
    this.registry.workflows.push({
      schema_version: '1.0',
      workflow: { name, version: '1.0.0' },
      inputs: { text: { schema: { type: 'string' } } },
      outputs: { text: '${inputs.text}' },
      actions: [plainAction('inside')],
      nodes: [
        { node_id: 'inside', type: 'action', action_def: 'inside@1' },
        { node_id: 'end', type: 'terminal', status: 'completed' },
      ],
      edges: [{ from_node: 'inside', to_node: 'end', label: 'success' }],
      ...child,
    });
    const node_id = this.add({ type: 'skill', workflow_ref: `${name}@^1`, input_mapping: { text: 'x' }, ...more });
    this.fails(node_id);
    return node_id;
  }

  add(node: object): string {
    const node_id = `${['p', 'A', 'z', 'ö'][this.#draw(4)]}planted${this.#added++}`;
    this.nodes.push({ node_id, ...node } as Node);
    return node_id;
  }

  /** Adds an edge; returns its pointer. */
  edge(from_node: string, to_node: string, label: string): string {
    this.edges.push({ from_node, to_node, label });
    return `/edges/${this.edges.length - 1}`;
  }

  /** Leads the failure of a node to the error node that fails. */
  fails(node_id: string): void {
    const error = this.nodes.find(node => node.type === 'error' && node.handling === 'fail');
    this.edge(node_id, error?.node_id ?? '', 'failure');
  }

  /** Adds a terminal below an outcome of a node. */
  end(node_id: string, label = 'success'): string {
    const terminal = this.add({ type: 'terminal', status: 'compensated' });
    this.edge(node_id, terminal, label);
    return terminal;
  }

  /** Puts something into a success edge: what was its end comes behind the outcome of the last. */
  between(first: string, last = first, label = 'success'): void {
    const planted = this.#added;
    const edge = this.#pick(this.edges.filter(candidate => this.#isPlain(candidate, planted)));
    const to = edge.to_node;
    edge.to_node = first;
    this.edge(last, to, label);
  }

  /** Puts a condition into a success edge, one of whose outcomes leads to something; returns the condition. */
  aside(first: string): string {
    const condition = this.condition();
    this.edge(condition, first, 'false');
    this.between(condition, condition, 'true');
    return condition;
  }

  /** Begins with a condition, one of whose outcomes leads to something, so that nothing else runs beside it. */
  instead(first: string): void {
    const start =
      this.nodes.find(({ node_id }) => this.edges.every(({ to_node }) => to_node !== node_id))?.node_id ?? '';
    const condition = this.condition();
    const { workflow } = this.workflow;
    if (workflow.start === start) workflow.start = condition;
    this.edge(condition, start, 'true');
    this.edge(condition, first, 'false');
  }

  pointer(node_id: string): string {
    return `/nodes/${this.nodes.findIndex(node => node.node_id === node_id)}`;
  }

  get start(): string {
    return this.nodes[0]?.node_id ?? '';
  }

  get hasIrreversible(): boolean {
    return this.actions.some(({ rollback }) => rollback === 'irreversible');
  }

  pick<T>(list: readonly T[]): T {
    return this.#pick(list);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#draw(list.length)] as T;
  }

  /** Whether an edge follows the success of something that was there before and can be undone. */
  #isPlain({ from_node, label }: Edge, planted: number): boolean {
    const source = this.nodes.findIndex(({ node_id }) => node_id === from_node);
    const node = this.nodes[source];
    const isOld = source >= 0 && source < this.nodes.length - planted;
    const isStep = node?.type === 'action' || node?.type === 'skill';
    return isOld && isStep && label === 'success' && node.irreversible === undefined;
  }
}
