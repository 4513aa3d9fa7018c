import type { Observation } from '../program.js';

/**
 * Gives what the program and its action results alone decide of a run, in an order that does not depend on time; `undos`
 * names the actions that undo.
 */
export function decided({ start, wait, ledger }: Observation, undos: ReadonlySet<string>): unknown {
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return {
    start: 'execution_id' in start ? 'allowed' : start.error.kind,
    status: wait?.status ?? null,
    outputs: wait?.outputs ?? null,
    trace: (wait?.trace ?? []).map(({ node_id, outcome, attempts }) => [node_id, outcome, attempts]).sort(byText),
    invocations: ledger
      .filter(({ kind }) => kind === 'invoke')
      .map(({ node_id, action_id, attempt, inputs }) => [
        node_id ?? null,
        action_id,
        attempt ?? null,
        // An undo is told which execution it undoes; what that was given has to be the same.
        undos.has(action_id) ? (inputs.inputs ?? null) : inputs,
      ])
      .sort(byText),
  };
}
