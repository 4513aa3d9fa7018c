import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** What the bank, here a file, knows of a payment: its receipt, or undefined. */
function receiptIn(ledger, key) {
  const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n') : [];
  return lines.includes(key) ? `receipt ${lines.indexOf(key) + 1}` : undefined;
}

/**
 * The code of the actions, by action_id.
 *
 * @type {import('agent-runtime-spec').ActionFunctions}
 */
const actions = {
  'payment.send': {
    invoke: async ({ inputs, idempotency_key }) => {
      appendFileSync(inputs.ledger, `${idempotency_key}\n`);
      await pause(inputs.pause_ms);
      return { outputs: { receipt: receiptIn(inputs.ledger, idempotency_key) } };
    },
    probe: ({ inputs, idempotency_key }) => {
      const receipt = receiptIn(inputs.ledger, idempotency_key);
      return receipt === undefined ? { verdict: 'absent' } : { verdict: 'applied', outputs: { receipt } };
    },
  },
};

export default actions;
