import type { SkillNode, Workflow } from '../../../../schemas/types.js';
import { workflowKey } from '../../workflow/resolve.js';
import { SKILL } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { type FindingDraft, listNames, type Rule } from '../rule.js';
import { suggest } from '../suggestion.js';
import { judgeInterface, type Taker } from '../values/action-inputs.js';
import { typesOfSchema } from '../values/json-schema-shape.js';
import { follow, namesIn } from '../values/known-values.js';
import { readsOf } from '../values/reads.js';
import { ToldPaths } from '../values/told-paths.js';
import { checkSkills } from './s12.js';

/** S13: a version of every skill satisfies its range, and its interface fits. @requirement S13 */
export const s13: Rule = {
  id: 'S13',
  severity: 'blocking',
  requirement:
    'A version in the registry satisfies the range of each workflow_ref, and its inputs and outputs fit the mappings.',
  why: 'A skill of another version takes other inputs, gives other outputs, or does something else.',
  help: 'Register a matching version, or refer to one that exists.',
  kinds: [
    {
      id: 'no-such-version',
      summary: 'a version of a skill that there is not',
      message: /^The workflow ".*" of node ".*" does not exist: there (is|are) the version/,
    },
    {
      id: 'no-range',
      summary: 'a range that is none',
      message: /^The workflow ".*" of node ".*" does not exist: ".*" is no range of versions/,
    },
    {
      id: 'missing-input',
      summary: 'a required input that is not mapped',
      message: /^".*" does not map .*, which the workflow ".*" requires$/,
    },
    {
      id: 'unknown-input',
      summary: 'an input that the skill does not take',
      message: /^".*" hands ".*" to the workflow ".*", which does not take it$/,
    },
    {
      id: 'type-of-input',
      summary: 'an input of another type',
      message: /^".*" hands .* as ".*" to the workflow ".*", which takes /,
    },
    {
      id: 'missing-output',
      summary: 'an output that the skill does not have',
      message: /^".*" takes ".*" from the result, but /,
    },
  ],
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
    const all: FindingDraft[] = [...findings];
    const takers = new Map<Workflow, Taker>();
    for (let node = 0; node < context.graph.nodeCount; node++) {
      if (context.columns.type[node] !== SKILL || context.judged[node] === 0) continue;
      const subject = context.node(node) as SkillNode;
      const skill = context.skills.resolve(subject.workflow_ref);
      if (skill === undefined) continue;
      const taker = takers.get(skill) ?? takerOf(skill);
      takers.set(skill, taker);
      judgeInterface(context, node, taker, all);
      for (const finding of judgeResult(context, node, skill)) all.push(finding);
    }
    return notEvaluated === undefined ? { findings: all } : { findings: all, notEvaluated };
  },
};

function takerOf(skill: Workflow): Taker {
  const inputs = skill.inputs ?? {};
  return {
    name: `the workflow "${workflowKey(skill)}"`,
    required: new Set(
      Object.keys(inputs).filter(
        name => inputs[name]?.required !== false && !Object.hasOwn(inputs[name] ?? {}, 'default'),
      ),
    ),
    allowed: new Set(Object.keys(inputs)),
    typesOf(name) {
      const schema = Object.hasOwn(inputs, name) ? inputs[name]?.schema : undefined;
      return schema === undefined ? undefined : typesOfSchema({ schema, root: schema });
    },
  };
}

/** What the output mapping of a skill takes from the result, and the skill does not give. */
function judgeResult(context: VerificationContext, node: number, skill: Workflow): FindingDraft[] {
  const { node_id } = context.node(node);
  const findings: FindingDraft[] = [];
  const told = new ToldPaths();
  for (const reading of readsOf(context, node)) {
    const { place, pointer, path, fallback } = reading;
    if (place !== 'output_mapping') continue;
    for (const read of fallback === undefined ? [path] : [path, fallback]) {
      const destination = read[0] === 'result' ? follow(context, node, read) : undefined;
      if (destination === undefined || 'known' in destination) continue;
      if (!told.isNew(reading, read)) break;
      const name = read[destination.missing] ?? '';
      const names = namesIn(context, destination.at);
      const what =
        destination.missing === 1
          ? `the workflow "${workflowKey(skill)}" has no such output`
          : `"${read.slice(0, destination.missing).join('.')}" of the workflow "${workflowKey(skill)}" has no "${name}"`;
      const has = names.length === 0 ? '' : `; it has ${listNames(names)}`;
      const message = `"${node_id}" takes "${read.slice(1).join('.')}" from the result, but ${what}${has}`;
      const help = suggest(context, name, names, `Add the output "${name}" to the workflow, or map what it has.`);
      findings.push({ node_id, pointer, message, related: [], help });
      break;
    }
  }
  return findings;
}
