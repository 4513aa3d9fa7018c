import type { Turn } from '../dialogue.js';
import type { Program, Script } from '../program.js';
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

function withUndo(action_id: string, drawing: Parameters<typeof draw>[0]): Program {
  return draw({
    ...drawing,
    action: { ...EFFECTFUL, compensation: `${action_id}@^1.0.0` },
    more: [{ ...UNDO, action_id }],
  });
}
