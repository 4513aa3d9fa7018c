import * as fc from 'fast-check';
import type { AuditRecord } from '../../../schemas/types.js';
import type { Ask, Dialogue } from '../../dialogue.js';
import { faultsOf } from '../../history/consistency.js';
import { DEFAULT_AGENT } from '../../program.js';
import { dialogueProperty } from '../dialogue-property.js';
import { draw, gives } from '../drawn.js';

/** What is asked for at one time: a start, one that inputs let not begin, or one that is only simulated. */
type Asked = 'start' | 'unfit' | 'dry_run';

const asked = fc.constantFrom<Asked[]>('start', 'unfit', 'dry_run');

/** What several starts at one time leave in the log can be read start by start. */
export const gatesTogether = dialogueProperty<readonly Asked[]>({
  id: 'verification/gates-together',
  title: 'the records of the gates of a start stand together, whatever else is asked at the same time',
  requirements: ['AC2'],
  capabilities: ['audit'],
  cases: fc.array(asked, { minLength: 2, maxLength: 8 }),
  weight: 0.1,
  control: {
    title: 'eight starts at one time, one of which is denied and one simulated',
    case: ['start', 'start', 'unfit', 'start', 'start', 'dry_run', 'start', 'start'],
  },
  twins: [
    {
      requirement: 'AC2',
      title: 'the log with the gates of one start between those of another',
      tamper: spoken => ({ ...spoken, log: entwined(spoken.log ?? []) }),
    },
  ],
  dialogue: (wanted): Dialogue => {
    const { workflow, script } = draw({ edges: ['a success done'], script: { a: [gives(1)] } });
    const starts = wanted.map((kind, index): Ask => {
      const inputs: Readonly<Record<string, unknown>> = kind === 'unfit' ? { unknown: 1 } : {};
      const params = { workflow, inputs, agent_id: DEFAULT_AGENT, ...(kind === 'dry_run' ? { dry_run: true } : {}) };
      return { do: 'ask', method: 'workflow/start', params, as: `start ${index}` };
    });
    const waits = wanted.flatMap((kind, index): Ask[] => {
      const params = { execution_id: { $: `start ${index}/execution_id` }, budget_ms: 4000 };
      return kind === 'start' ? [{ do: 'ask', method: 'workflow/wait', params, as: `wait ${index}` }] : [];
    });
    return { script, turns: [{ do: 'together', asks: starts }, ...waits] };
  },
  judge: (_wanted, { log }) => {
    if (log === undefined) return [];
    const fault = faultsOf(log).find(({ requirement }) => requirement === 'AC2');
    const reached = new Set(log.filter(isGate).map(({ execution_id }) => execution_id)).size > 1;
    if (fault === undefined) return [{ requirement: 'AC2', reached }];
    const { sequence, expected, observed } = fault;
    return [
      {
        requirement: 'AC2',
        reached: true,
        failure: { message: `record ${sequence} breaks the log`, expected, observed },
      },
    ];
  },
});

function isGate({ record_type }: AuditRecord): boolean {
  return record_type === 'gate';
}

/** The last gate of the first start behind the first gate of the second. */
function entwined(log: readonly AuditRecord[]): readonly AuditRecord[] {
  const gates = log.filter(isGate);
  const [first] = gates;
  const second = gates.find(({ execution_id }) => execution_id !== first?.execution_id);
  const last = gates.findLast(({ execution_id }) => execution_id === first?.execution_id);
  const others = log.filter(record => record !== last);
  return second === undefined || last === undefined ? log : others.toSpliced(others.indexOf(second) + 1, 0, last);
}
