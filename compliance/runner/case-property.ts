import type * as fc from 'fast-check';
import type { Capability, FaultPoint } from '../../schemas/types.js';
import type { Context, Family, Property, Subject } from './property.js';
import { replayCase, survey } from './survey.js';
import type { Check, Failure } from './verdict.js';

/** What was seen of one case. */
export interface Examination<E> {
  readonly evidence: E;
  /** How many SIGKILLs were delivered. */
  readonly kills: number;
  /** Whether the runtime refused to start the case as unsupported, so that it says nothing. */
  readonly refused?: boolean;
  /** With what words it did. */
  readonly said?: string;
  /** What is told in the report and decides nothing. */
  readonly notes?: readonly string[];
  /** What the adapter did against the protocol, in words; it makes the property inconclusive. */
  readonly violations?: readonly string[];
}

/** A case that must exercise and satisfy the requirements of its property, whatever is generated. */
export interface Control<T> {
  readonly title: string;
  readonly case: T;
}

/** The other way: what shows that a pass is no accident. */
export type Twin<T, E> =
  /** A case that differs from the control in one field and must come out differently. */
  | {
      readonly requirement: string;
      readonly title: string;
      readonly case: T;
      /** Gives what is wrong where the two did not come out differently. */
      contrast(control: E, twin: E): Failure | undefined;
    }
  /** The control's evidence with one thing changed: the suite itself must call it a violation. */
  | { readonly requirement: string; readonly title: string; tamper(evidence: E): E };

/** All that is particular to a property whose cases are data. */
export interface CaseProperty<T, E> {
  readonly id: `${Family}/${string}`;
  readonly title: string;
  readonly kind: Property['kind'];
  readonly requirements: readonly string[];
  readonly capabilities?: readonly Capability[];
  readonly points?: readonly FaultPoint[];
  /** The generated cases; absent where the examples are all there is. */
  readonly cases?: fc.Arbitrary<T>;
  /** How many cases are generated for each run that is asked for; absent means 1. */
  readonly weight?: number;
  /** Cases that are always examined. */
  readonly examples?: readonly T[];
  readonly control: Control<T>;
  readonly twins: readonly Twin<T, E>[];
  examine(subject: Subject, value: T): Promise<Examination<E>>;
  /** Gives what the runtime says that it does not have, where the control's evidence shows that nothing can be judged. */
  inapplicable?(control: E): string | undefined;
  /**
   * Pure: what the evidence says about each requirement. A failure of a requirement that the property is not about is
   * reported as well.
   */
  judge(value: T, evidence: E): readonly Check[];
}

/** Gives the property that examines the control, the twins, the examples and the generated cases. */
export function caseProperty<T, E>(definition: CaseProperty<T, E>): Property {
  return {
    id: definition.id,
    title: definition.title,
    family: definition.id.slice(0, definition.id.indexOf('/')) as Family,
    kind: definition.kind,
    requirements: definition.requirements,
    capabilities: definition.capabilities ?? [],
    points: definition.points ?? [],
    control: definition.control.title,
    twin: [...new Set(definition.twins.map(({ title }) => title))].join('; '),
    run: (context: Context) => survey(definition, context),
    replay: (context, role, value) => replayCase(definition, context, role, value as T),
  };
}
