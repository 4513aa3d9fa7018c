/** The code of the actions, by action_id. */
export default {
  greet: ({ inputs }) => ({ outputs: { text: `Hello, ${inputs.name}!` } }),
};
