import canonicalize from 'canonicalize';
import type { Agent, Permission, Policy, SafetyLevel } from '../../schemas/types.js';
import { OWNER, type Program } from '../program.js';
import type { Asked } from '../scene.js';
import { closureNames } from './gate.js';
import { applicablePolicies, type GovernanceFacts, governanceRow, isInScope } from './governance-gate.js';
import { needsConfirmation, riskOf } from './safety.js';
import { safetyDecision } from './safety-gate.js';
import { carriedBy } from './scene-documents.js';
import { type Confirmed, isFaulty, type World, workflowOf } from './scene-world.js';

/** What chapter 9 asks for, as rules that the model can do without one of, to see what depends on it. */
export const RULES = [
  ...['AI1', 'PR1', 'PR2', 'PR3', 'PR4', 'PR5', 'PR6', 'DI1', 'DI2', 'DI3', 'NS1', 'NS2', 'NS3', 'NS4', 'NS5'],
  ...['CA1', 'CA3', 'EG4', 'ET1', 'ET2', 'ET3', 'G4', 'GF1', 'GF2', 'GF3', 'GFR2', 'GFR3', 'I4', 'MG2', 'MG3', 'MG4'],
] as const;

/** One of {@link RULES}. */
export type Rule = string;

/** What an agent wants to do. */
export interface Demand {
  readonly domain: Permission['domain'];
  readonly action: Permission['actions'][number];
  readonly name?: string;
}

/** What was granted to an agent and counts now. */
export function heldBy({ granted, now }: World, agent_id: string, without?: Rule): readonly Permission[] {
  const own = [...granted.values()].filter(({ permission }) => permission.granted_to === agent_id);
  return own
    .filter(({ revoked }) => without === 'PR6' || !revoked)
    .map(({ permission }) => permission)
    .filter(({ valid_until }) => without === 'PR2' || valid_until === undefined || now < valid_until);
}

/** Whether an agent holds a permission now. */
export function holds(world: World, agent_id: string, { domain, action, name }: Demand, without?: Rule): boolean {
  if (agent_id === OWNER || without === 'DI1') return true;
  return heldBy(world, agent_id, without).some(
    held =>
      (without === 'DI2' || held.domain === domain) &&
      held.actions.includes(action) &&
      (name === undefined || isInScope(name, held.scope)),
  );
}

/** Whether an agent is registered and known. */
export function isKnown({ agents }: World, agent_id: string): boolean {
  return (agents.get(agent_id)?.trust ?? 'UNKNOWN') !== 'UNKNOWN';
}

/** What gates say of a start: at which it is denied, if it is, and why. */
export interface Passage {
  readonly gate?: 'verification' | 'governance' | 'safety';
  readonly reasons: readonly string[];
  /** Whether the start needs a confirmation, by its level or by policies. */
  readonly confirmed?: true;
  /** After a record of the governance gate; absent where that was not asked. */
  readonly trust_after?: Agent['trust'];
}

/** What the gates say of a start, a dry run or a check, by chapter 9 without one of its rules. */
export function passageOf(world: World, asked: Asked, kind: 'start' | 'dry_run' | 'check', without?: Rule): Passage {
  if (world.damage !== undefined && world.damage.about === without) return passageOf(world.damage.intact, asked, kind);
  const isSound = world.scene.unsound?.includes(asked.workflow) !== true;
  if (!isSound && without !== 'G4' && (without !== 'ET2' || asked.by_id === undefined))
    return { gate: 'verification', reasons: [] };
  const program = programOf(world, asked);
  const level = riskOf(program).level;
  const facts = factsOf(world, asked, { program, level, kind }, without);
  const { decision, reasons, trust_after } = governanceRow(facts);
  const asks = governanceRow({ ...facts, confirmed: false }).reasons.includes('CONFIRMATION_NEEDED');
  const counted = kind === 'check' && reasons.includes('MISSING_PERMISSION') ? facts.agent?.trust : trust_after;
  const said = { reasons, ...(counted === undefined ? {} : { trust_after: counted }) };
  if (decision === 'denied') return { gate: 'governance', ...said };
  if (kind !== 'start') return said;
  const safety = safetyDecision({
    safety_level: level,
    start: { resolved_digest: asked.workflow, inputs_digest: inputsName(asked), agent_id: asked.agent_id },
    ...confirmationFacts(world, asked, without),
    dry_run_recorded: world.simulated.has(documentsName(asked)),
    now: world.now,
  });
  if (safety.decision === 'denied') return { gate: 'safety', reasons: safety.reasons, trust_after };
  const needed = asks || needsConfirmation(level) ? ({ confirmed: true } as const) : {};
  return { reasons: [], trust_after, ...needed };
}

/** What a confirmation is for. */
export function startName(asked: Asked): string {
  return JSON.stringify([asked.workflow, inputsName(asked), asked.agent_id]);
}

/** What a dry run is of. */
export function documentsName(asked: Asked): string {
  return JSON.stringify([asked.workflow, inputsName(asked)]);
}

function inputsName({ inputs = {} }: Asked): string {
  return canonicalize(inputs) ?? '';
}

function confirmationFacts(world: World, asked: Asked, without?: Rule) {
  const { confirmation_id, workflow } = asked;
  if (confirmation_id === undefined) return {};
  const found = confirmationOf(world, confirmation_id, asked, without);
  if (found === undefined) return { confirmation_id };
  const [name = '', inputs_digest = ''] = JSON.parse(found.of) as string[];
  const { agent_id, approver } = found;
  const expires_at = '9999-12-31T23:59:59.999Z';
  return {
    confirmation_id,
    confirmation: { confirmation_id, resolved_digest: name, inputs_digest, agent_id, approver, expires_at },
    ...(found.used ? { used_by: 'another' } : {}),
    approver_permitted:
      isKnown(world, approver) && holds(world, approver, { domain: 'approval', action: 'grant', name: workflow }),
  };
}

