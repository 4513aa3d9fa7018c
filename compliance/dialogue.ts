import type { AuditRecord } from '../schemas/types.js';
import type { LedgerEntry, Program, Refused, Script } from './program.js';
import type { RequestName } from './wire/methods.js';

/** A part of an earlier answer, in place of a value in params: the name of the turn, then `/` and members or places. */
export interface Quoted {
  readonly $: string;
  /** Members that the quoted object has otherwise. */
  readonly but?: Readonly<Record<string, unknown>>;
}

/** One request. */
export interface Ask {
  readonly do: 'ask';
  readonly method: RequestName;
  /** May hold a {@link Quoted} anywhere; `case/workspace_dir` quotes the folder. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of the turn. Absent means its place, from 0. */
  readonly as?: string;
  /** How many at one time. Absent means 1. */
  readonly times?: number;
  /** Whether it is sent though it does not fit its schema. */
  readonly unchecked?: true;
  /** Whether it is asked again with the cursor of each answer; the answer is {pages}, a list of answers. */
  readonly paged?: true;
}

/** One turn of a dialogue. */
export type Turn =
  | Ask
  /** Several requests at one time; each is answered under its own name. */
  | { readonly do: 'together'; readonly asks: readonly Ask[] }
  /**
   * Starts a workflow, dry-run and confirmed before where it is risky, and waits for its end. The answer is
   * {execution_id, wait?}.
   */
  | {
      readonly do: 'run';
      readonly program: Pick<Program, 'workflow' | 'inputs' | 'context' | 'agent_id' | 'max_parallel'>;
      readonly as?: string;
      readonly request_key?: string;
      /** Whether it is started only: nobody waits. */
      readonly unfollowed?: true;
    }
  /** Waits until so many invocations came in, or were answered, in the whole dialogue, or as long as a request may take. */
  | { readonly do: 'hear'; readonly invocations: number; readonly replied?: true }
  /** Writes a file into the workspace folder; folders that it needs are made. */
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  /** Takes a file of the workspace folder away. */
  | { readonly do: 'erase'; readonly path: string }
  /** Looks at the workspace folder; the answer is a {@link Tree}. */
  | { readonly do: 'look'; readonly as?: string }
  /** Reads the whole log; the answer is {text, records}. */
  | { readonly do: 'read'; readonly as?: string }
  /** SIGKILL. */
  | { readonly do: 'kill' }
  /** Closes the workspace in order. */
  | { readonly do: 'close' }
  /** Opens the workspace, by the next incarnation or by one that is given; the answer is {recovery}. */
  | { readonly do: 'open'; readonly as?: string; readonly incarnation?: number };

/** A generated case: what is said to a runtime about one workspace. It is pure data. */
export interface Dialogue {
  readonly turns: readonly Turn[];
  /** What the hosted actions do. Absent: nothing is hosted. */
  readonly script?: Script;
  /** What is known before the first turn: definitions, agents and permissions; absent means the agent of programs. */
  readonly setting?: Pick<Program, 'registry' | 'agents' | 'permissions'>;
  /** Whether the workspace is opened by a turn; the setting is then made known at the first opening. */
  readonly unopened?: true;
}

/** How one request was answered; the kind `unasked` says that what it quotes was not answered. */
export type Said = { readonly result: unknown } | { readonly error: Refused };

/** A folder: for each path below it, with `/` at its end for a folder, what is there. */
export type Tree = Readonly<Record<string, TreeEntry>>;

export interface TreeEntry {
  readonly kind: 'file' | 'folder' | 'other';
  readonly digest?: string;
  /** What a small JSON file holds. */
  readonly text?: string;
}

/** Everything that can be seen of a dialogue from outside. */
export interface Spoken {
  /** The answers by the names of their turns. */
  readonly answers: Readonly<Record<string, readonly Said[]>>;
  readonly ledger: readonly LedgerEntry[];
  /** The executions whose answers the runtime said it does not want any more. */
  readonly cancelled: readonly string[];
  /** The exported log at the end; absent without the capability audit, and where it was not given. */
  readonly log?: readonly AuditRecord[];
  /** For each named turn, its position on the suite's line of time when it was answered. */
  readonly answered_at: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly violations: readonly string[];
}

/** What was first answered under a name, or undefined where that was an error. */
export function resultOf<R = unknown>(spoken: Spoken, name: string): R | undefined {
  const [said] = spoken.answers[name] ?? [];
  return said !== undefined && 'result' in said ? (said.result as R) : undefined;
}

/** The kind of the error that was first answered under a name, or undefined where there was none. */
export function refusalOf(spoken: Spoken, name: string): string | undefined {
  const [said] = spoken.answers[name] ?? [];
  return said !== undefined && 'error' in said ? said.error.kind : undefined;
}
