import type { Action, ProbeAnswer } from '../../schemas/types.js';
import type { Behaviour, Script } from '../program.js';
import { fitsSchema } from './contract.js';
import { own } from './json.js';

/** What the host answers for what the script has nothing for. */
const UNSCRIPTED: Behaviour = { reply: { error: { error_class: 'E5', detail: 'not in the script', effect: 'none' } } };

/** What the n-th invocation (from 1) of a node does; the last behaviour of the list repeats. */
export function nodeBehaviour(script: Script, nodeId: string, n: number): Behaviour {
  return nth(own(script.nodes, nodeId), n);
}

/** The same for the actions that undo, which the script lists by action_id. */
export function undoBehaviour(script: Script, actionId: string, n: number): Behaviour {
  return nth(own(script.actions, actionId), n);
}

function nth(behaviours: readonly Behaviour[] | undefined, n: number): Behaviour {
  return behaviours?.[Math.min(n, behaviours.length) - 1] ?? UNSCRIPTED;
}

/** When the ledger counts the effect of a behaviour. */
export function effectMoment(behaviour: Behaviour): 'receipt' | 'reply' | 'never' {
  if (behaviour.effect !== undefined) return behaviour.effect;
  return behaviour.reply !== undefined && 'outputs' in behaviour.reply ? 'receipt' : 'never';
}

/**
 * What the host answers to a probe of a node. `applied` tells whether the ledger counts an effect of the execution, and
 * `behaviour` is what that execution was scripted to do: its result is what `ledger` gives back; without one it is partial.
 */
export function hostedProbe(script: Script, nodeId: string, applied: boolean, behaviour: Behaviour): ProbeAnswer {
  const scripted = own(script.probes, nodeId);
  if (scripted === undefined) return { verdict: 'unknown' };
  if (scripted !== 'ledger') return scripted;
  if (!applied) return { verdict: 'absent' };
  const reply = behaviour.reply;
  if (reply === undefined || !('outputs' in reply)) return { verdict: 'partial' };
  return {
    verdict: 'applied',
    outputs: reply.outputs,
    ...(reply.state_changes === undefined ? {} : { state_changes: reply.state_changes }),
  };
}

/** How a runtime has to read a probe's answer (Ch6): one that claims more than it shows is unknown. */
export function readProbe(action: Action, answer: ProbeAnswer): ProbeAnswer {
  if (action.probe !== true) return { verdict: 'unknown' };
  if (answer.verdict !== 'applied') return answer;
  const shown = answer.outputs !== undefined && fitsSchema(action.output_schema, answer.outputs);
  return shown ? answer : { verdict: 'unknown' };
}
