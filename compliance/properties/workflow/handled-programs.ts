import type { Action, ErrorClass } from '../../../schemas/types.js';
import type { Behaviour, Program } from '../../program.js';
import { draw, EFFECTFUL, FAILS, gives, UNDO } from '../drawn.js';

/** A failure of a class that no policy retries, without effect. */
export function failsWith(error_class: ErrorClass): Behaviour {
  return { reply: { error: { error_class, detail: 'scripted', effect: 'none' } } };
}

/** Gives an action with these answers in turn, and an error node that executes it again. */
export function retrying(answers: readonly Behaviour[], max_attempts = 2): Program {
  return draw({
    edges: ['a success b', 'b success done', 'b failure again', 'again success done'],
    nodes: {
      b: { input_mapping: { x: '${nodes.a.outputs.value}' } },
      again: { type: 'error', handling: 'retry', max_attempts },
      done: { join_type: 'OR' },
    },
    script: { a: [gives(1)], b: answers },
  });
}

/** Gives a split of one action and one that fails twice, which an error node executes again until it succeeds. */
export function retriedBeside(): Program {
  return draw({
    edges: ['s success a', 's success b', 'a success done', 'b success done', 'b failure again', 'again success done'],
    nodes: {
      s: { fan_out: 'parallel' },
      again: { type: 'error', handling: 'retry', max_attempts: 3 },
      done: { join_type: 'OR' },
    },
    script: { s: [gives(0)], a: [gives(1)], b: [FAILS, FAILS, gives(2)] },
  });
}

/**
 * Gives a split of a slow branch and one that fails, whose failure leads to an error node that undoes the instance: it has
 * to wait for the slow one, and to undo that first.
 */
export function undoing(quick: Behaviour, undo: Behaviour = { reply: { outputs: {} } }): Program {
  const drawn = draw({
    edges: [
      'a success quick',
      'a success slow',
      'quick success done',
      'quick failure back',
      'back success over',
      'slow success done',
    ],
    nodes: {
      a: { fan_out: 'parallel' },
      back: { type: 'error', handling: 'rollback' },
      over: { type: 'terminal', status: 'compensated' },
      done: { join_type: 'OR' },
    },
    script: { a: [gives(1)], quick: [quick], slow: [{ ...gives(2), delay_ms: 40 }] },
    action: EFFECTFUL,
    more: [UNDO],
  });
  return { ...drawn, script: { ...drawn.script, actions: { undo: [undo] } } };
}

/**
 * Gives a chain whose second action fails at first, and nothing is undone; in the instance that resumes it the third fails,
 * and an error node has to undo the second and what was carried over, the first.
 */
export function undoneResumed(): Program {
  const drawn = draw({
    edges: ['a success b', 'b success c', 'c success done', 'c failure back', 'back success over'],
    nodes: {
      back: { type: 'error', handling: 'rollback' },
      over: { type: 'terminal', status: 'compensated' },
    },
    script: { a: [gives(1)], b: [FAILS, gives(2)], c: [FAILS] },
    action: EFFECTFUL,
    more: [UNDO],
  });
  const actions = { undo: [{ reply: { outputs: {} } }] };
  return { ...drawn, script: { ...drawn.script, actions }, resume: true };
}

/** Gives two branches that fail, each with an error node that undoes: of the two the one with the smaller name is first. */
export function twiceUndone(): Program {
  const drawn = draw({
    edges: [
      'a success b',
      'a success c',
      'b failure y',
      'c failure x',
      'x success over',
      'y success next',
      'next success over',
      'b success over',
      'c success over',
    ],
    nodes: {
      a: { fan_out: 'parallel' },
      x: { type: 'error', handling: 'rollback' },
      y: { type: 'error', handling: 'compensate' },
      over: { type: 'terminal', status: 'compensated', join_type: 'OR' },
    },
    script: { a: [gives(1)], b: [FAILS], c: [FAILS], next: [gives(3)] },
    action: EFFECTFUL,
    more: [UNDO],
  });
  return { ...drawn, script: { ...drawn.script, actions: { undo: [{ reply: { outputs: {} } }] } } };
}

