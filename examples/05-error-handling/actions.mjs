const reserved = new Set();
let calls = 0;

/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  'stock.reserve': ({ inputs }) => {
    reserved.add(inputs.article);
    return { outputs: { reservation: `r-${inputs.article}` } };
  },
  'stock.release': ({ inputs }) => {
    reserved.delete(inputs.inputs.article);
    return { outputs: { released: inputs.outputs.reservation } };
  },
  /** Refuses the first call of all, and everything that is reserved for a tricycle. */
  'account.charge': ({ inputs }) => {
    calls += 1;
    if (calls === 1 || inputs.reservation === 'r-tricycle')
      return { error: { error_class: 'E2', detail: 'the account does not answer', effect: 'none' } };
    return { outputs: { receipt: `paid for ${inputs.reservation}` } };
  },
  'account.refund': () => ({ outputs: {} }),
};

export default actions;
export { reserved };
