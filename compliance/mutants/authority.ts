import type { Mutant } from './mutant.js';

const AGENTS = 'governance/agents.js';
const PARTITION = 'governance/partition.js';
const PERMISSION = 'governance/permission.js';
const STORED = 'governance/governance-gate.js';
const STARTS = 'starts.js';

/** Faults in who may do what, and in what agents get to see of each other and can bring in. */
export const AUTHORITY_MUTANTS: readonly Mutant[] = [
  {
    id: 'stranger-welcome',
    requirement: 'AI1',
    why: 'an agent that nobody registered is taken for one that may do nothing yet',
    edits: [
      {
        file: AGENTS,
        find: 'stored === undefined ? undefined :',
        replace: "stored === undefined ? { agent_id, trust: 'TRUSTED' } :",
      },
    ],
  },
  {
    id: 'undo-as-operator',
    requirement: 'AI2',
    why: 'what undoes an execution is recorded as the work of the operator',
    edits: [
      {
        file: 'audit/execution-record.js',
        find: "...(purpose === 'execute' ? {} : { purpose }),",
        replace: "...(purpose === 'execute' ? {} : { purpose, agent_id: 'owner' }),",
      },
    ],
  },
  {
    id: 'trust-unrecorded',
    requirement: 'AI3',
    why: 'an agent is registered with another trust, and no record says so',
    edits: [
      { file: AGENTS, find: 'records: changed ? [trustDraft(agent, own.newId())] : [],', replace: 'records: [],' },
    ],
  },
  {
    id: 'trust-outdated',
    requirement: 'AI3',
    why: 'a start beside a denial relies on the trust that the agent had before, and the log tells so',
    edits: [{ file: AGENTS, find: 'return agent_id === OWNER ? work() :', replace: 'return true ? work() :' }],
  },
  {
    id: 'closure-uncovered',
    requirement: 'PR1',
    why: 'permissions have to cover the workflows of a start and not its actions',
    edits: [{ file: STORED, find: 'names.add(action.action_id);', replace: '' }],
  },
  {
    id: 'permission-everlasting',
    requirement: 'PR2',
    why: 'permissions never lapse',
    edits: [
      {
        file: PERMISSION,
        find: 'return permission.valid_until === undefined || now < permission.valid_until;',
        replace: 'return true;',
      },
    ],
  },
  {
    id: 'permission-end-inclusive',
    requirement: 'PR2',
    why: 'a permission still counts at the instant of its end',
    edits: [{ file: PERMISSION, find: 'now < permission.valid_until', replace: 'now <= permission.valid_until' }],
  },
  {
    id: 'self-grant',
    requirement: 'PR3',
    why: 'an agent grants to itself what it holds',
    edits: [{ file: AGENTS, find: 'if (granted_by === granted_to)', replace: 'if (false)' }],
  },
  {
    id: 'grant-beyond',
    requirement: 'PR4',
    why: 'an agent that may grant grants anything',
    edits: [{ file: AGENTS, find: 'granted_by !== OWNER && !isWithin(', replace: 'false && !isWithin(' }],
  },
  {
    id: 'own-records-hidden',
    requirement: 'PR5',
    why: 'an agent without audit:read does not see its own records',
    edits: [{ file: PARTITION, find: 'new Map([[agent_id, true]])', replace: 'new Map()' }],
  },
  {
    id: 'revocation-ignored',
    requirement: 'PR6',
    why: 'a permission that was taken back goes on counting',
    edits: [
      {
        file: AGENTS,
        find: "journal.append({ records: [], removals: [{ kind: 'permission', id: permission_id }] })",
        replace: 'Promise.resolve()',
      },
    ],
  },
  {
    id: 'doors-open',
    requirement: 'DI1',
    why: 'every registered agent registers, grants, approves, puts policies and decides what is in doubt',
    edits: [
      { file: AGENTS, find: 'if (isPermitted(permissionsOf(log, agent_id), wanted, now))', replace: 'if (true)' },
    ],
  },
  {
    id: 'domains-mixed',
    requirement: 'DI2',
    why: 'a permission for an action counts in every domain',
    edits: [{ file: PERMISSION, find: 'p.domain === demand.domain', replace: 'true' }],
  },
  {
    id: 'self-registration',
    requirement: 'DI3',
    why: 'an agent that may register others raises its own trust',
    edits: [
      {
        file: AGENTS,
        find: 'if (agent.agent_id === OWNER || agent.agent_id === by)',
        replace: 'if (false)',
      },
    ],
  },
  {
    id: 'own-gates-hidden',
    requirement: 'NS1',
    why: 'an agent does not see what gates said of it',
    edits: [
      {
        file: PARTITION,
        find: 'return { seesPartition, holds };',
        replace: 'return { seesPartition, holds, own: agent_id };',
      },
      {
        file: PARTITION,
        find: 'redact(record, { seesPartition })',
        replace: 'redact(record, { seesPartition, own })',
      },
      {
        file: PARTITION,
        find: 'if (seesPartition(record.agent_id))',
        replace: "if (seesPartition(record.agent_id) && (record.agent_id !== own || record.record_type !== 'gate'))",
      },
    ],
  },
  {
    id: 'partitions-open',
    requirement: 'NS2',
    why: 'every agent reads the records of all',
    edits: [{ file: PARTITION, find: 'if (seesPartition(record.agent_id))', replace: 'if (true)' }],
  },
  {
    id: 'evidence-open',
    requirement: 'NS3',
    why: 'every agent reads the evidence of all',
    edits: [{ file: PARTITION, find: 'if (seesPartition(agent_id))', replace: 'if (true)' }],
  },
  {
    id: 'state-open',
    requirement: 'NS4',
    why: 'every agent reads State',
    edits: [
      {
        file: 'agent-view.js',
        find: "if (!holds({ domain: 'state', action: 'read' }))",
        replace: 'if (false)',
      },
      {
        file: 'agent-view.js',
        find: "return name => holds({ domain: 'state', action: 'read', name });",
        replace: 'return () => true;',
      },
    ],
  },
  {
    id: 'keys-shared',
    requirement: 'NS5',
    why: 'a request_key gives the instance that whichever agent started under it',
    edits: [
      {
        file: 'store/read.js',
        find: 'WHERE agent_id = ? AND request_key = ?',
        replace: 'WHERE ? IS NOT NULL AND request_key = ?',
      },
    ],
  },
  {
    id: 'keys-shared-while-starting',
    requirement: 'NS5',
    why: 'while a start is under way its request_key gives other agents the same instance',
    edits: [
      {
        file: 'instances.js',
        find: 'return JSON.stringify([agent_id, request_key]);',
        replace: 'return request_key;',
      },
    ],
  },
  {
    id: 'cancel-anybody',
    requirement: 'CA1',
    why: 'every agent cancels every instance',
    edits: [{ file: 'runtime.js', find: 'if (head.agent_id === agent_id)', replace: 'if (true)' }],
  },
  {
    id: 'child-of-operator',
    requirement: 'CA2',
    why: 'a skill runs on behalf of the operator',
    edits: [
      {
        file: 'workflow/child.js',
        find: '...{ execution_id, context_id, agent_id, inputs, context },',
        replace: "...{ execution_id, context_id, agent_id: agent_id && 'owner', inputs, context },",
      },
    ],
  },
  {
    id: 'undo-anybody',
    requirement: 'CA3',
    why: 'an agent with execution:undo has the executions of others undone',
    edits: [{ file: 'undo-request.js', find: 'if (latest.agent_id !== agent_id)', replace: 'if (false)' }],
  },
  {
    id: 'outputs-believed',
    requirement: 'ET1',
    why: 'an agent that the answer of an action describes is registered',
    edits: [
      {
        file: 'audit/commit-protocol.js',
        find: 'const step = { records: [...first, record], documents,',
        replace:
          "const told = result.outputs?.agent; if (told !== undefined) documents.push({ kind: 'agent', id: told.agent_id, value: told }); const step = { records: [...first, record], documents,",
      },
    ],
  },
  {
    id: 'registry-trusted',
    requirement: 'ET2',
    why: 'what is in the registry is taken for verified',
    edits: [
      {
        file: STARTS,
        find: 'function requestOf({ verdicts, now }, wanted)',
        replace: 'function requestOf({ verdicts, now, definitions }, wanted)',
      },
      {
        file: STARTS,
        find: 'report: () => verdicts.of(workflow).report,',
        replace:
          "report: () => ({ ...verdicts.of(workflow).report, ...(definitions.workflowsOf(workflow.workflow.name).length > 0 ? { verdict: 'PASS' } : {}) }),",
      },
    ],
  },
  {
    id: 'foreign-confirmations',
    requirement: 'ET3',
    why: 'the confirmations of a log that is only to be verified are taken over',
    edits: [
      {
        file: 'adapter.js',
        find: 'const verdict = verifyText(text);',
        replace:
          "for (const line of text.split('\\n').filter(line => line.includes('\"granted\"'))) { const { execution_id: confirmation_id, agent_id: approver, granted_to: agent_id, resolved_digest, inputs_digest, expires_at } = JSON.parse(line); void runtime().approve({ confirmation_id, approver, agent_id, resolved_digest, inputs_digest, expires_at }).catch(() => {}); } const verdict = verifyText(text);",
      },
    ],
  },
  {
    id: 'evidence-of-last',
    requirement: 'NS1',
    why: 'evidence that records of two agents name is given to the later of them only',
    edits: [
      {
        file: PARTITION,
        find: 'agents.add(agent_id);',
        replace: 'this.#agents.set(evidence_ref, new Set([agent_id]));',
      },
    ],
  },
];
