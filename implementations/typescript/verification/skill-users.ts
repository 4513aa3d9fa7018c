import type { SkillNode } from '../../../schemas/types.js';
import { SKILL } from './columns.js';
import type { VerificationContext } from './context.js';
import { compareNames } from './rule.js';

/** Returns the nodes that refer to each workflow, by the reference as it is written; each list ordered by name. */
export function skillUsers(context: VerificationContext): Map<string, number[]> {
  const users = new Map<string, number[]>();
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.columns.type[node] !== SKILL || context.judged[node] === 0) continue;
    const subject = context.node(node) as SkillNode;
    const same = users.get(subject.workflow_ref);
    if (same === undefined) users.set(subject.workflow_ref, [node]);
    else same.push(node);
  }
  for (const nodes of users.values())
    nodes.sort((a, b) => compareNames(context.node(a).node_id, context.node(b).node_id));
  return new Map([...users].sort(([a], [b]) => compareNames(a, b)));
}
