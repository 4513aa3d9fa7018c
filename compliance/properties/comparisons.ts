import * as fc from 'fast-check';
import type { VerificationReport, WorkflowVerifyParams } from '../../schemas/types.js';
import type { Approach, Approached } from '../approach.js';
import { approaches } from '../generators/approaches.js';
import { comparedPrograms, interruptedPrograms, steeredPrograms } from '../generators/compared.js';
import { planted } from '../generators/defects.js';
import { documentOf, plantings } from '../generators/pairs/setting.js';
import { together, togetherDocument } from '../generators/pairs/together.js';
import { risky } from '../generators/risks.js';
import { doneScenes } from '../generators/scenes/done.js';
import { doorScenes } from '../generators/scenes/doors.js';
import { grantScenes } from '../generators/scenes/grants.js';
import { permissionScenes } from '../generators/scenes/permissions.js';
import { policyScenes } from '../generators/scenes/policies.js';
import { triedScenes } from '../generators/scenes/tried.js';
import { trustScenes } from '../generators/scenes/trust.js';
import { decided } from '../model/decided.js';
import type { Observation, Program } from '../program.js';
import { type AnyComparison, comparison } from '../runner/comparison.js';
import type { Check } from '../runner/verdict.js';
import type { Played, Scene } from '../scene.js';
import { judgeApproach, judgeGateRecords } from './governance/approach-checks.js';
import { judgeSceneWith } from './governance/scene-checks.js';
import { verifyParams } from './verification/rule-property.js';
import { agreed } from './verification/same.js';
import { violationsOf } from './violations.js';

const programs = comparison<Program, Observation>({
  name: 'programs',
  capabilities: [],
  weight: 36,
  cases: comparedPrograms,
  see: (subject, program) => subject.observe(program),
  decisions: (program, seen, shared) => {
    if (isOpen(seen)) return undefined;
    const told = decided(seen, new Set(Object.keys(program.script.actions ?? {})));
    // Which siblings had started when an instance stops in doubt is decided by time.
    const outcome = seen.wait?.status === 'in_doubt' ? { status: 'in_doubt' } : (told as object);
    return shared.has('audit') ? { ...outcome, breaks: brokenBy(program, seen) } : outcome;
  },
});

const steered = comparison<Program, Observation>({
  name: 'programs that are steered',
  capabilities: ['audit', 'recovery'],
  weight: 14,
  cases: steeredPrograms,
  see: (subject, program) => subject.observe(program),
  decisions: (program, seen) => (isOpen(seen) ? undefined : { breaks: brokenBy(program, seen) }),
});

const interrupted = comparison<Program, Observation>({
  name: 'programs that are killed',
  capabilities: ['audit', 'recovery', 'state'],
  weight: 4,
  cases: interruptedPrograms,
  see: (subject, program) => subject.observe(program),
  decisions: (program, seen) => (isOpen(seen) ? undefined : { breaks: brokenBy(program, seen) }),
});

const graphs = comparison<WorkflowVerifyParams, VerificationReport>({
  name: 'workflows to verify',
  capabilities: ['verification'],
  weight: 24,
  cases: fc
    .oneof(
      { weight: 3, arbitrary: together().map(togetherDocument) },
      { weight: 2, arbitrary: planted().map(({ program }) => program) },
      { weight: 1, arbitrary: plantings().map(planting => documentOf(planting, true)) },
      {
        weight: 2,
        arbitrary: risky.map(({ workflow, actions, workflows }) => ({ workflow, registry: { actions, workflows } })),
      },
    )
    .map(({ workflow, registry }) => verifyParams(workflow, registry)),
  see: (subject, params) => subject.verify(params),
  decisions: (_params, report) => agreed(report),
});

const scenes = comparison<Scene, Played>({
  name: 'scenes of governance',
  capabilities: ['governance', 'audit', 'state', 'recovery'],
  weight: 14,
  cases: fc.oneof(
    { weight: 3, arbitrary: permissionScenes },
    { weight: 3, arbitrary: policyScenes },
    { weight: 2, arbitrary: grantScenes },
    { weight: 3, arbitrary: doorScenes },
    { weight: 1, arbitrary: trustScenes },
    { weight: 2, arbitrary: doneScenes },
    { weight: 2, arbitrary: triedScenes },
  ),
  see: (subject, scene) => subject.play(scene),
  decisions: (scene, played) => ({ breaks: wrongIn(judgeSceneWith(LOG_REQUIREMENTS)(scene, played)) }),
});

const consents = comparison<Approach, Approached>({
  name: 'ways to a confirmed start',
  capabilities: ['governance', 'audit'],
  weight: 8,
  cases: approaches(['RISKY', 'IRREVERSIBLE', 'RISKY', 'IRREVERSIBLE', 'SAFE']),
  see: (subject, approach) => subject.approach(approach),
  decisions: (approach, seen) => ({
    breaks: wrongIn([...judgeApproach(approach, seen), ...judgeGateRecords(approach, seen)]),
  }),
});

/** What logs of scenes of every kind have to show. */
const LOG_REQUIREMENTS = ['AI2', 'AI3', 'CA2', 'EG5', 'G3', 'MG1'] as const;

/** Whether a runtime says that it does not run such programs, or is still at it. */
function isOpen({ start, wait }: Observation): boolean {
  return 'error' in start ? start.error.kind === 'unsupported' : wait === undefined || wait.status === 'running';
}

/** The requirements that a run breaks, by its log and by the model; no time decides of them. */
function brokenBy(program: Program, seen: Observation): readonly string[] {
  return sorted(violationsOf(program, seen).map(({ requirement }) => requirement));
}

function wrongIn(checks: readonly Check[]): readonly string[] {
  return sorted(checks.filter(({ failure }) => failure !== undefined).map(({ requirement }) => requirement));
}

function sorted(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].sort();
}

/** All kinds of cases by which two runtimes are compared; the first is of every runtime. */
export const COMPARISONS: readonly AnyComparison[] = [programs, steered, interrupted, graphs, scenes, consents];
