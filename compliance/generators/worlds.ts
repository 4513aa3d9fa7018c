import * as fc from 'fast-check';
import type { Agent, Permission } from '../../schemas/types.js';
import { closureNames } from '../model/gate.js';
import { DEFAULT_AGENT, OWNER, type Program } from '../program.js';

/** Who is there and what they may do, and whether that lets the program start. */
export interface World {
  readonly name: string;
  readonly verdict: 'allowed' | 'denied';
  readonly agents: (program: Program) => readonly Agent[];
  readonly permissions: (program: Program) => readonly Permission[];
}

const PAST = '2001-01-01T00:00:00.000Z';
const FUTURE = '2999-12-31T23:59:59.999Z';

function agent(trust: Agent['trust'], more: Partial<Agent> = {}): readonly Agent[] {
  return [{ agent_id: DEFAULT_AGENT, trust, ...more }];
}

function permit(more: Partial<Permission> = {}): Permission {
  return { domain: 'execution', actions: ['execute'], granted_to: DEFAULT_AGENT, granted_by: OWNER, ...more };
}

function world(
  name: string,
  verdict: World['verdict'],
  agents: readonly Agent[],
  permissions: readonly Permission[] | World['permissions'],
): World {
  return {
    name,
    verdict,
    agents: () => agents,
    permissions: typeof permissions === 'function' ? permissions : () => permissions,
  };
}

const other: Agent = { agent_id: 'other', trust: 'TRUSTED' };
const trusted = agent('TRUSTED');

/** One world for each reason to allow or deny; the allowed ones differ from a denied one in one field. */
export const WORLDS: readonly World[] = [
  world('permitted everywhere', 'allowed', trusted, [permit()]),
  world('permitted by a star', 'allowed', trusted, [permit({ scope: '*' })]),
  world('permitted until later', 'allowed', trusted, [permit({ valid_until: FUTURE })]),
  world('permitted for each part', 'allowed', trusted, program =>
    closureNames(program).map(scope => permit({ scope })),
  ),
  world('permitted among other things', 'allowed', trusted, [
    permit({ actions: ['read', 'execute'] }),
    permit({ domain: 'audit', actions: ['read'] }),
  ]),
  world('not registered', 'denied', [other], [permit({ granted_to: 'other' })]),
  world('unknown', 'denied', agent('UNKNOWN'), [permit()]),
  world('untrusted', 'denied', agent('UNTRUSTED'), [permit()]),
  world('without permission', 'denied', trusted, []),
  world('permitted to another', 'denied', [...trusted, other], [permit({ granted_to: 'other' })]),
  world('permission expired', 'denied', trusted, [permit({ valid_until: PAST })]),
  world('permission for another workflow', 'denied', trusted, [permit({ scope: 'somewhere-else' })]),
  world('permission with another prefix', 'denied', trusted, [permit({ scope: 'somewhere-else*' })]),
  world('permission to read only', 'denied', trusted, [permit({ actions: ['read'] })]),
  world('permission in another domain', 'denied', trusted, [permit({ domain: 'audit', actions: ['read', 'execute'] })]),
];

/** A program in a world. */
export function inWorld(program: Program, { agents, permissions }: World): Program {
  return { ...program, agents: agents(program), permissions: permissions(program), agent_id: DEFAULT_AGENT };
}

/** Programs in worlds of either verdict, with the world. */
export function worlds(
  programs: fc.Arbitrary<Program>,
  verdict?: World['verdict'],
): fc.Arbitrary<{ readonly program: Program; readonly world: World }> {
  const fitting = WORLDS.filter(candidate => verdict === undefined || candidate.verdict === verdict);
  return fc
    .tuple(programs, fc.constantFrom(...fitting))
    .map(([program, chosen]) => ({ program: inWorld(program, chosen), world: chosen }));
}
