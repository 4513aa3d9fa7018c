import type { AuditRecord } from '../../../schemas/types.js';
import type { Answer, Approach, Approached } from '../../approach.js';
import { type Expected, expectedOf } from '../../model/consent.js';
import { needsConfirmation } from '../../model/safety.js';
import type { Examination } from '../../runner/case-property.js';
import type { Subject } from '../../runner/property.js';
import type { Check, Failure } from '../../runner/verdict.js';

/** Between the ends of validity that approaches use. */
const NOW = '2026-01-01T00:00:00.000Z';

/** Has a runtime go through an approach. */
export async function examineApproach(subject: Subject, approach: Approach): Promise<Examination<Approached>> {
  const evidence = await subject.approach(approach);
  return { evidence, kills: evidence.kills, violations: evidence.violations };
}

/** What an approach says about MS1, MS2, EG2, GL3 and GFR1. */
export function judgeApproach(approach: Approach, seen: Approached): readonly Check[] {
  const expected = expectedOf(approach, NOW);
  const checks = expected.flatMap((one, index) => judgeStep(approach, one, seen.answers[index] ?? [], index));
  const wanted = sum(expected.map(one => (one.do === 'started' ? one.count : 0)));
  const started = sum(seen.answers.map(answers => answers.filter(hasStarted).length));
  const invoked = seen.ledger.filter(({ kind }) => kind === 'invoke').length;
  const simulated = seen.answers.flat().some(answer => !('error' in answer) && answer.dry_run !== undefined);
  const quiet = { requirement: 'EG2', reached: simulated && wanted === 0 };
  const loud: Failure = { message: 'an action was invoked though nothing may start', expected: 0, observed: invoked };
  const denied = approach.steps.some((step, at) => step.do === 'start' && (seen.answers[at] ?? []).some(isRefusal));
  const silent = { requirement: 'GL3', reached: denied };
  const extra: Failure = { message: 'a start that was denied had an effect', expected: started, observed: invoked };
  return [
    ...checks,
    { ...quiet, ...(quiet.reached && invoked > 0 ? { failure: loud } : {}) },
    { ...silent, ...(invoked > started ? { failure: extra } : {}) },
  ];
}

function judgeStep(approach: Approach, expected: Expected, answers: readonly Answer[], index: number): Check[] {
  const place = `step ${index + 1}`;
  if (expected.do === 'none') return [];
  if (expected.do === 'simulated') return [judgeDryRun(expected, answers[0], place)];
  if (expected.do === 'started') return judgeStarts(approach, expected, answers, place);
  const [answer = {}] = answers;
  const refused = 'error' in answer;
  const wrong: Failure = {
    message: `${place}: ${refused ? 'a confirmation was refused' : 'a confirmation was taken that nobody may give'}`,
    expected: expected.do,
    observed: answer,
  };
  return [
    { requirement: 'MS1', reached: true, ...(refused === (expected.do === 'refused') ? {} : { failure: wrong }) },
  ];
}

function judgeDryRun({ digests }: Extract<Expected, { do: 'simulated' }>, answer: Answer = {}, place: string): Check {
  const dry_run = 'error' in answer ? undefined : answer.dry_run;
  const fits = dry_run?.resolved_digest === digests.resolved_digest && dry_run.inputs_digest === digests.inputs_digest;
  const message = `${place}: a dry run does not say what there is to confirm`;
  return {
    requirement: 'MS2',
    reached: true,
    ...(fits ? {} : { failure: { message, expected: digests, observed: answer } }),
  };
}

function judgeStarts(
  { level }: Approach,
  { count, lacking, reopened }: Extract<Expected, { do: 'started' }>,
  answers: readonly Answer[],
  place: string,
): Check[] {
  const started = answers.filter(hasStarted).length;
  const reached = needsConfirmation(level);
  const what = started > count ? 'started without what its level needs' : 'denied though it has what its level needs';
  const failure: Failure = { message: `${place}: ${what}`, expected: { started: count }, observed: answers };
  const off = started === count ? {} : { failure };
  const others = answers.filter(answer => 'error' in answer);
  const odd = others.find(({ error }) => error.kind !== 'denied' || error.gate !== 'safety' || !error.execution_id);
  const denial: Failure = {
    message: `${place}: the answer to a denied start does not name the safety gate and the execution_id`,
    expected: { kind: 'denied', gate: 'safety' },
    observed: odd,
  };
  return [
    { requirement: lacking, reached, ...off },
    ...(level === 'IRREVERSIBLE' && lacking === 'MS1' && count > 0 ? [{ requirement: 'MS2', reached, ...off }] : []),
    ...(reopened ? [{ requirement: 'GFR1', reached, ...off }] : []),
    { requirement: 'GL3', reached: others.length > 0, ...(odd === undefined ? {} : { failure: denial }) },
  ];
}

function isRefusal(answer: Answer): boolean {
  return 'error' in answer;
}

function hasStarted(answer: Answer): boolean {
  return !('error' in answer) && answer.execution_id !== undefined && answer.dry_run === undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

const ORDER = ['verification', 'governance', 'safety', 'execution'];

/** What the log of an approach says about GL1, GL2, EG3 and MS2: which gates were asked of whom, and how they answered. */
export function judgeGateRecords(approach: Approach, seen: Approached): readonly Check[] {
  if (seen.log === undefined) return [];
  const log = seen.log;
  const checks: Check[] = [];
  approach.steps.forEach((step, index) => {
    if (step.do !== 'start' && step.do !== 'dry_run') return;
    const most = step.do === 'dry_run' ? 2 : ORDER.length;
    for (const answer of seen.answers[index] ?? [])
      checks.push(...judgePassage(answer, most, log, `step ${index + 1}`));
  });
  return checks;
}

function judgePassage(answer: Answer, most: number, log: readonly AuditRecord[], place: string): Check[] {
  const denied = 'error' in answer;
  const id = denied ? answer.error.execution_id : answer.execution_id;
  if (id === undefined) return [];
  const records = log.filter(record => record.execution_id === id);
  const gates = records.filter(({ record_type }) => record_type === 'gate');
  const asked = denied ? ORDER.slice(0, ORDER.indexOf(answer.error.gate ?? '') + 1) : ORDER.slice(0, most);
  const said = gates.map(({ gate, status }) => `${gate} ${status}`);
  const wanted = asked.map((gate, at) => `${gate} ${denied && at === asked.length - 1 ? 'denied' : 'allowed'}`);
  const ordered = JSON.stringify(said) === JSON.stringify(wanted);
  const complete = wanted.every(one => said.includes(one));
  const silent = gates.find(({ status, reasons = [] }) => status === 'denied' && reasons.length === 0);
  const order: Failure = { message: `${place}: the gates were not asked in order`, expected: wanted, observed: said };
  const missing: Failure = { message: `${place}: a gate has no record`, expected: wanted, observed: said };
  const mute: Failure = { message: `${place}: a denial has no reason`, expected: 'a reason', observed: silent };
  return [
    { requirement: 'GL1', reached: complete, ...(ordered || !complete ? {} : { failure: order }) },
    { requirement: 'GL2', reached: true, ...(complete ? {} : { failure: missing }) },
    { requirement: 'EG3', reached: denied && complete, ...(silent === undefined ? {} : { failure: mute }) },
  ];
}
