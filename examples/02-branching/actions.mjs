/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  'text.trim': ({ inputs }) => ({ outputs: { text: inputs.text.trim() } }),
  'text.count': ({ inputs }) => ({ outputs: { words: inputs.text.split(/\s+/u).filter(Boolean).length } }),
  'text.shout': ({ inputs }) => ({ outputs: { shouting: /\p{Lu}{3}/u.test(inputs.text) } }),
  verdict: ({ inputs, node_id }) => ({ outputs: { verdict: `${node_id}: ${inputs.because}` } }),
};

export default actions;
