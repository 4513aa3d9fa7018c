import type { Agent, AuditRecord, Permission, Workflow } from '../../../schemas/types.js';
import type { Dialogue, Said, Spoken, Turn } from '../../dialogue.js';
import { act, error, graph, line, step } from '../../generators/pairs/pair.js';
import { given } from '../../generators/pairs/setting.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame } from '../dialogue-property.js';

/** A workflow whose defect no other gate would see, or the same without it, started by one who may or may not. */
interface Start {
  readonly defect: 'none' | 'dead end' | 'undeclared fan-out' | 'missing action' | 'cycle';
  readonly permitted: boolean;
  /** Whether it does what needs a confirmation; there is none. */
  readonly risky?: true;
}

const DEFECTS = ['none', 'dead end', 'undeclared fan-out', 'missing action', 'cycle'] as const;
const TRY = { actions: [act('try')] };

/** Gives a workflow with a defect of that kind. */
export function defective(defect: Start['defect']): Workflow {
  if (defect === 'missing action') return given(line([step('do', 'nowhere@1')])).workflow;
  if (defect === 'dead end')
    return given(graph([step('do', 'try@1'), error('back', 'rollback')], ['do success done', 'do failure back'], TRY))
      .workflow;
  if (defect === 'undeclared fan-out')
    return given(graph([step('do', 'try@1')], ['do success done', 'do success stop', 'do failure refused'], TRY))
      .workflow;
  if (defect === 'cycle')
    return given(
      graph(
        [step('first', 'try@1'), step('do', 'try@1', { fan_out: 'parallel' })],
        ['first success do', 'first failure refused', 'do success done', 'do success do', 'do failure refused'],
        TRY,
      ),
    ).workflow;
  return given(line([step('do', 'try@1')], TRY)).workflow;
}

const RISKY = given(
  line([step('do', 'final@1', { irreversible: 'acknowledged' })], {
    actions: [act('final', { rollback: 'irreversible', side_effects: ['repository'] })],
  }),
).workflow;

const SCRIPT = { nodes: { do: [{ reply: { outputs: {} } }], first: [{ reply: { outputs: {} } }] } };
const TRUSTED: Agent = { agent_id: DEFAULT_AGENT, trust: 'TRUSTED' };
const PERMITTED: Permission = {
  domain: 'execution',
  actions: ['execute'],
  granted_to: DEFAULT_AGENT,
  granted_by: OWNER,
};

/** The gates of phase B are not asked about what phase A lets not pass, and nothing starts unless both let it. */
export const phases = dialogueProperty<Start>({
  id: 'verification/phases',
  title: 'what verification lets not pass comes before no other gate, and what any gate lets not pass does not start',
  requirements: ['VL1', 'VL2'],
  capabilities: ['governance', 'audit'],
  examples: [
    ...DEFECTS.flatMap(defect => [true, false].map(permitted => ({ defect, permitted }))),
    { defect: 'none', permitted: true, risky: true },
  ],
  control: { title: 'a dead end, started by one who may not', case: { defect: 'dead end', permitted: false } },
  twins: [
    {
      requirement: 'VL1',
      title: 'a log in which governance was asked, too',
      tamper: spoken => ({ ...spoken, log: (spoken.log ?? []).flatMap(governed) }),
    },
    {
      requirement: 'VL2',
      title: 'by one who may, without the dead end, it starts',
      case: { defect: 'none', permitted: true },
      contrast: (control, twin) => {
        const seen = { control: hasStarted(control), twin: hasStarted(twin) };
        return unlessSame('whether it starts does not depend on the gates', { control: false, twin: true }, seen);
      },
    },
  ],
  dialogue: ({ defect, permitted, risky }): Dialogue => ({
    script: SCRIPT,
    setting: { agents: [TRUSTED], permissions: permitted ? [PERMITTED] : [] },
    turns: [
      {
        do: 'ask',
        method: 'workflow/start',
        params: { workflow: risky === true ? RISKY : defective(defect), inputs: {}, agent_id: DEFAULT_AGENT },
        as: 'start',
      },
      {
        do: 'ask',
        method: 'workflow/wait',
        params: { execution_id: { $: 'start/execution_id' }, budget_ms: 4000 },
      },
    ],
  }),
  judge: judgePhases,
});

