import type { AuditRecord, DryRun, SafetyLevel, Workflow } from '../schemas/types.js';
import type { LedgerEntry, Refused } from './program.js';

/** One thing that is asked of a runtime about one workflow; inputs that are absent are none, and agents DEFAULT_AGENT. */
export type Step =
  | { readonly do: 'dry_run'; readonly inputs?: Inputs }
  | {
      readonly do: 'approve';
      /** The name that the confirmation gets. */
      readonly confirmation_id: string;
      readonly approver: string;
      readonly agent_id?: string;
      readonly inputs?: Inputs;
      /** Whether it is for another version of the workflow than the one that is started. */
      readonly other_documents?: true;
      readonly expires_at: string;
    }
  | {
      readonly do: 'start';
      readonly confirmation_id?: string;
      readonly agent_id?: string;
      readonly inputs?: Inputs;
      /** How many at one time. Absent means 1. */
      readonly times?: number;
    }
  | { readonly do: 'clock'; readonly time: string }
  /** An agent is registered again, by the owner of the workspace: unknown to it, or trusted. */
  | { readonly do: 'trust'; readonly agent_id: string; readonly trust: 'UNKNOWN' | 'TRUSTED' }
  /** SIGKILL, and the workspace is opened anew. */
  | { readonly do: 'reopen' };

export type Inputs = Readonly<Record<string, unknown>>;

/** A generated case: how agents go about having a workflow of one action started. It is pure data. */
export interface Approach {
  readonly level: SafetyLevel;
  readonly workflow: Workflow;
  readonly steps: readonly Step[];
}

/** How one request was answered. */
export type Answer =
  | { readonly execution_id?: string; readonly dry_run?: DryRun; readonly confirmation_id?: string }
  | { readonly error: Refused };

/** Everything that can be seen of an approach from outside. */
export interface Approached {
  /** The answers to each step in turn: none for a clock, a trust or an opening, several for starts at one time. */
  readonly answers: readonly (readonly Answer[])[];
  readonly ledger: readonly LedgerEntry[];
  /** The exported log; absent without the capability audit. */
  readonly log?: readonly AuditRecord[];
  readonly kills: number;
  readonly violations: readonly string[];
}
