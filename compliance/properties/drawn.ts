import type {
  Action,
  ErrorClass,
  Node,
  ProbeAnswer,
  StateChange,
  TerminalStatus,
  Workflow,
} from '../../schemas/types.js';
import type { Behaviour, Kill, Program } from '../program.js';

/** A pure action: no external effect, so that recovery may redo it. */
const STEP: Action = {
  action_id: 'step',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  idempotent: true,
};

interface Drawing {
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** One edge each, as `from label to`. */
  readonly edges: readonly string[];
  /** Nodes that are no plain action; what is missing is one, but `done` is a completed terminal. */
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly script: Readonly<Record<string, readonly Behaviour[]>>;
  readonly flag?: boolean;
  /** The value of an input of any type. */
  readonly any?: unknown;
  readonly action?: Partial<Action>;
  /** Definitions beside the one that all nodes use. */
  readonly more?: readonly Action[];
}

/** Gives the program of a drawing. */
export function draw({ edges, nodes = {}, script, flag, any, outputs, action, more = [] }: Drawing): Program {
  const split = edges.map(text => text.split(' ') as [string, string, string]);
  const ids = [...new Set(split.flatMap(([from, , to]) => [from, to]))];
  const node = (node_id: string) =>
    ({
      node_id,
      ...(node_id === 'done' ? { type: 'terminal', status: 'completed' } : PLAIN),
      ...nodes[node_id],
    }) as Node;
  const workflow: Workflow = {
    schema_version: '1.0',
    workflow: { name: 'drawn', version: '1.0.0' },
    ...(flag === undefined ? {} : { inputs: { flag: { schema: { type: 'boolean' } } } }),
    ...(any === undefined ? {} : { inputs: { any: {} } }),
    ...(outputs === undefined ? {} : { outputs: outputs as NonNullable<Workflow['outputs']> }),
    actions: [{ ...STEP, ...action }, ...more],
    nodes: ids.map(node),
    edges: split.map(([from_node, label, to_node]) => ({ from_node, label, to_node })),
  };
  const withoutAction = workflow.nodes.map(drawn => {
    if (drawn.type === 'action') return drawn;
    const { action_def: _none, ...rest } = drawn as Node & { action_def?: string };
    return rest as Node;
  });
  return {
    workflow: { ...workflow, nodes: withoutAction },
    inputs: { ...(flag === undefined ? {} : { flag }), ...(any === undefined ? {} : { any }) },
    max_parallel: 4,
    script: { nodes: script },
    kills: [],
  };
}

const PLAIN = { type: 'action', action_def: 'step@^1.0.0' };

/** Gives a chain of actions, each of which writes one key of State, and a completed terminal. */
export function chain(
  length: number,
  kills: readonly Kill[] = [],
  action: Partial<Action> = {},
  more: readonly Action[] = [],
): Program {
  const ids = Array.from({ length }, (_, index) => `n${index + 1}`);
  const drawn = draw({
    edges: ids.map((id, index) => `${id} success ${ids[index + 1] ?? 'done'}`),
    script: Object.fromEntries(ids.map(id => [id, [writing(id)]])),
    action,
    more,
  });
  return { ...drawn, kills };
}

/** An action with an external effect that must not happen twice, that can be undone, and that can be asked about it. */
export const EFFECTFUL: Partial<Action> = {
  rollback: 'compensatable',
  side_effects: ['repository'],
  idempotent: false,
  probe: true,
  compensation: 'undo@^1.0.0',
};

/** What undoes it, without an effect of its own that anybody could see. */
export const UNDO: Action = { ...STEP, action_id: 'undo' };

/** Gives a chain of two whose second action fails or not; the failure leads to an error node that undoes the first. */
export function undone(second: Behaviour): Program {
  const drawn = draw({
    edges: ['a success b', 'b success done', 'b failure back', 'back success over'],
    nodes: {
      back: { type: 'error', handling: 'rollback' },
      over: { type: 'terminal', status: 'compensated' },
    },
    script: { a: [gives(1)], b: [second] },
    action: EFFECTFUL,
    more: [UNDO],
  });
  return { ...drawn, script: { ...drawn.script, actions: { undo: [{ reply: { outputs: {} } }] } } };
}

/** Gives a chain of actions with external effects; what the probe of the second answers is as asked, else unknown. */
export function undoable(length: number, kills: readonly Kill[], probe?: ProbeAnswer | 'ledger'): Program {
  const program = chain(length, kills, EFFECTFUL, [UNDO]);
  const actions = { undo: [{ reply: { outputs: {} } }] };
  return {
    ...program,
    script: { ...program.script, actions, ...(probe === undefined ? {} : { probes: { n2: probe } }) },
  };
}

