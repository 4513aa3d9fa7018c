import * as fc from 'fast-check';
import type { CaseProperty, Examination } from './case-property.js';
import type { Findings } from './findings.js';
import type { Context } from './property.js';
import type { Failure } from './verdict.js';

/** The most cases that are run to make one failure smaller. */
const MAX_STEPS = 60;

/**
 * Makes the first generated violation of each requirement as small as time allows, by running smaller cases against the
 * runtime, and leaves the smallest as the counterexample.
 */
export async function shrink<T, E>(
  definition: CaseProperty<T, E>,
  context: Context,
  findings: Findings<T, E>,
  arbitrary: fc.Arbitrary<T>,
): Promise<void> {
  const examined = new Map<string, Examination<E> | undefined>();
  const deadline = performance.now() + context.shrink_ms;
  for (const [requirement, violation] of findings.ordered()) {
    const shrinkable = violation.path !== undefined && violation.evidence !== undefined;
    if (!shrinkable || context.signal?.aborted === true) continue;
    let smallest: { value: T; evidence: E; failure: Failure } | undefined;
    let [steps, shrinks] = [0, 0];
    const fails = async (value: T): Promise<boolean> => {
      const late = steps > 0 && performance.now() > deadline;
      if (late || steps >= MAX_STEPS || context.signal?.aborted === true) throw noMoreCases();
      steps += 1;
      const examination = await examineOnce(definition, context, examined, value);
      if (examination === undefined) return false;
      const failure = definition
        .judge(value, examination.evidence)
        .find(check => check.requirement === requirement && check.failure !== undefined)?.failure;
      if (failure === undefined) return false;
      if (smallest !== undefined) shrinks += 1;
      smallest = { value, evidence: examination.evidence, failure };
      return true;
    };
    const details = await fc.check(
      fc.asyncProperty(arbitrary, async value => !(await fails(value))),
      {
        seed: findings.seed,
        path: violation.path ?? '',
        numRuns: 1,
        examples: (definition.examples ?? []).map(example => [example] as [T]),
      },
    );
    findings.counterexamples.set(requirement, {
      property: definition.id,
      requirement,
      role: violation.role,
      case: smallest?.value ?? violation.value,
      failure: smallest?.failure ?? violation.failure,
      evidence: smallest?.evidence ?? violation.evidence,
      seed: findings.seed,
      path: details.counterexamplePath ?? violation.path ?? '',
      shrinks,
      reproduced: smallest !== undefined,
    });
  }
}

/** Gives the error at which fast-check draws no further cases: to draw all smaller ones of a large case takes seconds. */
export function noMoreCases(): Error {
  return new fc.PreconditionFailure(true);
}

async function examineOnce<T, E>(
  definition: CaseProperty<T, E>,
  context: Context,
  examined: Map<string, Examination<E> | undefined>,
  value: T,
): Promise<Examination<E> | undefined> {
  const key = JSON.stringify(value);
  if (examined.has(key)) return examined.get(key);
  let examination: Examination<E> | undefined;
  try {
    examination = await definition.examine(context.subject, value);
  } catch {
    examination = undefined;
  }
  examined.set(key, examination);
  return examination;
}
