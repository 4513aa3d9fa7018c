import type { Safety } from '../../../schemas/types.js';
import { type Definitions, type Executions, findClosure, findExecutions } from './closure.js';
import type { VerificationContext } from './context.js';
import { levelsOf } from './levels.js';
import { executedBy } from './values/known-values.js';
import { findZones } from './zones.js';

/** Returns how risky a document is to run, and what a failure in the middle of it leaves behind. */
export function safetyOf(context: VerificationContext): Safety {
  const executions = executionsOf(context);
  const closure = findClosure(executions.targets, definitionsOf(context));
  const levels = levelsOf(context.graph.nodes, executions, closure, doubtOf(context));
  const zones = findZones(context, executions, closure);
  return typeof zones === 'string' ? { ...levels, zones: [], zones_reason: zones } : { ...levels, zones: [...zones] };
}

/** What the nodes that are judged execute; a node that retries executes what failed. */
function executionsOf(context: VerificationContext): Executions {
  const { nodes, nodeCount } = context.graph;
  const { targets, of } = findExecutions(nodes, node => context.isJudged(node));
  for (let node = 0; node < nodeCount; node++) {
    const subject = context.node(node);
    if (subject.type !== 'error' || subject.handling !== 'retry' || !context.isJudged(node)) continue;
    const executed = executedBy(context, node);
    if (executed !== undefined) of[node] = of[executed] as number;
  }
  return { targets, of };
}

function definitionsOf({ actions, skills, registry }: VerificationContext): Definitions {
  return {
    action: (skill, reference) =>
      skill === undefined ? actions.resolve(reference) : skills.actionIn(skill, reference),
    skill: skills.resolve,
    complete: registry?.actions !== undefined,
  };
}

/** Why there may be more to the workflow than the nodes that are judged. */
function doubtOf({ input, ambiguous }: VerificationContext): string | undefined {
  if (input.defects.length > 0) return 'the document does not fit its schema';
  return ambiguous.size > 0 ? 'nodes that share a node_id are not judged (S5)' : undefined;
}
