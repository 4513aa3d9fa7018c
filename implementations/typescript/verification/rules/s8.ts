import type { FindingDraft, Rule } from '../rule.js';
import { judgeActionInputs } from '../values/action-inputs.js';
import { judgeAvailability } from '../values/availability.js';
import { judgeInputDefaults } from '../values/input-defaults.js';
import { judgePath } from '../values/judge-read.js';
import { gatherReads, type Read } from '../values/reads.js';

/** S8: references and expressions lead to something when they are read. @requirement S8 */
export const s8: Rule = {
  id: 'S8',
  severity: 'blocking',
  requirement:
    'Every ${…} and expression parses and type-checks; inputs exist; a node that is read is an ancestor and has certainly committed, or the reference has a default; the path exists in its outputs; required inputs of the action are mapped, unknown ones are not; workflow outputs are definite at every completed terminal or have a default; error is read below one error node only.',
  why: 'What cannot be read fails when the node runs, after others have had their effects.',
  help: 'Mend the text at the place that is named.',
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
    const { reads, findings: unreadable } = gatherReads(context);
    const findings: FindingDraft[] = [...judgeInputDefaults(context), ...unreadable];
    const sound: Read[] = [];
    for (const read of reads) {
      const wrong =
        judgePath(context, read, read.path) ??
        (read.fallback === undefined ? undefined : judgePath(context, read, read.fallback));
      if (wrong === undefined) sound.push(read);
      else findings.push(wrong);
    }
    for (const finding of judgeActionInputs(context)) findings.push(finding);
    const availability = judgeAvailability(context, sound);
    for (const finding of availability.findings) findings.push(finding);
    const reasons = [availability.notEvaluated, unknownPart(context)].filter(reason => reason !== undefined);
    return reasons.length === 0 ? { findings } : { findings, notEvaluated: reasons.join('; ') };
  },
};

/** What is read of actions that nobody defined is not known. */
function unknownPart({ actions }: Parameters<Rule['check']>[0]): string | undefined {
  const count = actions.unknown.length + actions.unresolved.length;
  return count === 0
    ? undefined
    : `what ${count === 1 ? 'one action' : `${count} actions`} without a definition take and give is not known (S7)`;
}
