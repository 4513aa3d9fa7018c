import type { Permission } from '../../../schemas/types.js';
import type { Ask, Dialogue, Spoken } from '../../dialogue.js';
import { OWNER } from '../../program.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { draw, gives } from '../drawn.js';

/** How often each of two agents asks for a start under one key, all at one time. */
interface Together {
  readonly times: number;
}

const AGENTS = ['one', 'other'] as const;
const { workflow, script } = draw({ edges: ['a success done'], script: { a: [gives(1)] } });

function permitted(granted_to: string): Permission {
  return { domain: 'execution', actions: ['execute', 'read'], granted_to, granted_by: OWNER };
}

/** A key that several agents use at one time is as many keys. */
export const keysTogether = dialogueProperty<Together>({
  id: 'governance/keys-together',
  title: 'of starts of two agents under one key at one time each agent is given an instance of its own',
  requirements: ['NS5'],
  capabilities: ['governance'],
  control: { title: 'four starts of each of two agents', case: { times: 4 } },
  twins: [
    {
      requirement: 'NS5',
      title: 'one agent is answered with the instance of the other',
      tamper: spoken => withResult<object>(spoken, 'other', () => ({ execution_id: idsOf(spoken, 'one')[0] })),
    },
  ],
  dialogue: ({ times }): Dialogue => {
    const start = (agent_id: string): Ask => {
      const params = { workflow, inputs: {}, agent_id, request_key: 'shared' };
      return { do: 'ask', method: 'workflow/start', params, times, as: agent_id };
    };
    return {
      script,
      setting: { agents: AGENTS.map(agent_id => ({ agent_id, trust: 'TRUSTED' })), permissions: AGENTS.map(permitted) },
      turns: [{ do: 'together', asks: AGENTS.map(start) }],
    };
  },
  judge: (_together, spoken) => {
    const [own, others] = AGENTS.map(agent_id => new Set(idsOf(spoken, agent_id)));
    const shared = [...(own ?? [])].filter(id => others?.has(id));
    const wrong = unlessSame('instances that both agents were given', [], shared);
    return [{ ...check('NS5', wrong), reached: [own, others].every(ids => (ids?.size ?? 0) > 0) }];
  },
});

/** What an agent was answered: identifiers of instances, where it was not refused. */
function idsOf({ answers }: Spoken, agent_id: string): readonly string[] {
  return (answers[agent_id] ?? []).flatMap(said => {
    const { execution_id } = 'result' in said ? (said.result as { execution_id?: string }) : {};
    return execution_id === undefined ? [] : [execution_id];
  });
}
