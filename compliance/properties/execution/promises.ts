import * as fc from 'fast-check';
import type { Action, SideEffect, VerificationReport } from '../../../schemas/types.js';
import { oneAction } from '../../generators/approaches.js';
import { type CaseProperty, caseProperty } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check } from '../dialogue-property.js';
import { UNDO } from '../drawn.js';
import { verifyParams } from '../verification/rule-property.js';

/** What a contract says of its effects. */
interface Promised {
  readonly side_effects: readonly SideEffect[];
  readonly modifies_existing: boolean;
  readonly rollback: Action['rollback'];
}

const DOMAINS: readonly SideEffect[] = [
  ...(['filesystem', 'remote_server', 'repository', 'memory', 'scheduler', 'external_service'] as const),
];

const promised: fc.Arbitrary<Promised> = fc.record({
  side_effects: fc.subarray([...DOMAINS]),
  modifies_existing: fc.boolean(),
  rollback: fc.constantFrom('rollbackable', 'compensatable', 'irreversible'),
});

const one = (
  rollback: Promised['rollback'],
  side_effects: readonly SideEffect[],
  modifies_existing = false,
): Promised => ({ side_effects, modifies_existing, rollback });

const PAIRS: readonly (readonly [string, string, Promised, string, Promised])[] = [
  ['IH1', 'nothing happens outside', one('compensatable', []), 'compensatable', one('rollbackable', [])],
  [
    'IH2',
    'something existing is changed',
    one('rollbackable', ['filesystem'], true),
    'rollbackable',
    one('rollbackable', ['filesystem'], false),
  ],
  [
    'IH3',
    'a service offers an undo call',
    one('rollbackable', ['remote_server']),
    'rollbackable',
    one('compensatable', ['remote_server']),
  ],
  [
    'IH4',
    'a service offers no undo call',
    one('compensatable', ['external_service']),
    'compensatable',
    one('irreversible', ['external_service']),
  ],
];

/** Contracts promise only what the table of chapter 5 lets them. */
export const promises = PAIRS.map(([requirement, what, broken, said, kept]) =>
  caseProperty<Promised, VerificationReport>({
    id: `execution/${requirement.toLowerCase()}`,
    title: `a contract that says ${said} where ${what} is found to be wrong`,
    kind: 'message',
    requirements: [requirement],
    capabilities: ['verification'],
    cases: promised,
    weight: 0.3,
    control: { title: 'a contract that breaks it', case: broken },
    twins: [
      {
        requirement,
        title: 'the same with one field as it has to be is not',
        case: kept,
        contrast: (control, twin) => contrast(control, twin),
      },
    ],
    examine,
    judge: (value, report) => judge(requirement, value, report),
  } satisfies CaseProperty<Promised, VerificationReport>),
);

async function examine(subject: Parameters<CaseProperty<Promised, VerificationReport>['examine']>[0], value: Promised) {
  return { evidence: await subject.verify(verifyParams(workflowOf(value), undefined)), kills: 0 };
}

function workflowOf({ side_effects, modifies_existing, rollback }: Promised) {
  const action: Partial<Action> = {
    side_effects: [...side_effects],
    rollback,
    ...(modifies_existing ? { modifies_existing } : {}),
    ...(rollback === 'rollbackable' && side_effects.length > 0 ? { revert: 'undo@^1.0.0' } : {}),
    ...(rollback === 'compensatable' ? { compensation: 'undo@^1.0.0' } : {}),
  };
  return oneAction(action, [UNDO]);
}

/** Which of the four a contract breaks. */
function broken({ side_effects, modifies_existing, rollback }: Promised): readonly string[] {
  return [
    side_effects.length === 0 && rollback !== 'rollbackable' && 'IH1',
    modifies_existing && (side_effects.length === 0 || rollback === 'rollbackable') && 'IH2',
    side_effects.includes('remote_server') && rollback === 'rollbackable' && 'IH3',
    side_effects.includes('external_service') && rollback !== 'irreversible' && 'IH4',
  ].filter(id => id !== false);
}

function judge(requirement: string, value: Promised, report: VerificationReport): readonly Check[] {
  const breaks = broken(value);
  // Where several are broken a finding shows none of them by itself.
  if (breaks.length > 1 || (breaks.length === 1 && breaks[0] !== requirement)) return [];
  const found = isFound(report);
  const wrong: Failure = {
    message: found
      ? 'a contract that breaks nothing has a finding of S10'
      : 'a contract that breaks it has no finding of S10',
    expected: breaks.length === 1,
    observed: report.findings.map(({ rule, severity, message }) => `${rule} ${severity}: ${message}`),
  };
  return [check(requirement, found !== (breaks.length === 1) ? wrong : undefined)];
}

function isFound({ findings }: VerificationReport): boolean {
  return findings.some(({ rule, severity }) => rule === 'S10' && severity === 'blocking');
}

function contrast(control: VerificationReport, twin: VerificationReport): Failure | undefined {
  const observed = { control: isFound(control), twin: isFound(twin) };
  if (observed.control && !observed.twin) return undefined;
  const message = 'what the contract says made no difference';
  return { message, expected: { control: true, twin: false }, observed };
}
