import type * as fc from 'fast-check';
import type { Capability, FaultPoint } from '../../schemas/types.js';
import type { Violation } from '../history/violation.js';
import type { Observation, Program } from '../program.js';
import { type Control, caseProperty, type Twin } from '../runner/case-property.js';
import type { Family, Property } from '../runner/property.js';
import type { Check } from '../runner/verdict.js';
import { reached } from './reach.js';
import { refusal, refused, troubleAtStart } from './seen.js';
import { violationsOf } from './violations.js';

/** What is particular to a property about programs that the model and the log checker judge. */
export interface ProgramProperty {
  readonly id: `${Family}/${string}`;
  readonly title: string;
  readonly kind?: 'program' | 'kill';
  readonly requirements: readonly string[];
  /** Beside core. */
  readonly capabilities?: readonly Capability[];
  readonly points?: readonly FaultPoint[];
  readonly cases?: fc.Arbitrary<Program>;
  readonly weight?: number;
  readonly examples?: readonly Program[];
  readonly control: Control<Program>;
  readonly twins: readonly Twin<Program, Observation>[];
  /** What a runtime lacks that refuses to start the control as unsupported; absent means that it must not. */
  readonly optional?: string;
  /** What a runtime lacks, by what was seen of the control; undefined where that can be judged. */
  readonly lacking?: (control: Observation) => string | undefined;
}

/** Gives the property that runs programs and holds what was seen against the semantics of the specification. */
export function programProperty(definition: ProgramProperty): Property {
  return caseProperty<Program, Observation>({
    ...definition,
    kind: definition.kind ?? 'program',
    examine: async (subject, program) => {
      const observation = await subject.observe(program);
      const { kills, violations: seen = [] } = observation;
      const stray = (text: string) => text.startsWith('a line that is no JSON-RPC');
      return {
        evidence: observation,
        kills,
        violations: seen.filter(text => !stray(text)),
        notes: [...troubleAtStart(observation), ...seen.filter(stray)],
        ...refusal(observation),
      };
    },
    inapplicable: observation =>
      definition.lacking?.(observation) ?? (refused(observation) ? definition.optional : undefined),
    judge: (program, observation) => judgeProgram(definition.requirements, program, observation),
  });
}

/**
 * Gives a check for each requirement: whether the run exercised it, and the first violation of it. Whatever else the run
 * violates is told too.
 */
export function judgeProgram(
  requirements: readonly string[],
  program: Program,
  observation: Observation,
): readonly Check[] {
  const violations = violationsOf(program, observation);
  const others = violations.map(({ requirement }) => requirement).filter(id => !requirements.includes(id));
  return [...requirements, ...new Set(others)].map(requirement => {
    const violation = violations.find(candidate => candidate.requirement === requirement);
    if (violation === undefined) return { requirement, reached: reached(requirement, program, observation) };
    const { expected, observed, node_id } = violation;
    const failure = {
      message: messageOf(violation),
      expected,
      observed,
      ...(node_id === undefined ? {} : { node_id }),
    };
    return { requirement, reached: true, failure };
  });
}

/** How much of what was expected or seen is in a message, in characters; the failure has all of it beside. */
const MOST_TOLD = 160;

/** Where something was seen, what, and what was expected in its place. */
export function messageOf({ node_id, execution_id, sequence, observed, expected }: Violation): string {
  const places = [
    node_id === undefined ? undefined : `node '${node_id}'`,
    execution_id === undefined ? undefined : `execution ${execution_id}`,
    sequence === undefined ? undefined : `record ${sequence}`,
  ].filter(place => place !== undefined);
  const where = places.length === 0 ? '' : `${places.join(', ')}: `;
  return `${where}${clipped(observed)}; expected: ${clipped(expected)}`;
}

function clipped(text: string): string {
  return text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD - 1)}…` : text;
}
