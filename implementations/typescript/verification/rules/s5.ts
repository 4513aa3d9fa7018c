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
  kinds: [
    { id: 'repeated-node-id', summary: 'two nodes of one name', message: /^The node_id ".*" is taken already$/ },
    {
      id: 'repeated-action',
      summary: 'an action that is defined twice',
      message: /^The action ".*" is defined already$/,
    },
    {
      id: 'repeated-workflow',
      summary: 'two documents of one name and version',
      message: /^The workflow ".*" is defined already by a document/,
    },
    {
      id: 'registry-actions',
      summary: 'an action that the registry holds twice',
      message: /^The action ".*" is defined more than once in the registry/,
    },
    {
      id: 'registry-workflows',
      summary: 'a skill that the registry holds twice',
      message: /^The workflow ".*" is defined more than once in the registry/,
    },
    { id: 'missing-source', summary: 'an edge from no node', message: /^The edge begins at ".*", which is no node/ },
    { id: 'missing-target', summary: 'an edge to no node', message: /^The edge ends at ".*", which is no node/ },
    { id: 'repeated-edge', summary: 'an edge that is there twice', message: /^The edge .* is there already$/ },
    {
      id: 'edge-after-terminal',
      summary: 'an edge out of a terminal',
      message: /^The terminal ".*" ends its path, but an edge leaves it$/,
    },
    {
      id: 'edge-after-fail',
      summary: 'an edge out of an error node that fails',
      message: /^The error node with handling fail ".*" ends its path/,
    },
    { id: 'unknown-label', summary: 'a label that is no outcome', message: /^".*" is no outcome of \w+ node / },
    {
      id: 'two-failure-edges',
      summary: 'two failure edges of one node',
      message: /^The node ".*" has [0-9]+ failure edges/,
    },
    {
      id: 'undeclared-fan-out',
      summary: 'edges taken together that are not declared',
      message: /^One outcome of ".*" takes [0-9]+ edges together/,
    },
    {
      id: 'retry-of-two-nodes',
      summary: 'an error node that retries, but not one node',
      message: /^The retrying error node ".*" has (no|[0-9]+) in-edges/,
    },
    {
      id: 'failure-without-error-node',
      summary: 'a failure edge to another node than an error node',
      message: /^The failure edge .* leads to an? \w+ node/,
    },
    {
      id: 'success-to-error-node',
      summary: 'another edge than a failure edge to an error node',
      message: /^The edge .* leads to an error node, which only failure edges may$/,
    },
    {
      id: 'boolean-condition-label',
      summary: 'a label that a boolean condition never gives',
      message: /^The label ".*" does not fit: the \w+ condition /,
    },
    {
      id: 'condition-always',
      summary: 'an always edge of a condition',
      message: /^The label "always" does not fit: a condition takes exactly one edge/,
    },
    {
      id: 'condition-fan-out',
      summary: 'two edges of a condition for one outcome',
      message: /^The condition ".*" has [0-9]+ edges for the outcome /,
    },
    {
      id: 'condition-without-edges',
      summary: 'a condition without edges',
      message: /^The condition ".*" has no out-edge/,
    },
    {
      id: 'boolean-condition-half',
      summary: 'a condition with an outcome that has no edge',
      message: /^The condition ".*" has edges only for /,
    },
  ],
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
  if (input.nodesMissing || input.edgesMissing) return 'nodes or edges are missing or ill-formed';
  return input.unclearNodes.size + input.unclearEdges.size > 0
    ? 'parts of some nodes or edges are ill-formed'
    : undefined;
}
