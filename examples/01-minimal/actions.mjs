/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  greet: ({ inputs }) => ({ outputs: { text: `Hello, ${inputs.name}!` } }),
};

export default actions;