function confirmationOf(world: World, name: string, asked: Asked, without?: Rule): Confirmed | undefined {
  const approver = without === 'ET3' ? world.foreign.get(name) : undefined;
  const foreign = { of: startName(asked), agent_id: asked.agent_id, used: false };
  return world.confirmations.get(name) ?? (approver === undefined ? undefined : { ...foreign, approver });
}

function programOf(world: World, { workflow, inputs = {} }: Asked): Program {
  const { workflows, script } = world.scene;
  return { workflow: workflowOf(world, workflow), registry: { workflows }, inputs, script, kills: [] };
}

interface Start {
  readonly program: Program;
  readonly level: SafetyLevel;
  readonly kind: 'start' | 'dry_run' | 'check';
}

function factsOf(world: World, asked: Asked, start: Start, without?: Rule): GovernanceFacts {
  const { agent_id, context = {} } = asked;
  const { program, level, kind } = start;
  const { workflow } = program.workflow;
  const names = closureNames(program);
  const named = confirmationFacts(world, asked, without);
  const fit = safetyDecision({
    safety_level: 'RISKY',
    start: { resolved_digest: asked.workflow, inputs_digest: inputsName(asked), agent_id },
    ...named,
    dry_run_recorded: true,
    now: world.now,
  });
  const agent = agentOf(world, agent_id, without);
  const facts: GovernanceFacts = {
    agent_id,
    ...(agent === undefined ? {} : { agent }),
    permissions: permissionsFor(world, without),
    policies: [...world.policies.values()],
    workflow: { name: workflow.name, version: workflow.version },
    names: without === 'PR1' ? names.slice(0, 1) : names,
    inputs: { ...defaultsOf(program), ...asked.inputs } as GovernanceFacts['inputs'],
    context: context as GovernanceFacts['context'],
    safety_level: level,
    confirmed: fit.decision === 'allowed',
    dry_run: kind === 'dry_run',
    now: world.now,
  };
  return { ...facts, policies: policiesFor(world, facts, without) };
}

function defaultsOf({ workflow }: Program): Readonly<Record<string, unknown>> {
  const declared = Object.entries(workflow.inputs ?? {}).filter(([, input]) => input.default !== undefined);
  return Object.fromEntries(declared.map(([name, input]) => [name, input.default]));
}

function agentOf(world: World, agent_id: string, without?: Rule): Agent | undefined {
  const carried = without === 'ET1' ? carriedInto(world).agents.findLast(one => one.agent_id === agent_id) : undefined;
  const agent = carried ?? world.agents.get(agent_id);
  const unknown = agent === undefined || agent.trust === 'UNKNOWN';
  return without === 'AI1' && unknown ? { agent_id, trust: 'TRUSTED' } : agent;
}

function permissionsFor(world: World, without?: Rule): readonly Permission[] {
  const { granted } = world;
  const all = [...granted.values()].filter(({ revoked }) => without === 'PR6' || !revoked);
  const permissions = all.map(({ permission }) => permission);
  if (without === 'ET1') return [...permissions, ...carriedInto(world).permissions];
  if (without === 'DI2') return permissions.map(permission => ({ ...permission, domain: 'execution' }));
  if (without === 'PR2') return permissions.map(({ valid_until: _end, ...permission }) => permission);
  return permissions;
}

function policiesFor(world: World, facts: GovernanceFacts, without?: Rule): readonly Policy[] {
  const all = facts.policies;
  if (without === 'ET1') return [...all, ...carriedInto(world).policies];
  const lasting =
    without === 'I4' ? new Map(all.filter(isActive).map(policy => [policy.policy_id, policy])) : undefined;
  if (lasting !== undefined) return [...lasting.values()];
  if (without === 'GFR3' && world.was_faulty && !isFaulty(world)) return [...all, ...TWO_ACTIVE];
  const applicable = applicablePolicies(facts);
  const top = Math.max(0, ...applicable.map(({ policy }) => policy.level));
  const away = applicable.filter(({ policy: { level }, effect, failed }) => {
    if (without === 'GF3') return failed;
    if (without === 'MG4') return effect === 'deny';
    if (without === 'MG3') return level === 0 && top > 0 && effect === 'deny';
    if (without !== 'MG2' || level !== top) return false;
    return applicable.some(other => other.policy.level === top && WEAKER[effect].includes(other.effect));
  });
  return all.filter(policy => !away.some(one => one.policy === policy));
}

const WEAKER: Readonly<Record<Policy['effect'], readonly Policy['effect'][]>> = {
  deny: ['conditional', 'allow'],
  conditional: ['allow'],
  allow: [],
};

const TWO_ACTIVE: readonly Policy[] = ['1.0.0', '2.0.0'].map(version => {
  return { policy_id: 'two', version, level: 3, effect: 'allow', scope: 'nothing' };
});

function isActive({ active = true }: Policy): boolean {
  return active;
}

/** What the answers of actions that were executed carried. */
function carriedInto(world: World) {
  const { instances, scene } = world;
  const carried = [...instances.values()].map(({ asked }) =>
    carriedBy(workflowOf(world, asked.workflow), scene.script),
  );
  return {
    agents: carried.flatMap(({ agents }) => agents),
    permissions: carried.flatMap(({ permissions }) => permissions),
    policies: carried.flatMap(({ policies }) => policies),
  };
}
