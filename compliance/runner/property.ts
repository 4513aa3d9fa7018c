import type {
  Capability,
  FaultPoint,
  InitializeResult,
  VerificationReport,
  WorkflowVerifyParams,
} from '../../schemas/types.js';
import type { Approach, Approached } from '../approach.js';
import type { Dialogue, Spoken } from '../dialogue.js';
import type { Observation, Program } from '../program.js';
import type { Played, Scene } from '../scene.js';
import type { Contribution, Failure } from './verdict.js';

/** The parts of the specification that properties are filed under. */
export const FAMILIES = ['state', 'execution', 'audit', 'workflow', 'verification', 'governance'] as const;

/** One of {@link FAMILIES}. */
export type Family = (typeof FAMILIES)[number];

/** The runtime under test, as a property sees it. */
export interface Subject {
  readonly identity: InitializeResult;
  /** Runs a program in a workspace of its own and gives everything that was seen of it. */
  observe(program: Program): Promise<Observation>;
  /** Takes the steps of an approach in a workspace of its own and gives everything that was seen of it. */
  approach(approach: Approach): Promise<Approached>;
  /** Holds a dialogue about a workspace of its own and gives everything that was seen of it. */
  converse(dialogue: Dialogue): Promise<Spoken>;
  /** Plays a scene in a workspace of its own and gives everything that was seen of it. */
  play(scene: Scene): Promise<Played>;
  /** Asks the runtime to verify a document. */
  verify(params: WorkflowVerifyParams): Promise<VerificationReport>;
}

/** What a property is run with. */
export interface Context {
  readonly subject: Subject;
  readonly seed: number;
  /** How many generated cases a property of weight 1 examines. */
  readonly runs: number;
  /** How long a failing case may be made smaller, in milliseconds. */
  readonly shrink_ms: number;
  /** After so many cases that fail or run out of time the rest is not examined; absent means 4. */
  readonly max_bad?: number;
  /** Aborts the run: what is done so far is reported. */
  readonly signal?: AbortSignal;
  /** Told after every examined case. */
  readonly onCase?: (kills: number) => void;
}

/** Where a case comes from. */
export type Role = 'control' | 'twin' | 'generated';

/** The smallest case found that violates a requirement, with all that is needed to show and to replay it. */
export interface Counterexample {
  readonly property: string;
  readonly requirement: string;
  readonly role: Role;
  readonly case: unknown;
  readonly failure: Failure;
  /** What was seen: an observation or a verification report. */
  readonly evidence: unknown;
  readonly seed: number;
  /** fast-check's path to the case; absent for controls and twins. */
  readonly path?: string;
  readonly shrinks: number;
  /** False where the failure was seen once and did not come again. */
  readonly reproduced: boolean;
}

/** What a property found. */
export interface Result {
  readonly property: string;
  readonly contributions: readonly Contribution[];
  readonly counterexamples: readonly Counterexample[];
  /** How many cases were examined, shrinking aside. */
  readonly cases: number;
  /** How many SIGKILLs were delivered, shrinking aside. */
  readonly kills: number;
  /** How many cases the runtime refused to start as unsupported, or could not be set up. */
  readonly refused: number;
  /** The methods that it answered with unsupported although they belong to core or to what it declares. */
  readonly unserved: readonly string[];
  /** Texts of errors that were no failures: time-outs, protocol errors, errors of the suite. */
  readonly notes: readonly string[];
}

/** One thing that the suite can find out about a runtime. */
export interface Property {
  /** family/name. */
  readonly id: string;
  readonly title: string;
  readonly family: Family;
  readonly kind: 'program' | 'message' | 'kill';
  /** The requirements that it judges; each has to be reached. */
  readonly requirements: readonly string[];
  readonly capabilities: readonly Capability[];
  /** The fault points that it needs. */
  readonly points: readonly FaultPoint[];
  /** In words: what must be seen, and the twin that differs in one field and must go the other way. */
  readonly control: string;
  readonly twin: string;
  run(context: Context): Promise<Result>;
  /** Examines one case again, as a replay file holds it. */
  replay(context: Context, role: Role, value: unknown): Promise<Result>;
}

/** A method that belongs to what a runtime claims and that it does not serve. */
export interface Unserved {
  readonly method: string;
  readonly capability: Capability;
  readonly how: 'unsupported' | 'timeout' | 'adapter_exit' | 'protocol';
}
