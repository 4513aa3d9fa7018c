/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  'letter.write': ({ inputs }) => ({ outputs: { text: `Dear ${inputs.name}, thank you.` } }),
  'letter.post': ({ inputs }) => ({ outputs: { posted: inputs.text } }),
};

export default actions;