function judgePhases({ defect, permitted, risky }: Start, spoken: Spoken): readonly Check[] {
  const lets = defect === 'none' && permitted && risky === undefined;
  const gates = (spoken.log ?? []).filter(({ record_type }) => record_type === 'gate');
  const later = gates.filter(({ gate }) => gate !== 'verification').map(({ gate, status }) => `${gate} ${status}`);
  const denied = gates.some(({ gate, status }) => gate === 'verification' && status === 'denied');
  const started = hasStarted(spoken);
  const wrong: Failure = {
    message: lets ? 'a start that every gate lets pass did not start' : 'it started though a gate does not let it',
    expected: lets,
    observed: { started, invocations: spoken.ledger.length },
  };
  const passed: Failure = {
    message: 'verification did not deny what is defective',
    expected: 'denied',
    observed: gates,
  };
  return [
    {
      ...check('VL1', defect !== 'none' && (denied ? unlessSame('phase B began', [], later) : passed)),
      reached: defect !== 'none',
    },
    check('VL2', (started !== lets || (!lets && spoken.ledger.length > 0)) && wrong),
  ];
}

function hasStarted({ log = [] }: Spoken): boolean {
  return log.some(({ status }) => status === 'workflow_started');
}

function governed(record: AuditRecord): AuditRecord[] {
  return record.record_type === 'gate' ? [record, { ...record, gate: 'governance' }] : [record];
}

/** Which agents ask, one after the other. */
const ASKERS = [DEFAULT_AGENT, OWNER, 'other', 'stranger'] as const;

/** Verification says the same to everybody. */
export const whoever = dialogueProperty<Pick<Start, 'defect'>>({
  id: 'verification/whoever',
  title: 'what verification finds does not depend on who starts a workflow',
  requirements: ['VG3'],
  capabilities: ['governance', 'audit'],
  examples: DEFECTS.filter(defect => defect !== 'dead end').map(defect => ({ defect })),
  control: { title: 'a dead end, started by four agents', case: { defect: 'dead end' } },
  twins: [
    {
      requirement: 'VG3',
      title: 'a log in which one of them was told something else',
      tamper: spoken => ({
        ...spoken,
        log: (spoken.log ?? []).map(record =>
          record.agent_id === OWNER && record.gate === 'verification' ? { ...record, reasons: [] } : record,
        ),
      }),
    },
  ],
  dialogue: ({ defect }): Dialogue => ({
    script: SCRIPT,
    setting: {
      agents: [TRUSTED, { agent_id: 'other', trust: 'UNTRUSTED' }],
      permissions: [PERMITTED],
    },
    turns: ASKERS.map(
      (agent_id): Turn => ({
        do: 'ask',
        method: 'workflow/start',
        params: { workflow: defective(defect), inputs: {}, agent_id },
        as: agent_id,
      }),
    ),
  }),
  judge: ({ defect }, spoken) => [judgeAskers(defect, spoken)],
});

function judgeAskers(defect: Start['defect'], spoken: Spoken): Check {
  const told = ASKERS.map(agent_id => {
    const id = executionOf(spoken.answers[agent_id]?.[0]);
    const gates = (spoken.log ?? []).filter(one => one.execution_id === id && one.gate === 'verification');
    return gates.map(({ status, reasons = [] }) => [
      status,
      reasons.map(({ requirement }) => requirement ?? '').sort(),
    ]);
  });
  const [first] = told;
  const same = told.every(one => JSON.stringify(one) === JSON.stringify(first));
  const status = defect === 'none' ? 'allowed' : 'denied';
  const judged = first?.[0]?.[0] === status && (defect === 'none' || (first[0][1]?.length ?? 0) > 0);
  const failure: Failure = {
    message: same ? 'verification does not say what is wrong' : 'verification says to each what depends on who asks',
    expected: status,
    observed: Object.fromEntries(ASKERS.map((agent, at) => [agent, told[at]])),
  };
  return check('VG3', !(same && judged) && failure);
}

function executionOf(said: Said | undefined): string | undefined {
  if (said === undefined) return undefined;
  return 'error' in said ? said.error.execution_id : (said.result as { execution_id?: string }).execution_id;
}