/**
 * Gives a skill that fails behind a commit. With error nodes it undoes that, and cannot, and the parent tries again;
 * without them nothing is undone.
 */
export function failingBelow(handled: boolean): Program {
  const inner = draw({
    edges: ['c success d', 'd success end', ...(handled ? ['d failure back', 'back success end'] : [])],
    nodes: {
      ...(handled ? { back: { type: 'error', handling: 'rollback' } } : {}),
      end: { type: 'terminal', status: 'completed', ...(handled ? { join_type: 'OR' } : {}) },
    },
    script: {},
    action: EFFECTFUL,
    more: [UNDO],
  }).workflow;
  const outer = draw({
    edges: ['sk success done', 'sk failure again', 'again success over'],
    nodes: {
      sk: { type: 'skill', workflow_ref: 'inner@^1.0.0' },
      again: { type: 'error', handling: handled ? 'rollback' : 'retry' },
      over: { type: 'terminal', status: 'compensated' },
    },
    script: { c: [gives(1)], d: [FAILS] },
    more: [UNDO],
  });
  const workflow = { ...inner, workflow: { name: 'inner', version: '1.0.0' } };
  const actions = { undo: [FAILS] };
  return { ...outer, registry: { workflows: [workflow] }, script: { ...outer.script, actions } };
}

/** Gives a split of a branch that completes and one whose failure leads to an error node with handling fail. */
export function marking(answer: Behaviour): Program {
  return draw({
    edges: ['s success a', 's success b', 'a success done', 'a failure stop', 'b success done'],
    nodes: { s: { fan_out: 'parallel' }, stop: { type: 'error', handling: 'fail' }, done: { join_type: 'OR' } },
    script: { s: [gives(0)], a: [answer], b: [gives(2)] },
  });
}

/** Gives a skill whose one action answers so, between an action and a terminal; its failure is taken up where asked. */
export function skilled(answer: Behaviour, handled: boolean, child: Partial<Action> = {}, retries = 0): Program {
  const inner = draw({
    edges: ['c success end'],
    nodes: { c: { input_mapping: { x: '${inputs.n}' } }, end: { type: 'terminal', status: 'completed' } },
    script: { c: [answer] },
    action: child,
    outputs: { out: '${nodes.c.outputs.value}' },
  }).workflow;
  const workflow = {
    ...inner,
    workflow: { name: 'inner', version: '1.0.0' },
    inputs: { n: {}, m: { schema: { type: 'number' }, default: 7 } },
  };
  const handling = retries > 0 ? { handling: 'retry', max_attempts: retries } : { handling: 'rollback' };
  const outer = draw({
    edges: ['a success sk', 'sk success done', ...(handled ? ['sk failure back', 'back success done'] : [])],
    nodes: {
      sk: { type: 'skill', workflow_ref: 'inner@^1.0.0', input_mapping: { n: '${nodes.a.outputs.value}' } },
      ...(handled ? { back: { type: 'error', ...handling } } : {}),
      done: { ...(handled ? { join_type: 'OR' } : {}) },
    },
    script: { a: [gives([1, 'x'])], c: [answer] },
  });
  return { ...outer, context: { of: 'the root' }, registry: { workflows: [workflow as never] } };
}

/** Gives a skill, and behind it an action that an error node executes again with success. */
export function readable(): Program {
  const program = skilled(gives('given'), false);
  const again = retrying([FAILS, gives(2)]).workflow;
  const own = program.workflow.nodes.filter(({ node_id }) => node_id !== 'done');
  const others = again.nodes.filter(({ node_id }) => node_id !== 'a');
  return {
    ...program,
    workflow: {
      ...program.workflow,
      nodes: [...own, ...others],
      edges: [
        { from_node: 'a', label: 'success', to_node: 'sk' },
        { from_node: 'sk', label: 'success', to_node: 'b' },
        ...again.edges.filter(({ from_node }) => from_node !== 'a'),
      ],
      outputs: { out: '${nodes.sk.outputs.out}' } as never,
    },
    script: { nodes: { ...program.script.nodes, b: [FAILS, gives(2)] } },
  };
}
