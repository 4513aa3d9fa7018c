import type { SkillNode } from '../../../../schemas/types.js';
import { SKILL } from '../columns.js';
import type { VerificationContext } from '../context.js';
import type { FindingDraft, Rule } from '../rule.js';
import { judgeActionInputs } from '../values/action-inputs.js';
import { judgeAvailability } from '../values/availability.js';
import { findCertainty } from '../values/certainty.js';
import { judgeInputDefaults } from '../values/input-defaults.js';
import { judgePath } from '../values/judge-read.js';
import { conditionsOfOpenType } from '../values/open-types.js';
import { type Read, tellReads } from '../values/reads.js';
import { findSound } from '../values/sound-mappings.js';
import { ToldPaths } from '../values/told-paths.js';

/** S8: references and expressions lead to something when they are read. @requirement S8 */
export const s8: Rule = {
  id: 'S8',
  severity: 'blocking',
  requirement:
    'Every ${…} and expression parses and type-checks; inputs exist; a node that is read is an ancestor and has certainly committed, or the reference has a default; the path exists in its outputs; required inputs of the action are mapped, unknown ones are not; workflow outputs are definite at every completed terminal or have a default; error is read in an error node or where every path leads through one.',
  why: 'What cannot be read fails when the node runs, after others have had their effects.',
  help: 'Mend the text at the place that is named.',
  kinds: [
    {
      id: 'expression-syntax',
      summary: 'an expression that cannot be read',
      message: /^(In .*: )?The expression (["'`]).*\2 cannot be read, at (character |its end)/s,
    },
    {
      id: 'expression-operator',
      summary: 'an operator between types that it does not take',
      message:
        /^(In .*: )?The types of (["'`]).*\2 do not fit: |^(In .*: )?The expression (["'`]).*\4 does not fit its types/s,
    },
    {
      id: 'expression-function',
      summary: 'a function or an operator given what it does not take',
      message:
        /^(In .*: )?(In ["'`].*["'`] .*(takes|goes through|has no member)|["'`].*["'`] is .*, and \S+ takes a boolean$)/s,
    },
    {
      id: 'expression-member',
      summary: 'a member of an element that there is not',
      message: /^(In .*: )?(["'`]).*\2 leads to nothing: there is no ".*"(, but .*)?$/s,
    },
    {
      id: 'expression-type',
      summary: 'a condition that is neither boolean nor string',
      message: /^(In .*: )?The expression (["'`]).*\2 never gives a /s,
    },
    {
      id: 'reference-syntax',
      summary: 'a reference that cannot be read',
      message: /^The reference cannot be read, at character /,
    },
    {
      id: 'misplaced',
      summary: 'a root that is not there at this place',
      message: /^(In .*: )?(["'`]).*\2 cannot be read by an? /s,
    },
    { id: 'unknown-input', summary: 'an input that is not declared', message: /^The workflow has no input "/ },
    {
      id: 'no-outputs-named',
      summary: 'a node without the word outputs',
      message: /^(["'`]).*\1 names no outputs of a node$/s,
    },
    { id: 'unknown-node', summary: 'a node that there is not', message: /^There is no node "/ },
    {
      id: 'node-without-outputs',
      summary: 'a node that never has outputs',
      message: /^(["'`]).*\1 leads to nothing: ".*" is .*, which has no outputs$/s,
    },
    {
      id: 'error-member',
      summary: 'a member of error that there is not',
      message: /^(["'`]).*\1 leads to nothing: "error" has /s,
    },
    {
      id: 'missing-output',
      summary: 'a member that a schema or mapping excludes',
      message: /^(In .*: )?(["'`]).*\2 leads to nothing: (["'`]).*\3 has no "/s,
    },
    {
      id: 'optional-input',
      summary: 'an optional input without a default',
      message: /^The input ".*" may not be given, and nothing stands in for it$/,
    },
    {
      id: 'error-elsewhere',
      summary: 'error where there may be none',
      message: /^(["'`]).*\1 is read where there may be no error/s,
    },
    { id: 'own-outputs', summary: 'a node that reads its own outputs', message: /^".*" reads its own outputs$/ },
    {
      id: 'no-ancestor',
      summary: 'a node that does not come before',
      message: /^".*" reads ".*", but no path leads from there to it$/,
    },
    {
      id: 'uncertain',
      summary: 'a node that need not have committed',
      message: /^".*" need not have committed when ".*" runs/,
    },
    {
      id: 'uncertain-output',
      summary: 'an output of the workflow that may lead to nothing',
      message: /^The output ".*" may lead to nothing: /,
    },
    {
      id: 'unknown-action-input',
      summary: 'an input that the action does not take',
      message: /^".*" hands ".*" to the action ".*", which does not take it$/,
    },
    {
      id: 'type-of-action-input',
      summary: 'an input of another type',
      message: /^".*" hands an? \w+.* as ".*" to the action ".*", which takes |^".*" hands null as ".*" to the action /,
    },
    {
      id: 'missing-action-input',
      summary: 'a required input that is not mapped',
      message: /^".*" does not map .*, which the action ".*" requires$/,
    },
    {
      id: 'default-of-input',
      summary: 'a default of another type than its input',
      message: /^The default of the input ".*" is .*, and its schema takes /,
    },
  ],
  failing: `inputs:
  amount: { schema: { type: number } }
nodes:
  - { node_id: check, type: condition, expression: 'inputs.amuont > 100' }
  - { node_id: small, type: terminal, status: completed }
  - { node_id: large, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: small, label: 'false' }
  - { from_node: check, to_node: large, label: 'true' }
`,
  passing: `inputs:
  amount: { schema: { type: number } }
nodes:
  - { node_id: check, type: condition, expression: 'inputs.amount > 100' }
  - { node_id: small, type: terminal, status: completed }
  - { node_id: large, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: small, label: 'false' }
  - { from_node: check, to_node: large, label: 'true' }
`,
  check(context) {
    const certainty = context.orderDoubt === undefined ? findCertainty(context) : undefined;
    const sound = certainty === undefined ? undefined : findSound(context, certainty);
    const findings = judgeInputDefaults(context);
    const wrong: FindingDraft[] = [];
    const clear: Read[] = [];
    const told = new ToldPaths();
    const take = (read: Read): void => {
      for (const path of read.fallback === undefined ? [read.path] : [read.path, read.fallback]) {
        const found = judgePath(context, read, path);
        if (found === undefined) continue;
        if (told.isNew(read, path)) wrong.push(found);
        return;
      }
      clear.push(read);
    };
    for (const finding of tellReads(context, take, sound)) findings.push(finding);
    for (const finding of wrong) findings.push(finding);
    judgeActionInputs(context, findings, sound);
    const availability = judgeAvailability(context, clear, certainty);
    for (const finding of availability.findings) findings.push(finding);
    const reasons = [availability.notEvaluated, unknownPart(context)].filter(reason => reason !== undefined);
    return reasons.length === 0 ? { findings } : { findings, notEvaluated: reasons.join('; ') };
  },
};

/** What is read of actions and skills that nobody defined is not known. */
function unknownPart(context: VerificationContext): string | undefined {
  const { actions } = context;
  const count = actions.unknown.length + actions.unresolved.length;
  if (count === 0 && !hasUndefinedSkill(context)) return undefined;
  const open = conditionsOfOpenType(context);
  const others = open.count <= 1 ? '' : ` and ${open.count - 1} more`;
  const labels = `whether the labels of "${open.first}"${others} fit what it gives (S5)`;
  if (count === 0) return open.count === 0 ? undefined : `${labels} is not known: a skill is not defined (S12)`;
  const what =
    count === 1
      ? 'one action without a definition takes and gives'
      : `${count} actions without a definition take and give`;
  return `what ${what} is not known (S7)${open.count === 0 ? '' : `, nor ${labels}`}`;
}

function hasUndefinedSkill(context: VerificationContext): boolean {
  const { graph, columns, judged } = context;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (columns.type[node] !== SKILL || judged[node] === 0) continue;
    if (context.skills.resolve((context.node(node) as SkillNode).workflow_ref) === undefined) return true;
  }
  return false;
}
