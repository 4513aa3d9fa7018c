import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Permission, PermittedAction, Policy } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { FAR } from './confirmed.fixture.js';
import { ArsError } from './error.js';
import { end, open, run, World, workflowOf } from './nodes.fixture.js';
import { OWNER, type Runtime } from './runtime.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const DOMAINS: readonly Permission['domain'][] = [
  'execution',
  'audit',
  'verification',
  'state',
  'recovery',
  'registry',
  'governance',
  'approval',
];
const ACTIONS: readonly PermittedAction[] = ['execute', 'read', 'write', 'grant', 'resolve', 'cancel', 'undo'];

const workflow = workflowOf([run('a', 'pure'), end('z')], ['a -success-> z']);
const policy: Policy = { policy_id: 'p', version: '1.0.0', level: 0, effect: 'allow' };

let runtime: Runtime;
/** An ended instance of `owner`, and one of `ada`. */
let foreign: string;
let own: string;

beforeEach(async () => {
  runtime = await open(new MemoryWorkspace(), new World({}));
  await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
  const before = await grant('execution', ['execute']);
  [foreign, own] = [await started(OWNER), await started('ada')];
  await runtime.revoke(before, OWNER);
});
afterEach(() => runtime.close());

async function started(agent_id: string): Promise<string> {
  const id = await runtime.start({ workflow, inputs: {}, agent_id, request_key: 'key' });
  await runtime.wait(id, 5_000);
  return id;
}

function grant(domain: Permission['domain'], actions: PermittedAction[]): Promise<string> {
  return runtime.grant({ domain, actions, granted_to: 'ada', granted_by: OWNER });
}

const executionOf = (instance: string) =>
  [...runtime.records({ parent_execution_id: instance, record_type: 'action' })][0]?.execution_id ?? '';

interface Operation {
  readonly domain: Permission['domain'];
  readonly action: PermittedAction;
  readonly work: () => unknown;
}

/** One for each row of the table of permissions that an agent needs a grant for. */
const OPERATIONS: readonly Operation[] = [
  { domain: 'execution', action: 'execute', work: () => runtime.start({ workflow, inputs: {}, agent_id: 'ada' }) },
  { domain: 'execution', action: 'read', work: () => runtime.readAs('ada').wait(foreign, 0) },
  { domain: 'execution', action: 'cancel', work: () => runtime.cancel(foreign, 'ada') },
  {
    domain: 'execution',
    action: 'undo',
    work: () => runtime.rollback({ execution_id: executionOf(own), agent_id: 'ada', evidence: {} }),
  },
  { domain: 'state', action: 'read', work: () => runtime.readAs('ada').state() },
  { domain: 'recovery', action: 'execute', work: () => runtime.recover({ by: 'ada' }) },
  {
    domain: 'recovery',
    action: 'resolve',
    work: () => runtime.resolve({ execution_id: executionOf(own), verdict: 'absent', approver: 'ada' }),
  },
  { domain: 'registry', action: 'write', work: () => runtime.putRegistry({ workflows: [workflow] }, 'ada') },
  { domain: 'governance', action: 'write', work: () => runtime.putPolicy(policy, 'ada') },
  {
    domain: 'governance',
    action: 'grant',
    work: () => runtime.registerAgent({ agent_id: 'bob', trust: 'UNTRUSTED' }, 'ada'),
  },
  {
    domain: 'approval',
    action: 'grant',
    work: () =>
      runtime.approve({
        resolved_digest: DIGEST,
        inputs_digest: DIGEST,
        agent_id: 'bob',
        approver: 'ada',
        expires_at: FAR,
      }),
  },
];

/** The reason of a denial, or `not denied` for any other outcome. */
async function outcome(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const [reason] = (error.details.reasons ?? []) as { code: string }[];
    if (error.code === 'denied') return reason?.code ?? '';
  }
  return 'not denied';
}

describe.each(OPERATIONS)('$domain:$action', ({ domain, action, work }) => {
  it('is what the operation needs, and no other permission serves', async () => {
    for (const other of DOMAINS) {
      const others = ACTIONS.filter(one => other !== domain || one !== action);
      await grant(other, others);
    }
    expect(await outcome(work)).toBe('MISSING_PERMISSION');
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    await grant(domain, [action]);
    expect(await outcome(work)).toBe('not denied');
  });
});

describe('an agent whose trust is UNKNOWN', () => {
  it('is denied everything, whatever it holds and whatever is its own', async () => {
    for (const domain of DOMAINS) await grant(domain, [...ACTIONS]);
    const granted_by_ada = await runtime.grant({
      domain: 'state',
      actions: ['read'],
      granted_to: OWNER,
      granted_by: 'ada',
    });
    await runtime.registerAgent({ agent_id: 'ada', trust: 'UNKNOWN' }, OWNER);
    const view = runtime.readAs('ada');
    const others = [
      () => runtime.revoke(granted_by_ada, 'ada'),
      () => runtime.cancel(own, 'ada'),
      () => runtime.start({ workflow, inputs: {}, agent_id: 'ada', request_key: 'key' }),
      () => runtime.resume(own, 'ada'),
      () => view.wait(own, 0),
      () => view.records(),
      () => view.verify(workflow),
    ];
    for (const work of [...OPERATIONS.map(operation => operation.work), ...others])
      expect(await outcome(work), String(work)).toBe('SECURITY_BREACH');
  });
});

it('nobody resumes the instance of another agent, whatever is permitted', async () => {
  await grant('execution', [...ACTIONS]);
  expect(await outcome(() => runtime.resume(foreign, 'ada'))).toBe('OTHER_AGENT');
  expect(await outcome(() => runtime.resume(own, OWNER))).toBe('OTHER_AGENT');
});

it('a registered agent reads its own records and instances and verifies workflows without any grant', async () => {
  const view = runtime.readAs('ada');
  expect((await view.wait(own, 0)).status).toBe('completed');
  expect([...view.records({ execution_id: own })].every(record => 'record_type' in record)).toBe(true);
  expect(view.verify(workflow).counts.blocking).toBe(0);
  await runtime.cancel(own, 'ada');
});
