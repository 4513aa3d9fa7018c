/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  'text.shorten': ({ inputs }) => ({ outputs: { sentence: inputs.text.split('. ')[0] } }),
  'text.count': ({ inputs }) => ({ outputs: { words: inputs.text.split(' ').length } }),
  'text.join': ({ inputs }) => ({ outputs: { text: inputs.parts.join('; ') } }),
};

export default actions;
