import { expect, it } from 'vitest';
import { type ActionFunction, type ActionFunctions, hostFunctions } from './functions.js';

interface Greeting {
  readonly text: string;
}
const greet: ActionFunction<{ name: string }> = ({ inputs }) => greeting(inputs.name.trim());
const greeting = (name: string): { outputs: Greeting } => ({ outputs: { text: `Hello ${name}` } });

it('takes functions of narrower inputs, and answers of any object, but none that is no answer', async () => {
  const functions: ActionFunctions = {
    greet,
    plain: async () => ({ outputs: {} }),
    // @ts-expect-error there is no such class
    classless: () => ({ error: { error_class: 'E9', detail: 'no', effect: 'none' } }),
    // @ts-expect-error these are no outputs
    bare: () => ({ text: 'Hello' }),
  };
  const call = { execution_id: 'x', idempotency_key: 'k', version: '1.0.0', attempt: 1, context: {} };
  const { invoke } = hostFunctions(functions);
  const { signal } = new AbortController();
  expect(await invoke({ ...call, action_id: 'greet', inputs: { name: ' Ada' } }, signal)).toEqual({
    outputs: { text: 'Hello Ada' },
  });
  expect(await invoke({ ...call, action_id: 'plain', inputs: {} }, signal)).toEqual({ outputs: {} });
});
