import { SuiteError } from '../error.js';
import { DEFAULT_AGENT, OWNER, type Program } from '../program.js';
import type { Unserved } from '../runner/property.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';
import { METHODS } from '../wire/methods.js';
import { ActionHost } from './host.js';
import type { Session } from './session.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const LATER = '2030-01-01T00:00:00.000Z';
const NOBODY = 'nobody';

const ACTION = {
  action_id: 'touched',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
} as const;

type Touch = { readonly [M in RequestName]: readonly [M, RequestTypes[M]['params']] }[RequestName];

/**
 * A harmless request for each method: any answer but `unsupported` shows that it is served. What opens and closes is
 * asked by opening and closing; the start and the wait of a workflow are seen when one is run.
 */
const TOUCHES: readonly Touch[] = [
  ['registry/put', { actions: [{ ...ACTION, side_effects: [] }], workflows: [] }],
  ['registry/remove', { actions: ['touched@1.0.0'], workflows: [] }],
  ['workflow/resume', { execution_id: NOBODY, agent_id: DEFAULT_AGENT }],
  ['workflow/cancel', { execution_id: NOBODY, agent_id: DEFAULT_AGENT }],
  ['audit/query', { agent_id: OWNER, limit: 1 }],
  ['audit/export', { agent_id: OWNER }],
  ['audit/verify', { text: '' }],
  ['evidence/get', { reference: DIGEST, agent_id: OWNER }],
  ['recovery/run', { dry_run: true }],
  ['recovery/resolve', { execution_id: NOBODY, verdict: 'absent', approver: OWNER }],
  ['state/get', { agent_id: OWNER, keys: [] }],
  ['state/snapshot', { agent_id: OWNER }],
  ['state/reconstruct', { agent_id: OWNER }],
  ['workflow/verify', { workflow: {} }],
  ['governance/register_agent', { agent: { agent_id: 'doctor', trust: 'UNTRUSTED' }, by: OWNER }],
  ['governance/grant', { permission: { domain: 'state', actions: ['read'], granted_to: 'doctor', granted_by: OWNER } }],
  ['governance/revoke', { permission_id: NOBODY, by: OWNER }],
  [
    'governance/approve',
    {
      resolved_digest: DIGEST,
      inputs_digest: DIGEST,
      agent_id: DEFAULT_AGENT,
      approver: OWNER,
      expires_at: LATER,
    },
  ],
  [
    'governance/put_policy',
    { policy: { policy_id: 'touched', version: '1.0.0', active: false, level: 0, effect: 'allow' }, by: OWNER },
  ],
  ['governance/check', { workflow_id: 'nothing@1.0.0', inputs: {}, agent_id: OWNER }],
  ['index/put', { entry: { entry_id: 'touched', kind: 'state', target: 'touched', stale: true }, by: OWNER }],
  ['index/get', { entry_id: 'touched', agent_id: OWNER }],
  ['schedule/put', { job: { job_id: 'touched', workflow_id: 'nothing@1.0.0', agent_id: OWNER, at: LATER }, by: OWNER }],
  ['schedule/get', { job_id: 'touched', agent_id: OWNER }],
  ['clock/set', { time: LATER }],
  ['fault/arm', { name: 'committed', occurrence: 1_000_000, effect: 'kill' }],
];

/** After so many methods at which the adapter dies or stays silent the rest is not asked. */
const MOST_LOST = 3;

/** A workspace without agents and actions of its own. */
const IDLE: Program['script'] = { nodes: {} };

/**
 * Asks every method of core and of each declared capability once, in a workspace of its own, and gives those that are not
 * served. Of capabilities that are not declared, only a method that is not answered at all is told.
 */
export async function touchAll(session: Session): Promise<readonly Unserved[]> {
  return session.inCase(
    new ActionHost(IDLE),
    () => touchEach(session),
    () => true,
  );
}

async function touchEach(session: Session): Promise<readonly Unserved[]> {
  const found: Unserved[] = [];
  let lost = 0;
  await session.open();
  for (const touch of TOUCHES) {
    const [method] = touch;
    const { capability } = METHODS[method];
    const how = await outcomeOf(session, touch);
    if (how === undefined || (how === 'unsupported' && !session.has(capability))) continue;
    found.push({ method, capability, how });
    if (how === 'unsupported' || how === 'protocol') continue;
    lost += 1;
    if (lost >= MOST_LOST) break;
    await session.kill();
    await session.open();
  }
  return found;
}

async function outcomeOf(session: Session, [method, params]: Touch): Promise<Unserved['how'] | undefined> {
  const [point] = session.identity.fault_points ?? [];
  const sent = method === 'fault/arm' && point !== undefined ? { ...params, name: point } : params;
  try {
    await session.request(method, sent as RequestTypes[RequestName]['params'], {
      signal: new AbortController().signal,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    switch (error.code) {
      case 'request_failed':
        return error.details.kind === 'unsupported' ? 'unsupported' : undefined;
      case 'timeout':
      case 'adapter_exit':
      case 'protocol':
        return error.code;
      default:
        throw error;
    }
  }
}

const HOW: Readonly<Record<Unserved['how'], string>> = {
  unsupported: 'is answered with unsupported',
  timeout: 'is not answered at all',
  adapter_exit: 'ends the adapter',
  protocol: 'is answered against its schema',
};

/** One method that is not served, in words. */
export function unservedText({ method, capability, how }: Unserved): string {
  return `${method} of ${capability} ${HOW[how]}`;
}