/** Gives a split into a quick and a slow branch, joined as asked, and a completed terminal. */
export function diamond(join_type: 'AND' | 'OR', script: Readonly<Record<string, readonly Behaviour[]>> = {}): Program {
  return draw({
    edges: ['a success quick', 'a success slow', 'quick success join', 'slow success join', 'join success done'],
    nodes: { a: { fan_out: 'parallel' }, join: { join_type } },
    script: {
      a: [gives(1)],
      quick: [gives(2)],
      slow: [{ ...gives(3), delay_ms: 60 }],
      join: [gives(4)],
      ...script,
    },
  });
}

/** Gives a choice between two actions by the input `flag`, and a completed terminal. */
export function choice(flag: boolean): Program {
  return draw({
    edges: ['choose true left', 'choose false right', 'left success done', 'right success done'],
    nodes: { choose: { type: 'condition', expression: 'inputs.flag' }, done: { join_type: 'OR' } },
    script: { left: [gives('left')], right: [gives('right')] },
    flag,
  });
}

/** Gives a split whose second branch reaches the AND join only where the input `flag` is true. */
export function gatedJoin(flag: boolean): Program {
  return draw({
    edges: [
      'a success b',
      'a success open',
      'b success join',
      'open true join',
      'open false other',
      'join success done',
    ],
    nodes: {
      a: { fan_out: 'parallel' },
      open: { type: 'condition', expression: 'inputs.flag' },
      join: { join_type: 'AND' },
      other: { type: 'terminal', status: 'completed' },
    },
    script: { a: [gives(1)], b: [gives(2)], join: [gives(3)] },
    flag,
  });
}

/** Gives a split whose two branches end in a completed terminal and in one of that status. */
export function twoEnds(status: TerminalStatus): Program {
  return draw({
    edges: ['a success b', 'a success c', 'b success done', 'c success other'],
    nodes: { a: { fan_out: 'parallel' }, other: { type: 'terminal', status } },
    script: { a: [gives(1)], b: [gives(2)], c: [gives(3)] },
  });
}

/** Gives an action that fails, by an error of that class, and one behind it by an edge of that label. */
export function failing(label: 'success' | 'always', error_class: ErrorClass): Program {
  const fails: Behaviour = { reply: { error: { error_class, detail: 'scripted', effect: 'none' } } };
  return draw({ edges: [`a ${label} b`, 'b success done'], script: { a: [fails], b: [gives(2)] } });
}

/** Gives an action that fails, with that to be said of its effect, and whose compensation fails too. */
export function doubtful(effect: 'none' | 'unknown'): Program {
  const fails: Behaviour = { reply: { error: { error_class: 'E2', detail: 'scripted', effect } } };
  const drawn = draw({
    edges: ['a success b', 'b success done'],
    script: { a: [fails], b: [gives(2)] },
    action: EFFECTFUL,
    more: [UNDO],
  });
  return { ...drawn, script: { ...drawn.script, actions: { undo: [FAILS] } } };
}

/** Gives a choice by an input of any type. */
export function judgedValue(any: unknown): Program {
  return draw({
    edges: ['choose true left', 'choose false right', 'left success done', 'right success done'],
    nodes: { choose: { type: 'condition', expression: 'inputs.any' }, done: { join_type: 'OR' } },
    script: { left: [gives('left')], right: [gives('right')] },
    any,
  });
}

/** Gives two actions, of which the second gets what the first gave; the workflow gives both. */
export function mapped(): Program {
  return draw({
    edges: ['a success b', 'b success done'],
    nodes: {
      a: { input_mapping: { x: '${inputs.any}' } },
      b: { input_mapping: { x: '${nodes.a.outputs.value}', y: 'got ${nodes.a.outputs.value}' } },
    },
    script: { a: [gives(1)], b: [gives('two')] },
    any: [1, 'two'],
    outputs: { out: '${nodes.b.outputs.value}', both: ['${nodes.a.outputs.value}', '${nodes.b.outputs.value}'] },
  });
}

/** Gives a program with other behaviours for some nodes. */
export function scripted(program: Program, nodes: Readonly<Record<string, readonly Behaviour[]>>): Program {
  return { ...program, script: { ...program.script, nodes: { ...program.script.nodes, ...nodes } } };
}

/** A behaviour that gives one value. */
export function gives(value: unknown): Behaviour {
  return { reply: { outputs: { value } } };
}

/** A behaviour that gives the name of its node and writes it to a key of its own. */
export function writing(id: string): Behaviour {
  const change = { key: `out/${id}`, op: 'put', value: id } as unknown as StateChange;
  return { reply: { outputs: { value: id }, state_changes: [change] } };
}

/** A behaviour that fails for good, without effect. */
export const FAILS: Behaviour = { reply: { error: { error_class: 'E4', detail: 'scripted', effect: 'none' } } };
