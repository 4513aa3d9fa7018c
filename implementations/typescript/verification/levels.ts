import type { NodeSafety, RiskReason, Safety, SafetyLevel } from '../../../schemas/types.js';
import { actionKey } from '../execution/contract.js';
import type { Closure, ClosureRisk, Executions, Target } from './closure.js';
import { higherLevel } from './risk.js';
import { compareNames, listNames } from './rule.js';

/** The levels of nodes, and of all of them together. */
export type Levels = Pick<Safety, 'level' | 'at_least' | 'reason' | 'nodes'>;

/**
 * Returns the levels of nodes by what they can come to execute. A level is UNKNOWN where a definition is missing that
 * could make it higher; `doubt` says why there may be nodes that are not given.
 *
 * @requirement SC1
 * @requirement SC2
 * @requirement SC3
 */
export function levelsOf(
  nodes: readonly { readonly node_id: string }[],
  { targets, of }: Executions,
  closure: Closure,
  doubt?: string,
): Levels {
  const known = targets.map((target, at) => safetyOf(target, closure.riskOf(at)));
  const risky: NodeSafety[] = [];
  const unknown: string[] = [];
  let at_least: SafetyLevel = 'SAFE';
  const isRisky = known.some(({ level }) => level !== 'SAFE');
  for (let node = 0; isRisky && node < nodes.length; node++) {
    const safety = known[of[node] as number];
    if (safety === undefined || safety.level === 'SAFE') continue;
    const { node_id } = nodes[node] as { node_id: string };
    risky.push({ node_id, ...safety });
    if (safety.level === 'UNKNOWN') unknown.push(node_id);
    at_least = higherLevel(at_least, safety.at_least);
  }
  risky.sort((a, b) => compareNames(a.node_id, b.node_id));
  const missing = unknown.length === 0 ? undefined : missingText(unknown.sort(compareNames));
  const reason = [doubt, missing].filter(part => part !== undefined).join('; ');
  if (reason === '' || at_least === 'IRREVERSIBLE') return { level: at_least, at_least, nodes: risky };
  return { level: 'UNKNOWN', at_least, reason, nodes: risky };
}

function safetyOf(target: Target, risk: ClosureRisk): Omit<NodeSafety, 'node_id'> {
  const { at_least, unknown } = risk;
  const isKnown = unknown === undefined || at_least === 'IRREVERSIBLE';
  return {
    level: isKnown ? at_least : 'UNKNOWN',
    at_least,
    reasons: reasonsOf(target, risk),
    ...(isKnown ? {} : { unknown }),
  };
}

function reasonsOf({ kind }: Target, { source }: ClosureRisk): RiskReason[] {
  if (source === undefined) return [];
  const name = actionKey(source.action);
  const leads = source.direct ? '' : kind === 'skill' ? 'the skill leads to it: ' : 'undoing leads to it: ';
  return source.risks.map(({ requirement, what }) => ({
    requirement,
    action: name,
    message: `${leads}"${name}" ${what}`,
  }));
}

function missingText(nodes: readonly string[]): string {
  return `not everything that ${listNames(nodes, 3)} can come to execute is known (S7, S12)`;
}
