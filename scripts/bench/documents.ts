import type { Action, Edge, Node, Workflow } from '../../schemas/types.js';

/** The forms of graph that are measured. */
export const SHAPES = ['chain', 'ladder', 'dense', 'sound', 'unhandled', 'random'] as const;
export type Shape = (typeof SHAPES)[number];

/** What each shape is, in words. */
export const SHAPE_TEXTS: Readonly<Record<Shape, string>> = {
  chain: 'actions one after the other, each reads the one before; failures lead to one error node',
  ladder: 'diamonds in a row, by turns a condition with an OR join and a fan-out with an AND join',
  dense: 'layers of four nodes, each layer wholly connected with the next one, all of them AND joins',
  sound: 'a random acyclic graph of actions and conditions, which reads what came long before, without findings',
  unhandled: 'a chain without error nodes: a warning for each action',
  random: 'a random acyclic graph of every type of node, which reads what came long before, with findings',
};

/** The shapes whose documents have findings: a report has to be written for them, which JSON.parse has nothing like. */
export const SHAPES_WITH_FINDINGS: ReadonlySet<Shape> = new Set<Shape>(['unhandled', 'random']);

const ACTIONS = 100;

/** Returns a workflow document of about so many nodes; the same one for the same arguments. */
export function documentOf(shape: Shape, size: number): Workflow {
  const builder = new Builder(`${shape}-${size}`);
  BUILDERS[shape](builder, size);
  return builder.workflow;
}

const BUILDERS: Readonly<Record<Shape, (builder: Builder, size: number) => void>> = {
  chain: (builder, size) => buildChain(builder, size, true),
  unhandled: (builder, size) => buildChain(builder, size, false),
  ladder: buildLadder,
  dense: buildDense,
  sound: buildSound,
  random: buildRandom,
};

/** Collects the parts of a document; every fourth action is none that is plain. */
class Builder {
  readonly workflow: Workflow;
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];

  constructor(name: string) {
    this.workflow = {
      schema_version: '1.0',
      workflow: { name, version: '1.0.0', start: 'step-1' },
      inputs: { customer: { schema: { type: 'string' } }, limit: { schema: { type: 'number' }, default: 10 } },
      outputs: {},
      actions: Array.from({ length: ACTIONS }, (_, at) => actionOf(at)),
      nodes: this.nodes,
      edges: this.edges,
    };
  }

  /** Adds an action node that takes over a value. */
  act(at: number, value: string, rest: Partial<Extract<Node, { type: 'action' }>> = {}): string {
    const node_id = `step-${at}`;
    const action_def = `act.${at % ACTIONS}@^1.0.0`;
    const input_mapping = { customer: '${inputs.customer}', value };
    this.nodes.push({ node_id, type: 'action', action_def, input_mapping, ...rest });
    return node_id;
  }

  add(node: Node): string {
    this.nodes.push(node);
    return node.node_id;
  }

  edge(from_node: string, to_node: string, label: string): void {
    this.edges.push({ from_node, to_node, label });
  }

  end(from_node: string, label: string): void {
    this.edge(from_node, this.add({ node_id: 'done', type: 'terminal', status: 'completed' }), label);
  }
}

function actionOf(at: number): Action {
  const text = { type: 'string' };
  return {
    schema_version: '1.0',
    action_id: `act.${at}`,
    version: '1.2.0',
    input_schema: {
      type: 'object',
      required: ['value'],
      properties: { customer: text, value: { type: 'number' } },
      additionalProperties: false,
    },
    output_schema: { type: 'object', required: ['value'], properties: { value: { type: 'number' }, note: text } },
    determinism: at % 3 === 0 ? 'conditionally_deterministic' : 'deterministic',
    rollback: 'rollbackable',
    side_effects: [],
    preconditions: [{ id: 'positive', kind: 'hard', expression: 'inputs.value >= 0.0' }],
    timeout_ms: 30_000,
  };
}

const outputOf = (node_id: string): string => `\${nodes.${node_id}.outputs.value}`;

function buildChain(builder: Builder, size: number, handled: boolean): void {
  if (handled) builder.add({ node_id: 'stop', type: 'error', handling: 'fail' });
  let before = '';
  for (let at = 1; at <= size; at++) {
    const retry = at % 4 === 0 ? { retry_policy: { max_retries: 2, backoff_ms: 100 } } : {};
    const node_id = builder.act(at, before === '' ? '${inputs.limit}' : outputOf(before), retry);
    if (before !== '') builder.edge(before, node_id, 'success');
    if (handled) builder.edge(node_id, 'stop', 'failure');
    before = node_id;
  }
  builder.end(before, 'success');
  builder.workflow.outputs = { value: outputOf(before) };
}

