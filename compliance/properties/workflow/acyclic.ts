import { planted } from '../../generators/defects.js';
import type { Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import { draw, gives } from '../drawn.js';
import { notDenied } from '../not-denied.js';
import { invoked, refusal, started } from '../seen.js';

/** A chain of three whose last node leads back to the second, or not. */
function looped(back: boolean): Program {
  return draw({
    edges: ['a success b', 'b success c', 'c success done', ...(back ? ['c success b'] : [])],
    nodes: { b: { join_type: 'OR' }, c: { fan_out: 'parallel' } },
    script: { a: [gives(1)], b: [gives(2)], c: [gives(3)] },
  });
}

/** A graph with a cycle never runs. */
export const acyclic = caseProperty<Program, Observation>({
  id: 'workflow/acyclic',
  title: 'a workflow with a cycle is refused by the verification gate, and nothing of it is executed',
  kind: 'program',
  requirements: ['WII3'],
  cases: planted('S1').map(({ program }) => program),
  weight: 0.5,
  control: { title: 'an edge leads back, so the workflow is refused', case: looped(true) },
  twins: [
    {
      requirement: 'WII3',
      title: 'without that edge the workflow is executed',
      case: looped(false),
      contrast: (_control, twin) =>
        started(twin) && invoked(twin) ? undefined : { message: 'an acyclic workflow was refused' },
    },
  ],
  examine: async (subject, program) => {
    const evidence = await subject.observe(program);
    const { kills, violations = [] } = evidence;
    return { evidence, kills, violations, ...refusal(evidence) };
  },
  judge: (program, observation) => {
    if (!cyclic(program)) return [{ requirement: 'WII3', reached: false }];
    const failure = notDenied(observation, 'verification', 'a workflow with a cycle');
    return [{ requirement: 'WII3', reached: true, ...(failure === undefined ? {} : { failure }) }];
  },
});

/** Whether the graph has a cycle: nodes without in-edges are taken away until none is left, or none can be. */
function cyclic({ workflow: { nodes, edges } }: Program): boolean {
  const open = new Map(nodes.map(({ node_id }) => [node_id, 0]));
  for (const { to_node } of edges) open.set(to_node, (open.get(to_node) ?? 0) + 1);
  const free = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  let removed = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    removed += 1;
    for (const edge of edges) {
      if (edge.from_node !== id) continue;
      const left = (open.get(edge.to_node) ?? 0) - 1;
      open.set(edge.to_node, left);
      if (left === 0) free.push(edge.to_node);
    }
  }
  return removed < open.size;
}
