import type { VerificationContext } from '../context.js';
import { checkConditions } from '../edges/condition-edges.js';
import { checkEnds, checkRepeats } from '../edges/edge-ends.js';
import { checkNames } from '../edges/names.js';
import { checkOutcomes } from '../edges/outcome-edges.js';
import type { Rule } from '../rule.js';

/** S5: names are unique, and edges fit their ends. @requirement S5 */
export const s5: Rule = {
  id: 'S5',
  severity: 'blocking',
  requirement:
    'Names are unique; both ends of an edge exist; labels fit the source; no edge is repeated; edges that one outcome takes together need fan_out: parallel; a condition covers every outcome; failure edges, at most one a node, lead to error nodes and nothing else does; a retrying error node has one in-edge; terminals and error nodes with handling fail have no out-edge.',
  why: 'Edges decide what runs; one that can never be taken, or an outcome without an edge, is a branch that nobody tested.',
  help: 'Mend the edge, or the name that it uses.',
  failing: `nodes:
  - { node_id: check, type: condition, expression: 'inputs.amount > 100' }
  - { node_id: small, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: small, label: 'false' }
`,
  passing: `nodes:
  - { node_id: check, type: condition, expression: 'inputs.amount > 100' }
  - { node_id: small, type: terminal, status: completed }
  - { node_id: large, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: small, label: 'false' }
  - { from_node: check, to_node: large, label: 'true' }
`,
  check(context) {
    const findings = [
      ...checkNames(context),
      ...checkEnds(context),
      ...checkRepeats(context),
      ...checkOutcomes(context),
      ...checkConditions(context),
    ];
    const notEvaluated = notEvaluatedPart(context);
    return notEvaluated === undefined ? { findings } : { findings, notEvaluated };
  },
};

function notEvaluatedPart({ input }: VerificationContext): string | undefined {
  if (input.nodesMissing || input.edgesMissing) return 'some nodes or edges are ill-formed';
  return input.unclearNodes.size + input.unclearEdges.size > 0
    ? 'parts of some nodes or edges are ill-formed'
    : undefined;
}