function buildLadder(builder: Builder, size: number): void {
  builder.add({ node_id: 'stop', type: 'error', handling: 'fail' });
  let before = builder.act(1, '${inputs.limit}');
  builder.edge(before, 'stop', 'failure');
  for (let at = 2; at < size; at += 4) {
    const chooses = at % 8 === 2;
    const split = `step-${at}`;
    if (chooses)
      builder.add({ node_id: split, type: 'condition', expression: `nodes["${before}"].outputs.value > 3.0` });
    else builder.act(at, outputOf(before), { fan_out: 'parallel' });
    builder.edge(before, split, 'success');
    const sides = [1, 2].map(side => builder.act(at + side, outputOf(before)));
    const [left = '', right = ''] = sides;
    const value = chooses ? `\${nodes.${left}.outputs.value ?? nodes.${right}.outputs.value}` : outputOf(right);
    const join = builder.act(at + 3, value, { join_type: chooses ? 'OR' : 'AND' });
    for (const [side, node_id] of sides.entries()) {
      builder.edge(split, node_id, chooses ? String(side === 0) : 'success');
      builder.edge(node_id, join, 'success');
      builder.edge(node_id, 'stop', 'failure');
    }
    for (const node_id of chooses ? [join] : [split, join]) builder.edge(node_id, 'stop', 'failure');
    before = join;
  }
  builder.end(before, 'success');
  builder.workflow.outputs = { value: outputOf(before) };
}

function buildDense(builder: Builder, size: number): void {
  const width = 4;
  builder.act(1, '${inputs.limit}', { fan_out: 'parallel' });
  let layer = ['step-1'];
  for (let at = 2; at < size; at += width) {
    const next: string[] = [];
    for (let side = 0; side < width; side++) {
      const read = `\${nodes.${layer[side % layer.length]}.outputs.value ?? 0}`;
      next.push(builder.act(at + side, read, { fan_out: 'parallel', join_type: 'AND' }));
    }
    for (const from of layer) for (const to of next) builder.edge(from, to, 'always');
    layer = next;
  }
  builder.add({ node_id: 'done', type: 'terminal', status: 'completed', join_type: 'AND' });
  for (const from of layer) builder.edge(from, 'done', 'always');
}

/** Every node comes after the one before, so that all that follows a condition follows its true edge. */
function buildSound(builder: Builder, size: number): void {
  const random = generator(size);
  const below = (bound: number): number => Math.floor(random() * bound);
  builder.add({ node_id: 'stop', type: 'error', handling: 'fail' });
  builder.add({ node_id: 'done', type: 'terminal', status: 'completed', join_type: 'OR' });
  const conditions = new Set<number>();
  for (let at = 1; at <= size; at++) {
    const join_type = 'AND';
    const read = Math.max(1, at - 1 - below(60));
    if (at > 1 && at < size && random() < 0.15) {
      conditions.add(at);
      builder.add({ node_id: `step-${at}`, type: 'condition', expression: `inputs.limit > ${below(20)}.0`, join_type });
    } else {
      const value = at === 1 || conditions.has(read) ? '${inputs.limit}' : `\${nodes.step-${read}.outputs.value ?? 1}`;
      builder.act(at, value, { fan_out: 'parallel', join_type });
    }
  }
  for (let at = 1; at <= size; at++) {
    const from = `step-${at}`;
    const ahead = at >= size ? 'done' : `step-${at + 1}`;
    if (conditions.has(at)) {
      builder.edge(from, ahead, 'true');
      builder.edge(from, 'done', 'false');
      continue;
    }
    builder.edge(from, ahead, 'success');
    const far = at + 2 + below(40);
    if (random() < 0.4 && far <= size) builder.edge(from, `step-${far}`, 'success');
    builder.edge(from, 'stop', 'failure');
  }
}

function buildRandom(builder: Builder, size: number): void {
  const random = generator(size);
  const below = (bound: number): number => Math.floor(random() * bound);
  builder.add({ node_id: 'stop', type: 'error', handling: 'fail' });
  builder.add({ node_id: 'done', type: 'terminal', status: 'completed', join_type: 'OR' });
  const reads = (at: number): string =>
    at === 1 ? '${inputs.limit}' : `\${nodes.step-${Math.max(1, at - 1 - below(60))}.outputs.value ?? 1}`;
  const conditions = new Set<number>();
  for (let at = 1; at <= size; at++) {
    const join_type = random() < 0.5 ? 'AND' : 'OR';
    if (at > 1 && random() < 0.15) {
      conditions.add(at);
      builder.add({ node_id: `step-${at}`, type: 'condition', expression: `inputs.limit > ${below(20)}.0`, join_type });
    } else builder.act(at, reads(at), { fan_out: 'parallel', join_type, ...(at % 50 === 0 ? RISKY : {}) });
  }
  const next = (at: number): string => (at >= size ? 'done' : `step-${Math.min(size, at + 1 + below(40))}`);
  for (let at = 1; at <= size; at++) {
    const from = `step-${at}`;
    const ahead = at >= size ? 'done' : `step-${at + 1}`;
    if (conditions.has(at)) {
      builder.edge(from, ahead, 'true');
      builder.edge(from, next(at), 'false');
    } else {
      builder.edge(from, ahead, 'success');
      if (random() < 0.4) builder.edge(from, next(at + 1), 'success');
      builder.edge(from, 'stop', 'failure');
    }
  }
}

const RISKY = { retry_policy: { max_retries: 3, backoff_ms: 10 }, timeout_ms: 1000 };

/** Numbers in [0, 1) that look random (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
