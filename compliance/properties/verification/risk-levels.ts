import type { Action } from '../../../schemas/types.js';
import type { Approach, Approached } from '../../approach.js';
import { oneAction } from '../../generators/approaches.js';
import { compareLevels, riskOf } from '../../model/safety.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Property } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { examineApproach } from '../governance/approach-checks.js';

/** What an action has to declare to have its level; by one rule alone, but for RS3, whose actions are irreversible by IH4. */
const SOURCES: readonly (readonly [string, string, Partial<Action>])[] = [
  ['RS1', 'that may turn out differently', { determinism: 'non_deterministic' }],
  [
    'RS2',
    'that a service can undo',
    { rollback: 'compensatable', side_effects: ['remote_server'], compensation: 'undo@1' },
  ],
  ['RS3', 'that no service undoes', { rollback: 'irreversible', side_effects: ['external_service'] }],
  ['RS4', 'with a compensation gap', { rollback: 'compensatable', side_effects: ['repository'] }],
  ['RS5', 'that is irreversible', { rollback: 'irreversible', side_effects: ['repository'] }],
];

const UNDO: Action = { action_id: 'undo', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };

/** Each source of risk gives the level that it has to. */
export const RISK_LEVELS: readonly Property[] = SOURCES.map(([rule, what, action]) =>
  caseProperty<Approach, Approached>({
    id: `verification/${rule.toLowerCase()}`,
    title: `a dry run tells the level of an action ${what}`,
    kind: 'message',
    requirements: [rule],
    capabilities: ['governance'],
    control: { title: `an action ${what}`, case: simulated(action) },
    twins: [
      {
        requirement: rule,
        title: 'an action that is none of it is SAFE',
        case: simulated({}),
        contrast: (control, twin) => contrastLevels(control, twin),
      },
    ],
    examine: examineApproach,
    judge: (approach, seen) => judgeLevel(rule, approach, seen),
  }),
);

function simulated(action: Partial<Action>): Approach {
  const workflow = oneAction(action, action.compensation === undefined ? [] : [UNDO]);
  const { level } = riskOf({ workflow, inputs: {}, script: { nodes: {} }, kills: [] });
  return { level, workflow, steps: [{ do: 'dry_run' }] };
}

function judgeLevel(requirement: string, { level }: Approach, seen: Approached): readonly Check[] {
  const said = levelIn(seen);
  const failure: Failure = {
    message: 'the level is not that of the contracts',
    expected: level,
    observed: said ?? seen.answers,
  };
  const wrong = said === undefined || compareLevels(said, level) !== 0;
  return [{ requirement, reached: level !== 'SAFE', ...(wrong ? { failure } : {}) }];
}

function contrastLevels(control: Approached, twin: Approached): Failure | undefined {
  const [risky, safe] = [levelIn(control), levelIn(twin)];
  if (risky !== undefined && safe === 'SAFE' && risky !== 'SAFE') return undefined;
  const message = 'the level does not depend on what the action declares';
  return { message, expected: { twin: 'SAFE' }, observed: { control: risky, twin: safe } };
}

function levelIn({ answers }: Approached) {
  const answer = answers[0]?.[0];
  return answer === undefined || 'error' in answer ? undefined : answer.dry_run?.safety_level;
}
