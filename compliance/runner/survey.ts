import * as fc from 'fast-check';
import { SuiteError } from '../error.js';
import type { CaseProperty, Examination } from './case-property.js';
import { Findings } from './findings.js';
import { malformedRecord } from './malformed.js';
import type { Context, Result, Role } from './property.js';
import { shrink } from './shrink.js';
import { CARRIES, type Check } from './verdict.js';

/** After so many cases that fail or run out of time the rest is not examined. */
const MAX_BAD_CASES = 4;

/** So many cases that exercise a requirement are wanted of a property; kills are dear, and what carries a pass is enough. */
const AMPLE = CARRIES + 2;

/** So many times as many cases as are asked for are drawn at most, while a requirement is exercised by few of them. */
const MOST_DRAWN = 4;

/**
 * Examines control, twins, examples and generated cases of a property, then makes the first failure of each requirement
 * smaller. Where a requirement is exercised by few of the cases more are drawn, so that the word on it depends on no seed.
 * The same seed gives the same cases, whatever else runs beside.
 */
export async function survey<T, E>(definition: CaseProperty<T, E>, context: Context): Promise<Result> {
  const seed = propertySeed(context.seed, definition.id);
  const runs = definition.cases ? Math.max(1, Math.ceil(context.runs * (definition.weight ?? 1))) : 0;
  const examples = definition.examples ?? [];
  const findings = new Findings(definition, seed);
  findings.plan(1 + runs + examples.length);
  for (const twin of definition.twins) if ('case' in twin) findings.plan(1);

  const control = await examine(definition, context, findings, 'control', definition.control.case, {
    needs: definition.requirements,
  });
  const missing = control && definition.inapplicable?.(control.evidence);
  if (missing !== undefined) return findings.inapplicable(missing);
  if (control?.refused !== true) await examineTwins(definition, context, findings, control);
  const arbitrary = definition.cases ?? fc.constantFrom(...examples, definition.control.case);
  const planned = runs + examples.length;
  const wanted = definition.kind === 'kill' ? CARRIES : AMPLE;
  if (planned > 0) {
    let index = 0;
    const property = fc.asyncProperty(arbitrary, async value => {
      const path = String(index++);
      if (index > planned) {
        if (findings.suffices(wanted)) return;
        findings.plan(1);
      }
      if (context.signal?.aborted === true || findings.bad >= (context.max_bad ?? MAX_BAD_CASES)) {
        findings.stopped = true;
        return;
      }
      await examine(definition, context, findings, 'generated', value, { path });
    });
    const numRuns = examples.length + runs * MOST_DRAWN;
    await fc.check(property, { seed, numRuns, examples: examples.map(e => [e] as [T]) });
  }
  await shrink(definition, context, findings, arbitrary);
  return findings.result();
}

/** Examines one case of a replay file, as the role that it had. */
export async function replayCase<T, E>(
  definition: CaseProperty<T, E>,
  context: Context,
  role: Role,
  value: T,
): Promise<Result> {
  const findings = new Findings(definition, context.seed);
  findings.plan(1);
  if (role === 'twin') {
    findings.plan(1);
    const control = await examine(definition, context, findings, 'control', definition.control.case);
    await examineTwins(definition, context, findings, control);
  } else {
    const needs = role === 'control' ? definition.requirements : [];
    await examine(definition, context, findings, role, value, { needs });
  }
  return findings.result();
}

async function examineTwins<T, E>(
  definition: CaseProperty<T, E>,
  context: Context,
  findings: Findings<T, E>,
  control: { readonly evidence: E; readonly checks: readonly Check[] } | undefined,
): Promise<void> {
  for (const twin of definition.twins) {
    if (control === undefined) return;
    if ('tamper' in twin) {
      const sound = control.checks.some(check => check.requirement === twin.requirement && holds(check));
      if (!sound) continue;
      try {
        const checks = definition.judge(definition.control.case, twin.tamper(control.evidence));
        const noticed = checks.some(check => check.requirement === twin.requirement && check.failure !== undefined);
        // What is wrong with the runtime already can hide what is changed: that is its fault, not the suite's.
        if (!noticed && exercised(definition, control.checks)) {
          findings.suiteError(twin.requirement, `the suite does not notice: ${twin.title}`);
        }
      } catch (error) {
        // A sound runtime shows in the control what the twin changes: the suite's own run against one would tell.
        if (exercised(definition, control.checks))
          findings.unshown(twin.requirement, `the twin '${twin.title}' cannot be made: ${String(error)}`);
      }
      continue;
    }
    const seen = await examine(definition, context, findings, 'twin', twin.case, { needs: [twin.requirement] });
    if (seen === undefined) continue;
    const failure = twin.contrast(control.evidence, seen.evidence);
    if (failure === undefined) continue;
    const told = { ...failure, message: `twin (${twin.title}): ${failure.message}` };
    const violation = { value: twin.case, role: 'twin', evidence: seen.evidence, failure: told } as const;
    findings.contrast(twin.requirement, violation, seen.checks);
  }
}

/** Whether the control did all that it is for: each requirement was reached, and nothing was wrong. */
function exercised({ requirements }: { readonly requirements: readonly string[] }, checks: readonly Check[]): boolean {
  const held = new Set(checks.filter(holds).map(({ requirement }) => requirement));
  return checks.every(({ failure }) => failure === undefined) && requirements.every(id => held.has(id));
}

function holds(check: Check): boolean {
  return check.reached && check.failure === undefined;
}

interface Examined<E> {
  readonly evidence: E;
  readonly checks: readonly Check[];
  readonly refused?: boolean;
}

async function examine<T, E>(
  definition: CaseProperty<T, E>,
  context: Context,
  findings: Findings<T, E>,
  role: Role,
  value: T,
  { path, needs = [] }: { readonly path?: string; readonly needs?: readonly string[] } = {},
): Promise<Examined<E> | undefined> {
  let examination: Examination<E>;
  try {
    examination = await definition.examine(context.subject, value);
  } catch (error) {
    context.onCase?.(0);
    if (context.signal?.aborted === true) findings.stopped = true;
    else findings.caught(error, { value, role, ...(path === undefined ? {} : { path }) });
    return undefined;
  }
  context.onCase?.(examination.kills);
  const { evidence, kills, refused = false, said } = examination;
  for (const note of examination.notes ?? []) findings.note(note);
  for (const violation of examination.violations ?? []) findings.brokeProtocol(violation);
  const seen = { value, role, evidence, ...(path === undefined ? {} : { path }) };
  if (refused) {
    findings.refuse(definition.inapplicable?.(evidence) === undefined ? needs : [], seen, said);
    return role === 'control' ? { evidence, checks: [], refused } : undefined;
  }
  try {
    const checks = definition.judge(value, evidence);
    findings.add(checks, kills, seen);
    return { evidence, checks };
  } catch (error) {
    const malformed = malformedRecord(evidence);
    const told =
      malformed === undefined
        ? new SuiteError('suite_bug', `judging ${definition.id}: ${String(error)}`, { cause: error })
        : new SuiteError('protocol', malformed, { cause: error });
    findings.caught(told, { value, role });
    return undefined;
  }
}

/** Gives a seed of its own to every property: 32 bits, from the run's seed and the property's id. */
export function propertySeed(seed: number, id: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash | 0;
}
