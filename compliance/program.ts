import type {
  Action,
  ActionInvokeResult,
  Agent,
  AuditRecord,
  DryRun,
  FaultPoint,
  Permission,
  ProbeAnswer,
  RecoveryReport,
  State,
  Workflow,
  WorkflowWaitResult,
} from '../schemas/types.js';

/**
 * The agent that owns every workspace: known from the first opening on, trusted, permitted everything, so that it can
 * register others and read all of the log.
 */
export const OWNER = 'owner';

/** Who starts a program's workflow where the program names nobody. */
export const DEFAULT_AGENT = 'agent';

/** Who confirms what is risky: registered where it is needed, and never the one that starts. */
export const APPROVER = 'approver';

/** What a hosted action does when it is invoked once. */
export interface Behaviour {
  /** The answer; absent means that none ever comes. */
  readonly reply?: ActionInvokeResult;
  /** How long it takes, in milliseconds. */
  readonly delay_ms?: number;
  /** Whether the answer comes only once it is asked for, in scenes. */
  readonly held?: true;
  /** When the ledger counts the external effect. Absent means: at receipt if the reply is no error, else never. */
  readonly effect?: 'receipt' | 'reply' | 'never';
}

/** What all hosted actions of a program do, by node and, for reverts and compensations, by action_id. */
export interface Script {
  /** One behaviour for each invocation of the node, in order; the last one repeats. */
  readonly nodes: Readonly<Record<string, readonly Behaviour[]>>;
  readonly actions?: Readonly<Record<string, readonly Behaviour[]>>;
  /** The probe's answer by node; `ledger` answers applied or absent as the ledger knows it, with the scripted reply. */
  readonly probes?: Readonly<Record<string, ProbeAnswer | 'ledger'>>;
}

/**
 * Where one incarnation is killed. A point's occurrence is counted from `workflow/start` in the first incarnation and
 * from before `workspace/open`, recovery included, in the later ones; `ordinal` is that of the ledger, and `after_ms`
 * runs from the same two moments.
 */
export type Kill =
  | { readonly at: 'point'; readonly point: FaultPoint; readonly occurrence: number }
  | { readonly at: 'invocation'; readonly ordinal: number; readonly when: 'receipt' | 'reply' }
  | { readonly at: 'time'; readonly after_ms: number };

/** One request to undo an execution, made when the instance has ended. */
export interface UndoWish {
  /** What was executed last for this node, or the undo that an earlier request (from 0) was answered with. */
  readonly of: { readonly node_id: string } | { readonly undo: number };
  /** Who asks. Absent means the agent that started the workflow. */
  readonly agent_id?: string;
  /** Whether it says nothing of why. */
  readonly without_evidence?: true;
  /** How many at one time. Absent means 1. */
  readonly times?: number;
}

/** What became of a wish. */
export interface UndoOutcome {
  /** Which wish, from 0. */
  readonly wish: number;
  /** The execution that was asked for. */
  readonly target: string;
  readonly answers: readonly ({ readonly execution_id: string } | { readonly error: Refused })[];
  /** By how many records the log grew, and how many invocations there were, until all were answered. */
  readonly records: number;
  readonly invocations: number;
}

/** A generated case: what to run, what its actions do, and when the runtime is killed. It is pure data. */
export interface Program {
  readonly workflow: Workflow;
  readonly registry?: { readonly actions?: readonly Action[]; readonly workflows?: readonly Workflow[] };
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly max_parallel?: number;
  readonly script: Script;
  /** One kill for each incarnation in turn; incarnations beyond the list run undisturbed. */
  readonly kills: readonly Kill[];
  /** What is to be undone in the end, in turn; one whose answer a kill takes away is asked for again. Needs the log. */
  readonly undos?: readonly UndoWish[];
  /** At the receipt of which invocation, from 1, the instance is cancelled; without kills. */
  readonly cancel_at?: number;
  /** Whether the instance is resumed once it has ended; without kills. */
  readonly resume?: true;
  /** Who is registered, and with what permissions; absent means one trusted agent that may execute and read. */
  readonly agents?: readonly Agent[];
  readonly permissions?: readonly Permission[];
  /** Who starts the workflow. Absent means DEFAULT_AGENT. */
  readonly agent_id?: string;
}

/** One invocation or probe as the suite saw it. */
export interface LedgerEntry {
  readonly kind: 'invoke' | 'probe';
  readonly incarnation: number;
  /** From 1 within the incarnation, invocations and probes counted apart. */
  readonly ordinal: number;
  readonly execution_id: string;
  readonly idempotency_key: string;
  readonly action_id: string;
  readonly version: string;
  readonly node_id?: string;
  readonly instance_id?: string;
  readonly attempt?: number;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** What was answered; absent where nothing was. */
  readonly reply?: unknown;
  /** Whether the external effect took place. */
  readonly effect: boolean;
  /** Positions on the suite's own line of time. */
  readonly received_at: number;
  readonly replied_at?: number;
}

/** How a request was refused. */
export interface Refused {
  readonly kind: string;
  readonly gate?: string;
  readonly execution_id?: string;
  /** The adapter's own message, which decides nothing. */
  readonly said?: string;
  /** The last lines that its process had written to stderr, where it answered with `internal`. */
  readonly stderr?: string;
}

/** Everything that can be seen of a program's run from outside. */
export interface Observation {
  /** What the dry run before the start said, or why it was refused; absent where there was none. */
  readonly dry_run?: DryRun | { readonly error: Refused };
  /** The instance, or why it was refused. */
  readonly start: { readonly execution_id: string } | { readonly error: Refused };
  /** Where the instance stood in the end; absent where none was started, and where the runtime lost it. */
  readonly wait?: WorkflowWaitResult;
  readonly ledger: readonly LedgerEntry[];
  /** The exported log; absent without the capability audit. */
  readonly log?: readonly AuditRecord[];
  /** The raw interchange text of the log, oldest first: after each opening but the first, and at the end. */
  readonly exports?: readonly string[];
  readonly state?: State;
  /** One report, or null, for each opening. */
  readonly recoveries: readonly (RecoveryReport | null)[];
  /** How many SIGKILLs were delivered; fewer than the program asks for where a point was never reached. */
  readonly kills: number;
  /** What became of the wishes to undo, as far as they were answered and there was something to ask for. */
  readonly undos?: readonly UndoOutcome[];
  /** When the cancellation was answered, on the suite's line of time. */
  readonly cancelled_at?: number;
  /** How the request to resume was answered, and where the instance stood in the end that came of it. */
  readonly resumed?: {
    readonly answer: { readonly execution_id?: string } | { readonly error: Refused };
    readonly wait?: WorkflowWaitResult;
  };
  /** For each SIGKILL, its position on the suite's line of time. */
  readonly killed_at?: readonly number[];
  /** What the adapter put on the wire against the protocol, in words. */
  readonly violations?: readonly string[];
}
