import { setTimeout as pause } from 'node:timers/promises';

/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  add: async ({ inputs }) => {
    await pause(inputs.pause_ms);
    const sum = inputs.sum + 1;
    return { outputs: { sum }, state_changes: [{ key: 'sum', op: 'put', value: sum }] };
  },
};

export default actions;
