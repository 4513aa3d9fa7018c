import type { Approach, Approached, Step } from '../../approach.js';
import { approach, approval, confirmedStart, PAST } from '../../generators/approaches.js';
import { BYSTANDER, SECOND_AGENT, STRANGER } from '../../model/consent.js';
import { refusalText } from '../../model/refusal.js';
import { APPROVER, DEFAULT_AGENT } from '../../program.js';
import type { Twin } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';

const DRY: Step = { do: 'dry_run' };

/** The approver is registered again: its confirmations count no longer, or again. */
function trust(level: 'UNKNOWN' | 'TRUSTED'): Step {
  return { do: 'trust', agent_id: APPROVER, trust: level };
}

/** All that an irreversible start needs, and the start. */
export const CONFIRMED: Approach = approach('IRREVERSIBLE', [DRY, approval(), confirmedStart()]);

/** The same with one thing wrong. */
const WRONG: readonly (readonly [string, 'MS1' | 'MS2', readonly Step[]])[] = [
  ['without the confirmation', 'MS1', [DRY, approval(), { do: 'start' }]],
  ['without the dry run', 'MS2', [approval(), confirmedStart()]],
  ['with a dry run of other inputs', 'MS2', [{ ...DRY, inputs: { to: 'eve' } }, approval(), confirmedStart()]],
  ['confirmed for other inputs', 'MS1', [DRY, approval({ inputs: { to: 'eve' } }), confirmedStart()]],
  ['confirmed for other documents', 'MS1', [DRY, approval({ other_documents: true }), confirmedStart()]],
  ['confirmed for another agent', 'MS1', [DRY, approval({ agent_id: SECOND_AGENT }), confirmedStart()]],
  ['with a confirmation that has lapsed', 'MS1', [DRY, approval({ expires_at: PAST }), confirmedStart()]],
  ['confirmed by the agent that starts', 'MS1', [DRY, approval({ approver: DEFAULT_AGENT }), confirmedStart()]],
  ['confirmed by an agent without the permission', 'MS1', [DRY, approval({ approver: BYSTANDER }), confirmedStart()]],
  ['confirmed by an agent that has become unknown', 'MS1', [DRY, approval(), trust('UNKNOWN'), confirmedStart()]],
  ['confirmed by an agent that is not registered', 'MS1', [DRY, approval({ approver: STRANGER }), confirmedStart()]],
];

/** Cases that are always examined: one confirmation for two starts, in turn and at one time, and levels that need less. */
export const EXAMPLES: readonly Approach[] = [
  approach('IRREVERSIBLE', [DRY, approval(), confirmedStart(), confirmedStart()]),
  approach('IRREVERSIBLE', [DRY, approval(), confirmedStart({ times: 8 })]),
  approach('RISKY', [approval(), confirmedStart({ times: 8 }), confirmedStart()]),
  approach('RISKY', [approval(), confirmedStart({ inputs: { to: 'eve' } }), confirmedStart({ inputs: { to: 'ada' } })]),
  approach('RISKY', [approval(), trust('UNKNOWN'), confirmedStart(), trust('TRUSTED'), confirmedStart()]),
  approach('RISKY', [DRY, { do: 'start' }]),
  approach('CONDITIONALLY_SAFE', [{ do: 'start', times: 2 }]),
  approach('SAFE', [{ do: 'start' }]),
];

/** Each wrong thing as a twin of {@link CONFIRMED}. */
export const TWINS: readonly Twin<Approach, Approached>[] = WRONG.map(([title, requirement, steps]) => ({
  requirement,
  title: `${title} the same start is denied`,
  case: approach('IRREVERSIBLE', steps),
  contrast: contrastLast,
}));

/** What is wrong unless the last start went through in the control and not in its twin. */
export function contrastLast(control: Approached, twin: Approached): Failure | undefined {
  if (lastStarted(control) && !lastStarted(twin)) return undefined;
  const observed = { control: lastText(control), twin: lastText(twin) };
  const message =
    'the last start has to go through in the control and not in its twin, which differs from it in one thing; it was ' +
    `${observed.control} in the control and ${observed.twin} in the twin`;
  return { message, expected: { control: 'started', twin: 'denied' }, observed };
}

function lastText(seen: Approached): string {
  if (lastStarted(seen)) return 'started';
  const refused = (seen.answers.at(-1) ?? []).flatMap(answer => ('error' in answer ? [refusalText(answer.error)] : []));
  return refused[0] ?? 'not started';
}

function lastStarted({ answers }: Approached): boolean {
  const last = answers.at(-1) ?? [];
  return last.length > 0 && last.every(answer => !('error' in answer) && answer.execution_id !== undefined);
}
