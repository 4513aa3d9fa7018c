import type { VerificationReport, Workflow } from '../../../schemas/types.js';
import { editedWorkflows } from '../../generators/edits.js';
import { PAIRS } from '../../generators/pairs/index.js';
import { given } from '../../generators/pairs/setting.js';
import { brokenRules, uncertainReads } from '../../model/soundness.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check } from '../../runner/verdict.js';
import { chain } from '../drawn.js';
import { told } from './pair-property.js';
import { verifyParams } from './rule-property.js';

const GRAPH_RULES: ReadonlySet<string> = new Set(['S1', 'S2', 'S3', 'S5']);

/** Defects of the graph and of certainty, which drawn workflows have too seldom for few of them to show it. */
const DEFECTS = PAIRS.filter(
  ({ rule, name }) => GRAPH_RULES.has(rule) || (rule === 'S8' && /branch|comes later|handles its failure/.test(name)),
);

/** Only so many nodes are tried out in every execution. */
const FEW = 9;

/** A verdict that lets a small graph pass, or does not, against trying everything out. */
export const bruteForce = caseProperty<Workflow, VerificationReport>({
  id: 'verification/brute-force',
  title:
    'a workflow that passes satisfies every rule over graph and references, tried out, and one that does is passed',
  kind: 'message',
  requirements: ['VII3', 'VII4'],
  capabilities: ['verification'],
  cases: editedWorkflows,
  weight: 4,
  examples: DEFECTS.flatMap(({ parts }) => [true, false].map(broken => given(parts(broken)).workflow)),
  control: { title: 'a chain of three', case: chain(3).workflow },
  twins: [
    {
      requirement: 'VII4',
      title: 'a report that lets nothing pass',
      tamper: report => ({ ...report, verdict: 'FAIL' }),
    },
    {
      requirement: 'VII3',
      title: 'with the last edge bent to a node before it passes no more',
      case: bent(chain(3).workflow),
      contrast: (_control, twin) =>
        twin.verdict === 'FAIL'
          ? undefined
          : { message: 'a broken graph was let pass', expected: 'FAIL', observed: twin.verdict },
    },
  ],
  examine: async (subject, workflow) => ({ evidence: await subject.verify(verifyParams(workflow, {})), kills: 0 }),
  judge: (workflow, report) => judge(workflow, report),
});

/** The workflow with its last edge leading back to the first node. */
function bent(workflow: Workflow): Workflow {
  const [{ node_id: first = '' } = {}] = workflow.nodes;
  return {
    ...workflow,
    edges: workflow.edges.map((edge, at, all) => (at === all.length - 1 ? { ...edge, to_node: first } : edge)),
  };
}

function judge(workflow: Workflow, { verdict, findings }: VerificationReport): readonly Check[] {
  const broken = brokenRules(workflow);
  const passes = verdict !== 'FAIL';
  const uncertain = passes && workflow.nodes.length <= FEW ? uncertainReads(workflow) : [];
  const let_pass = {
    message: 'what was let pass breaks a rule',
    expected: `FAIL, by ${[...broken].join(', ') || 'an execution in which what is read has not committed'}`,
    observed: { verdict, uncertain },
  };
  const alarm = {
    message: 'what breaks no rule was not let pass',
    expected: 'no blocking finding',
    observed: told(findings),
  };
  const isSound = broken.size === 0;
  return [
    {
      requirement: 'VII3',
      reached: passes || !isSound,
      ...(passes && (!isSound || uncertain.length > 0) ? { failure: let_pass } : {}),
    },
    { requirement: 'VII4', reached: isSound, ...(isSound && !passes ? { failure: alarm } : {}) },
  ];
}
