import { handledPrograms } from '../../generators/handled.js';
import type { Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import { FAILS, gives } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome, contrastStatus, refusal, refused, started } from '../seen.js';
import { failsWith, skilled } from './handled-programs.js';

/** A skill node runs its workflow, and comes to what that comes to. */
export const skills = programProperty({
  id: 'workflow/skills',
  title: 'a skill node runs its workflow as a child, and succeeds if and only if that completes',
  requirements: ['SN1', 'SN2'],
  optional: 'skill nodes',
  cases: handledPrograms,
  weight: 0.6,
  examples: [skilled(gives('x'), true), skilled(FAILS, true, {}, 2)],
  control: { title: 'a skill whose workflow completes', case: skilled(gives('x'), false) },
  twins: [
    { requirement: 'SN1', title: 'a trace by which no child was started', tamper: childless },
    {
      requirement: 'SN2',
      title: 'where the action in it fails the skill fails',
      case: skilled(FAILS, false),
      contrast: contrastOutcome('sk', ['success'], ['failure']),
    },
  ],
});

/** The failure of a child is nothing worse than a failure of its node. */
export const skillFailures = programProperty({
  id: 'workflow/skill-failures',
  title: 'a failure of a child instance, of class E5 too, is an ordinary failure of its skill node',
  requirements: ['FB6'],
  optional: 'skill nodes',
  examples: [skilled(failsWith('E1'), true), skilled(failsWith('E4'), true)],
  control: { title: 'a child that fails with E5 before a failure edge', case: skilled(failsWith('E5'), true) },
  twins: [
    {
      requirement: 'FB6',
      title: 'without the failure edge the instance fails',
      case: skilled(failsWith('E5'), false),
      contrast: contrastStatus('completed', 'failed'),
    },
  ],
});

/** Of a skill whose content may not be repeated no retry is verified. */
export const skillWorst = caseProperty<Program, Observation>({
  id: 'workflow/skill-worst',
  title: 'a skill is as little repeatable as the worst in it: a retry that this forbids is not started',
  kind: 'program',
  requirements: ['SN3'],
  control: {
    title: 'a retry of a skill with a non-deterministic action',
    case: skilled(FAILS, true, { determinism: 'non_deterministic' }, 1),
  },
  twins: [
    {
      requirement: 'SN3',
      title: 'with a deterministic action it is started',
      case: skilled(FAILS, true, {}, 1),
      contrast: (control, twin) => {
        const observed = { control: started(control), twin: started(twin) };
        if (!observed.control && observed.twin) return undefined;
        const message = 'the determinism of what is in the skill made no difference';
        return { message, expected: { control: false, twin: true }, observed };
      },
    },
  ],
  examine: async (subject, program) => {
    const evidence = await subject.observe(program);
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [], ...refusal(evidence) };
  },
  inapplicable: evidence => (refused(evidence) ? 'skill nodes' : undefined),
  judge: (program, evidence) => {
    const worst = program.registry?.workflows?.[0]?.actions?.[0]?.determinism === 'non_deterministic';
    const reached = 'execution_id' in evidence.start || evidence.start.error.kind === 'denied';
    if (!worst || !started(evidence)) return [{ requirement: 'SN3', reached }];
    const failure = { message: 'a retry of a skill with a non-deterministic action was started' };
    return [{ requirement: 'SN3', reached: true, failure: { ...failure, expected: 'denied', observed: 'started' } }];
  },
});

function childless(seen: Observation): Observation {
  if (seen.wait === undefined) return seen;
  const trace = seen.wait.trace.map(entry => (entry.node_id === 'sk' ? { ...entry, attempts: 0 } : entry));
  return { ...seen, wait: { ...seen.wait, trace } };
}
