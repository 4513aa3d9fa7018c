import * as fc from 'fast-check';
import type { Agent, Permission } from '../../../schemas/types.js';
import { sameJson } from '../../model/json.js';
import { DEFAULT_AGENT, type Observation, OWNER, type Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';
import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { invoked, started } from '../seen.js';

/** Who is known and what is permitted, in a world in which the agent may not execute. */
interface World {
  readonly agents: readonly Agent[];
  readonly permissions: readonly Permission[];
}

const agent: Agent = { agent_id: DEFAULT_AGENT, trust: 'TRUSTED' };
const execute: Permission = {
  domain: 'execution',
  actions: ['execute'],
  granted_to: DEFAULT_AGENT,
  granted_by: OWNER,
};

const WORLDS: Readonly<Record<string, World>> = {
  unregistered: { agents: [], permissions: [] },
  unknown: { agents: [{ ...agent, trust: 'UNKNOWN' }], permissions: [execute] },
  unpermitted: { agents: [agent], permissions: [] },
  reader: { agents: [agent], permissions: [{ ...execute, actions: ['read'] }] },
  elsewhere: { agents: [agent], permissions: [{ ...execute, scope: 'no.such.workflow' }] },
  lapsed: { agents: [agent], permissions: [{ ...execute, valid_until: '2000-01-01T00:00:00.000Z' }] },
  other_domain: { agents: [agent], permissions: [{ ...execute, domain: 'audit' }] },
};

function inWorld(program: Program, world: World): Program {
  return { ...program, agent_id: DEFAULT_AGENT, agents: world.agents, permissions: world.permissions, kills: [] };
}

const worlds = Object.values(WORLDS);

/** Who may not, does not. */
export const denied = caseProperty<Program, Observation>({
  id: 'governance/denied',
  title: 'who is unknown, untrusted or not permitted is denied by the governance gate, and nothing is executed',
  kind: 'program',
  requirements: ['G2'],
  capabilities: ['governance'],
  weight: 0.5,
  cases: fc.tuple(anyProgram, fc.constantFrom(...worlds)).map(([program, world]) => inWorld(program, world)),
  examples: worlds.map(world => inWorld(chain(2), world)),
  control: {
    title: 'a registered agent without a permission is denied',
    case: inWorld(chain(2), WORLDS.unpermitted as World),
  },
  twins: [
    {
      requirement: 'G2',
      title: 'with the permission granted the same workflow is executed',
      case: inWorld(chain(2), { agents: [agent], permissions: [execute] }),
      contrast: (_control, twin) =>
        started(twin) && invoked(twin) ? undefined : { message: 'an agent with the permission was refused' },
    },
  ],
  examine: async (subject, program) => {
    const evidence = await subject.observe(program);
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [] };
  },
  judge: (program, observation) => {
    if (permitted(program)) return [{ requirement: 'G2', reached: false }];
    const failure = denial(observation);
    return [{ requirement: 'G2', reached: true, ...(failure === undefined ? {} : { failure }) }];
  },
});

function permitted({ agents, permissions }: Program): boolean {
  return sameJson(agents, [agent]) && sameJson(permissions, [execute]);
}

function denial(observation: Observation): Failure | undefined {
  const expected = 'denied by the governance gate, nothing invoked';
  if (invoked(observation)) return { message: 'an unauthorised workflow was executed', expected, observed: 'invoked' };
  if ('execution_id' in observation.start) {
    return { message: 'an unauthorised workflow was started', expected, observed: 'started' };
  }
  const { kind, gate } = observation.start.error;
  if (kind === 'denied' && gate === 'governance') return undefined;
  return {
    message: 'an unauthorised workflow was refused otherwise',
    expected,
    observed: `${kind} by ${gate ?? 'no gate'}`,
  };
}
