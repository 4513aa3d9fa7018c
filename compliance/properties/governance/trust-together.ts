import * as fc from 'fast-check';
import type { Agent, AuditRecord, Workflow } from '../../../schemas/types.js';
import type { Ask, Dialogue } from '../../dialogue.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { dialogueProperty } from '../dialogue-property.js';
import { draw, gives } from '../drawn.js';

/** What one agent asks for: a start that it is permitted, one that it is not, or the first as a dry run. */
type Asked = 'start' | 'beyond' | 'dry_run';

const asked = fc.constantFrom<Asked[]>('start', 'start', 'beyond', 'dry_run');

const { workflow, script } = draw({ edges: ['a success done'], script: { a: [gives(1)] } });
const BEYOND: Workflow = { ...workflow, workflow: { ...workflow.workflow, name: 'beyond' } };

const BESIDE: readonly Asked[] = ['start', 'beyond', 'start', 'start', 'dry_run', 'start', 'start', 'start'];

/** The agent may start the one workflow, and what that consists of. */
const SETTING: NonNullable<Dialogue['setting']> = {
  agents: [{ agent_id: DEFAULT_AGENT, trust: 'TRUSTED' }],
  permissions: ['drawn', 'step'].map(scope => ({
    domain: 'execution',
    actions: ['execute'],
    scope,
    granted_to: DEFAULT_AGENT,
    granted_by: OWNER,
  })),
};

/** So long that the starts do not come in as one piece: some are read while those before are asked at the gates. */
const CONTEXT = { note: 'x'.repeat(24_000) };

/** A start that is asked at the gates while trust falls tells the trust that there is at its place in the log. */
export const trustTogether = dialogueProperty<readonly Asked[]>({
  id: 'governance/trust-together',
  title: 'of starts at one time each tells the trust that those before it in the log have left',
  requirements: ['AI3'],
  capabilities: ['governance', 'audit'],
  cases: fc.array(asked, { minLength: 2, maxLength: 8 }).map(drawn => ['beyond', ...drawn] as const),
  weight: 0.1,
  control: { title: 'a start that is not permitted, among others of the same agent that are', case: BESIDE },
  twins: [
    {
      requirement: 'AI3',
      title: 'the log in which the last start tells the trust from before the denial',
      tamper: spoken => ({ ...spoken, log: outdated(spoken.log ?? []) }),
    },
  ],
  dialogue: (wanted): Dialogue => {
    const start = (kind: Asked, as: string): Ask => {
      const document = kind === 'beyond' ? BEYOND : workflow;
      const simulated = kind === 'dry_run' ? { dry_run: true } : {};
      const params = { workflow: document, inputs: {}, context: CONTEXT, agent_id: DEFAULT_AGENT, ...simulated };
      return { do: 'ask', method: 'workflow/start', params, as };
    };
    const beside = wanted.map((kind, index) => start(kind, `start ${index}`));
    const waits = [...wanted, 'start'].flatMap((kind, index): Ask[] => {
      const params = { execution_id: { $: `start ${index}/execution_id` }, budget_ms: 4000 };
      return kind === 'start' ? [{ do: 'ask', method: 'workflow/wait', params, as: `wait ${index}` }] : [];
    });
    return {
      setting: SETTING,
      script,
      turns: [{ do: 'together', asks: beside }, start('start', `start ${wanted.length}`), ...waits],
    };
  },
  judge: (_wanted, { log }) => {
    const told = (log ?? []).filter(tellsTrust);
    const failure = unlessConsistent(told);
    const reached = told.length > 1 && told.some(isFall);
    return [{ requirement: 'AI3', reached, ...(failure === undefined ? {} : { failure }) }];
  },
});

function tellsTrust({ record_type, agent_id, trust_after }: AuditRecord): boolean {
  return (record_type === 'gate' || record_type === 'trust') && agent_id === DEFAULT_AGENT && trust_after !== undefined;
}

function isFall({ status, reasons = [] }: AuditRecord): boolean {
  return status === 'denied' && reasons.some(({ code }) => code === 'MISSING_PERMISSION');
}

/** What is wrong with the first record that tells another trust than those before it have left: only a denial lowers it. */
function unlessConsistent(told: readonly AuditRecord[]): Failure | undefined {
  let trust: Agent['trust'] = 'TRUSTED';
  for (const record of told) {
    if (isFall(record)) trust = trust === 'TRUSTED' ? 'CONDITIONAL' : 'UNTRUSTED';
    if (record.trust_after === trust) continue;
    const message = `record ${record.sequence} tells another trust of the agent than there is at its place in the log`;
    return { message, expected: trust, observed: record.trust_after };
  }
  return undefined;
}

function outdated(log: readonly AuditRecord[]): readonly AuditRecord[] {
  const last = log.findLast(tellsTrust);
  return log.map(record => (record === last ? { ...record, trust_after: 'TRUSTED' } : record));
}
