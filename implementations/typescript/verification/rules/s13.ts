import type { Rule } from '../rule.js';
import { checkSkills } from './s12.js';

/** S13: a version of every skill satisfies its range. @requirement S13 */
export const s13: Rule = {
  id: 'S13',
  severity: 'blocking',
  requirement:
    'A version in the registry satisfies the range of each workflow_ref, and its inputs and outputs fit the mappings.',
  why: 'A skill of another version takes other inputs, gives other outputs, or does something else.',
  help: 'Register a matching version, or refer to one that exists.',
  failing: `nodes:
  - { node_id: bill, type: skill, workflow_ref: invoice@^2 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: bill, to_node: done, label: success }
`,
  passing: `nodes:
  - { node_id: bill, type: action, action_def: invoice.send@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: bill, to_node: done, label: success }
`,
  check(context) {
    const { findings, notEvaluated } = checkSkills(context, 'version');
    const skills = context.graph.nodes.some((node, index) => node.type === 'skill' && context.isJudged(index));
    if (notEvaluated !== undefined) return { findings, notEvaluated };
    return skills
      ? { findings, notEvaluated: 'whether inputs and outputs of skills fit is not looked at' }
      : { findings };
  },
};
