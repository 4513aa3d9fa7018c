import type { Agent, AuditRecord, Permission, Policy, Workflow } from '../schemas/types.js';
import type { Inputs } from './approach.js';
import type { LedgerEntry, Refused, Script } from './program.js';

/** A start that somebody asks for or asks about. */
export interface Asked {
  readonly agent_id: string;
  /** The name of one of the scene's workflows. */
  readonly workflow: string;
  /** Whether it is named by its identifier in the registry; absent means that the document itself is given. */
  readonly by_id?: true;
  readonly inputs?: Inputs;
  readonly context?: Inputs;
  readonly confirmation_id?: string;
}

/** What was executed for a node of an instance; the instance is named by the label of the act that started it. */
export interface Executed {
  readonly label: string;
  readonly node_id: string;
}

/** One thing that somebody asks of a runtime, or that happens to it. */
export type Act =
  | { readonly do: 'register'; readonly agent: Agent; readonly by: string }
  | { readonly do: 'grant'; readonly permission: Permission }
  | { readonly do: 'revoke'; readonly permission_id: string; readonly by: string }
  | { readonly do: 'policy'; readonly policy: Policy; readonly by: string }
  /** A confirmation for what is asked. */
  | { readonly do: 'approve'; readonly confirmation_id: string; readonly approver: string; readonly of: Asked }
  /** Asked twice at one time. */
  | ({ readonly do: 'check' } & Asked)
  | ({ readonly do: 'dry_run' } & Asked)
  | ({
      readonly do: 'start';
      /** The name of the instance in later acts. */
      readonly label?: string;
      readonly request_key?: string;
      /** How many at one time. Absent means 1. */
      readonly times?: number;
    } & Asked)
  /** The new instance gets the name `as`. */
  | { readonly do: 'resume'; readonly label: string; readonly agent_id: string; readonly as?: string }
  | { readonly do: 'cancel'; readonly label: string; readonly agent_id: string }
  /** Lets the actions that are held answer, and follows the instance to its end. */
  | { readonly do: 'finish'; readonly label: string }
  | ({ readonly do: 'undo'; readonly agent_id: string } & Executed)
  | ({ readonly do: 'resolve'; readonly approver: string } & Executed)
  | ({ readonly do: 'evidence'; readonly agent_id: string } & Executed)
  | { readonly do: 'state'; readonly agent_id: string; readonly keys?: readonly string[] }
  | { readonly do: 'records'; readonly agent_id: string; readonly how: 'query' | 'export' }
  /** A log of somewhere else is given to the runtime to be verified. */
  | { readonly do: 'verify_log'; readonly text: string }
  | { readonly do: 'clock'; readonly time: string }
  /**
   * The workspace is closed and opened anew, and in between a text is replaced by one of the same length wherever a file of
   * its folder has it. The answer is {places}.
   */
  | {
      readonly do: 'damage';
      readonly text: string;
      readonly by: string;
      /** Whether what has it cannot be read any more, or does not fit its schema. */
      readonly makes: 'unreadable' | 'unfit';
    }
  /** SIGKILL, and the workspace is opened anew. */
  | { readonly do: 'reopen' };

/**
 * A generated case: what agents ask for in one workspace, in turn. Its workflows are in the registry, and the first agent
 * is `owner`. It is pure data.
 */
export interface Scene {
  readonly workflows: readonly Workflow[];
  /** The names of those that verification fails. */
  readonly unsound?: readonly string[];
  readonly script: Script;
  readonly acts: readonly Act[];
}

/** How one request was answered. */
export type Reply =
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly error: Refused & {
        /** The codes of the reasons. */
        readonly reasons: readonly string[];
      };
    };

/** What was seen of one act. */
export interface Seen {
  /** One for each request; none for a clock and an opening. */
  readonly replies: readonly Reply[];
  /** Of an act about records: the whole log at that moment, as `owner` reads it. */
  readonly whole?: string;
}

/** Everything that can be seen of a scene from outside. */
export interface Played {
  readonly seen: readonly Seen[];
  readonly ledger: readonly LedgerEntry[];
  /** The exported log at the end; absent without the capability audit. */
  readonly log?: readonly AuditRecord[];
  readonly kills: number;
  readonly violations: readonly string[];
}
