import type { Mutant } from './mutant.js';

const GATE = 'governance/gate.js';
const GATES = 'governance/gates.js';
const AGENTS = 'governance/agents.js';
const PARTITION = 'governance/partition.js';
const POLICY = 'governance/policy.js';
const VERIFICATION = 'governance/verification-gate.js';
const STORED = 'governance/governance-gate.js';
const STARTS = 'starts.js';
const PERMIT = 'execution/permit.js';

/** Faults in what gates and policies decide, in what is recorded of that, and in what happens when governance fails. */
export const GATE_MUTANTS: readonly Mutant[] = [
  {
    id: 'gate-moody',
    requirement: 'EG1',
    why: 'the governance gate says one thing and then another',
    edits: [
      {
        file: GATE,
        find: 'if (missing !== undefined)',
        replace: 'if (missing !== undefined && (globalThis.asked = !globalThis.asked))',
      },
    ],
  },
  {
    id: 'resume-as-operator',
    requirement: 'EG4',
    why: 'resuming asks the gates as the operator, who may everything',
    edits: [
      {
        file: STARTS,
        find: 'const gated = { ...request,',
        replace: "const gated = { ...request, agent_id: wanted.resumes === undefined ? wanted.agent_id : 'owner',",
      },
    ],
  },
  {
    id: 'execution-gate-unrecorded',
    requirement: 'EG5',
    why: 'an instance starts without a record of the execution gate',
    edits: [
      { file: PERMIT, find: 'if (!passed)', replace: 'if (false)' },
      { file: GATES, find: "passage.allow('execution', { decision: 'allowed', reasons: [] });", replace: '' },
    ],
  },
  {
    id: 'trust-rewritten',
    requirement: 'G3',
    why: 'registering an agent anew changes what earlier records say of its trust',
    edits: [
      {
        file: AGENTS,
        find: 'await inTurnOf(journal, agent.agent_id, async () => {',
        replace:
          'if (findAgent(journal.log, agent.agent_id) !== undefined) (globalThis.trusts ??= {})[agent.agent_id] = agent.trust; await inTurnOf(journal, agent.agent_id, async () => {',
      },
      {
        file: PARTITION,
        find: 'return record;',
        replace:
          'return record.trust_after === undefined ? record : { ...record, trust_after: globalThis.trusts?.[record.agent_id] ?? record.trust_after };',
      },
    ],
  },
  {
    id: 'unsound-for-operator',
    requirement: 'G4',
    why: 'the operator starts what verification fails',
    edits: [
      {
        file: VERIFICATION,
        find: 'askVerification({ report: verified, plan })',
        replace: 'askVerification({ report: verified, plan, agent_id })',
      },
      {
        file: VERIFICATION,
        find: "if (report.verdict === 'FAIL')",
        replace: "if (report.verdict === 'FAIL' && agent_id !== 'owner')",
      },
    ],
  },
  {
    id: 'two-versions',
    requirement: 'I4',
    why: 'two active versions of a policy are both taken',
    edits: [{ file: GATE, find: 'if (contradictory !== undefined)', replace: 'if (false)' }],
  },
  {
    id: 'unreadable-ignored',
    requirement: 'GF1',
    why: 'what cannot be read of governance counts as no objection',
    edits: [
      {
        file: STORED,
        find: 'return agent === undefined ? { fault } : { fault, agent };',
        replace:
          "if (error.code !== 'invalid_document') return { agent: agent ?? { agent_id, trust: 'TRUSTED' }, permissions: [{ domain: 'execution', actions: ['execute'], granted_to: agent_id, granted_by: 'owner' }], policies: [] }; return agent === undefined ? { fault } : { fault, agent };",
      },
    ],
  },
  {
    id: 'unfit-believed',
    requirement: 'GF2',
    why: 'stored documents of governance are taken as they are',
    edits: [{ file: 'governance/stored.js', find: 'if (isValid(kind, value))', replace: 'if (true)' }],
  },
  {
    id: 'condition-error-silent',
    requirement: 'GF3',
    why: 'a policy whose condition ends in error is left out',
    edits: [{ file: POLICY, find: "return { effect: 'deny', ...holds };", replace: 'return undefined;' }],
  },
  {
    id: 'gates-written-later',
    requirement: 'GF4',
    why: 'an instance starts while the records of its gates still wait to be written',
    edits: [
      { file: 'store/write.js', find: 'if (fault !== undefined) {', replace: 'if (false) {' },
      {
        file: 'workflow/run.js',
        find: 'const step = { records: [...gates, ...records, ...upcoming.records], documents: [...documents, ...limit] };',
        replace:
          'const step = { records: [...records, ...upcoming.records], documents: [...documents, ...limit] }; setTimeout(() => void this.#parts.journal.append({ records: gates }).catch(() => {}), 8000);',
      },
      { file: 'workflow/run.js', find: 'written.map(({ facts }) => facts)', replace: 'written && gates' },
    ],
  },
  {
    id: 'denial-retried',
    requirement: 'GF5',
    why: 'a denied start is tried once more',
    edits: [
      {
        file: STARTS,
        find: 'return start(parts, wanted);',
        replace:
          "return start(parts, wanted).catch(error => { if (error.code === 'denied') return start(parts, wanted); throw error; });",
      },
    ],
  },
  {
    id: 'continuation-unasked',
    requirement: 'GFR2',
    why: 'what was interrupted goes on whatever governance would say now',
    edits: [
      {
        file: GATES,
        find: 'passage.govern(() => askGovernance(journal.log, start)',
        replace: "passage.govern(() => ({ decision: 'allowed', reasons: [], trust_after: 'TRUSTED' })",
      },
    ],
  },
  {
    id: 'fault-remembered',
    requirement: 'GFR3',
    why: 'once two versions of a policy were active every start is denied until the runtime is restarted',
    edits: [
      {
        file: GATE,
        find: 'if (contradictory !== undefined)',
        replace: 'globalThis.fault ??= contradictory; if (globalThis.fault !== undefined)',
      },
    ],
  },
  {
    id: 'invoked-ahead',
    requirement: 'MG1',
    why: 'the first action of a start is invoked although a gate denies it',
    edits: [
      {
        file: STARTS,
        find: 'throw error instanceof WithoutCode',
        replace:
          'const [action] = wanted.workflow.actions; void parts.host.invoke({ execution_id: request.execution_id, idempotency_key: request.execution_id, action_id: action.action_id, version: action.version, node_id: wanted.workflow.nodes[0].node_id, attempt: 1, inputs: {}, context: {} }, new AbortController().signal).catch(() => {}); throw error instanceof WithoutCode',
      },
    ],
  },
  {
    id: 'allowance-strongest',
    requirement: 'MG2',
    why: 'of policies of one level an allowance prevails',
    edits: [{ file: POLICY, find: "['deny', 'conditional', 'allow']", replace: "['allow', 'conditional', 'deny']" }],
  },
  {
    id: 'global-denial-overruled',
    requirement: 'MG3',
    why: 'a denial of level 0 counts only where no policy of another level is applicable',
    edits: [{ file: POLICY, find: 'if (root !== undefined)', replace: 'if (false)' }],
  },
  {
    id: 'permission-over-policy',
    requirement: 'MG4',
    why: 'who is permitted a start by name is not asked about policies',
    edits: [
      {
        file: GATE,
        find: "if (effect === 'deny')",
        replace: "if (effect === 'deny' && facts.permissions.length === 0)",
      },
    ],
  },
];
