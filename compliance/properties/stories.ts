import type { StateChange } from '../../schemas/types.js';
import type { Turn } from '../dialogue.js';
import type { Behaviour, Program, Script } from '../program.js';
import { chain, draw, EFFECTFUL, FAILS, gives, UNDO } from './drawn.js';

/** Programs for one workspace: no two of them share a node, and none of them waits for another. */
export const STORIES = {
  /** Two actions that each write one key of State. */
  steps: chain(2),
  /** An action that fails, and an error node that has the one before it compensated. */
  undone: withUndo('undo', {
    edges: ['u1 success u2', 'u2 success done', 'u2 failure back', 'back success over'],
    nodes: { back: { type: 'error', handling: 'rollback' }, over: { type: 'terminal', status: 'compensated' } },
    script: { u1: [gives(1)], u2: [FAILS] },
  }),
  /** An action of which nobody knows what became. */
  doubt: withUndo('undo.bad', {
    edges: ['d1 success done'],
    script: { d1: [{ reply: { error: { error_class: 'E2', detail: 'scripted', effect: 'unknown' } } }] },
  }),
  /** Writes of every kind to keys that other stories write too. */
  writes: draw({
    edges: ['w1 success w2', 'w2 success done'],
    script: {
      w1: [changing({ key: 'shared', op: 'put', value: [1] }, { key: 'gone', op: 'put', value: null })],
      w2: [changing({ key: 'gone', op: 'delete' }, { key: 'é/😀', op: 'put', value: { b: 1, a: 2 } })],
    },
  }),
  /** A write that is put back by an undo of the runtime's own. */
  restored: draw({
    edges: ['r1 success r2', 'r2 success done', 'r2 failure again', 'again success over'],
    nodes: { again: { type: 'error', handling: 'rollback' }, over: { type: 'terminal', status: 'compensated' } },
    script: { r1: [changing({ key: 'shared', op: 'put', value: 'for a while' })], r2: [FAILS] },
  }),
  /** An action that fails, handled by nobody. */
  fails: draw({ edges: ['f1 success f2', 'f2 success done'], script: { f1: [gives(1)], f2: [FAILS] } }),
  /** An action that never answers. */
  hangs: draw({ edges: ['h1 success done'], script: { h1: [{}] } }),
} as const satisfies Readonly<Record<string, Program>>;

/** What the actions of all stories do. */
export const STORY_SCRIPT: Script = {
  nodes: Object.assign({}, ...Object.values(STORIES).map(({ script }) => script.nodes)) as Script['nodes'],
  actions: { undo: [{ reply: { outputs: {} } }], 'undo.bad': [FAILS] },
};

/** Gives the turn that runs a story, or starts the one that never ends. */
export function told(name: keyof typeof STORIES, more: Partial<Extract<Turn, { do: 'run' }>> = {}): Turn {
  return {
    do: 'run',
    program: STORIES[name],
    as: name,
    ...(name === 'hangs' ? { unfollowed: true as const } : {}),
    ...more,
  };
}

function changing(...state_changes: readonly StateChange[]): Behaviour {
  return { reply: { outputs: {}, state_changes: [...state_changes] } };
}

function withUndo(action_id: string, drawing: Parameters<typeof draw>[0]): Program {
  return draw({
    ...drawing,
    action: { ...EFFECTFUL, compensation: `${action_id}@^1.0.0` },
    more: [{ ...UNDO, action_id }],
  });
}
