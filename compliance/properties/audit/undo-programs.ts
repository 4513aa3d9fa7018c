import type { Action } from '../../../schemas/types.js';
import { type Kill, type Observation, OWNER, type Program, type UndoWish } from '../../program.js';
import { draw, EFFECTFUL, FAILS, gives, UNDO } from '../drawn.js';

const ROLLBACKABLE = {
  ...EFFECTFUL,
  action_id: 'put',
  version: '1.0.0',
  rollback: 'rollbackable',
  revert: 'undo@^1.0.0',
};
const { compensation: _none, ...WITHOUT } = EFFECTFUL;
const IRREVERSIBLE = { ...WITHOUT, action_id: 'send', version: '1.0.0', rollback: 'irreversible' };
const MORE = [ROLLBACKABLE, IRREVERSIBLE].map(action => ({ ...action, determinism: 'deterministic' }) as Action);

/** What a program of a request may have otherwise. */
interface Circumstances {
  readonly kills?: readonly Kill[];
  /** What the undo is, and what it does. */
  readonly undo?: Partial<Action>;
  readonly undo_fails_first?: boolean;
  readonly probe?: 'ledger';
}

/** Gives a chain of a compensatable, a rollbackable and an irreversible action, all of which commit, and wishes to undo them. */
export function wishing(undos: readonly UndoWish[], circumstances: Circumstances = {}): Program {
  const { kills = [], undo = {}, undo_fails_first = false, probe } = circumstances;
  const drawn = draw({
    edges: ['comp success put', 'put success send', 'send success done'],
    nodes: {
      put: { action_def: 'put@^1.0.0' },
      send: { action_def: 'send@^1.0.0', irreversible: 'acknowledged' },
    },
    script: { comp: [gives(1)], put: [gives(2)], send: [gives(3)] },
    action: EFFECTFUL,
    more: [{ ...UNDO, ...undo }, ...MORE],
  });
  const works = { reply: { outputs: {} } };
  return {
    ...drawn,
    undos,
    kills,
    script: {
      ...drawn.script,
      actions: { undo: undo_fails_first ? [FAILS, works] : [works] },
      ...(probe === undefined ? {} : { probes: { comp: probe } }),
    },
  };
}

/** An undo with an effect of its own, that can be asked about it. */
export const PROBED: Partial<Action> = { ...EFFECTFUL, idempotent: true };

export const COMPENSATE: UndoWish = { of: { node_id: 'comp' } };
export const REVERT: UndoWish = { of: { node_id: 'put' } };
export const IMPOSSIBLE: UndoWish = { of: { node_id: 'send' } };
export const BY_ANOTHER: UndoWish = { ...COMPENSATE, agent_id: OWNER };

/** What a runtime lacks that undoes nothing on request. */
export function withoutRollback({ undos = [] }: Observation): string | undefined {
  const refused = undos.some(({ answers }) =>
    answers.some(answer => 'error' in answer && answer.error.kind === 'unsupported'),
  );
  return refused ? 'recovery (execution/rollback)' : undefined;
}
