import type {
  ActionInvokeParams,
  ActionInvokeResult,
  ActionProbeParams,
  Capability,
  FaultPoint,
  ProbeAnswer,
  RuntimeIdentity,
  RuntimeLimits,
} from '../../schemas/types.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';

/** What every handler gets beside its params: a signal that fires when the suite is gone. */
export interface Call {
  /** Fires when the connection to the suite is gone; nobody reads the answer then. */
  readonly signal: AbortSignal;
}

/** A function that serves one method of the protocol; what it throws becomes an error answer. */
export type Handler<M extends RequestName> = (
  params: RequestTypes[M]['params'],
  call: Call,
) => Promise<RequestTypes[M]['result']> | RequestTypes[M]['result'];

/** The suite as a runtime sees it: it hosts the actions and delivers the kills. */
export interface AdapterHost {
  /**
   * Has the suite execute one attempt of an action, a revert or a compensation. When the signal fires the suite is
   * told that the result is no longer wanted, and the promise rejects with the signal's reason.
   */
  invoke(params: ActionInvokeParams, signal?: AbortSignal): Promise<ActionInvokeResult>;
  /** Asks the suite what became of an interrupted execution. */
  probe(params: ActionProbeParams, signal?: AbortSignal): Promise<ProbeAnswer>;
  /**
   * Tells the suite, synchronously, that an armed point is reached, and never returns: the process blocks until it
   * is killed. Call it only where a `fault/arm` with effect `kill` asked for exactly this passing of the point.
   */
  faultPoint(name: FaultPoint, execution_id?: string): never;
}

/**
 * A runtime under test, as data and handlers. Each group beyond `core` is a capability: it is declared because the
 * group is there. A method without a handler answers `unsupported`.
 */
export interface Adapter {
  /** What the report names the runtime by. */
  readonly runtime: RuntimeIdentity;
  /** What the suite keeps below. Absent: no bounds. */
  readonly limits?: RuntimeLimits;
  /** Where the durable part lives. Absent means in this process. */
  readonly durable_scope?: 'process' | 'server';
  /** Whether interrupted instances go on when the workspace opens, or when they are resumed. Absent means open. */
  readonly continuation?: 'open' | 'resume';
  /** Workspaces, definitions and instances: what every runtime serves. */
  readonly core: {
    /** Opens a workspace, new or with what an earlier process left in it; answers once recovery has decided, with its report or null. */
    readonly open: Handler<'workspace/open'>;
    /** Lets the workspace go, so that it can be opened again. */
    readonly close: Handler<'workspace/close'>;
    /** Starts an instance behind the gates and answers with its execution_id, without waiting for its end. */
    readonly start: Handler<'workflow/start'>;
    /** Answers with how an instance stands, once it has ended or is in doubt, at the latest at the end of the budget. */
    readonly wait: Handler<'workflow/wait'>;
    /** Lets an interrupted instance go on, or runs anew what an ended one did not commit. Absent: `unsupported`. */
    readonly resume?: Handler<'workflow/resume'>;
    /** Starts nothing further in an instance; what is in flight ends. Absent: `unsupported`. */
    readonly cancel?: Handler<'workflow/cancel'>;
    /** Keeps definitions of actions and workflows, for the life of the workspace. Absent: `unsupported`. */
    readonly put?: Handler<'registry/put'>;
    /** Takes definitions out of the registry. Absent: `unsupported`. */
    readonly remove?: Handler<'registry/remove'>;
    /** Called before the process ends, after the last workspace is closed. Absent: there is nothing to do. */
    readonly shutdown?: Handler<'shutdown'>;
  };
  /** The log, as records, in the interchange form, and what they name by digest. */
  readonly audit?: {
    /** Answers with records in sequence order, a page at a time, as the agent may see them. */
    readonly query: Handler<'audit/query'>;
    /** Answers with the log in the interchange form, a part at a time. */
    readonly export: Handler<'audit/export'>;
    /** Says whether an exported log is one chain, and otherwise which record is the first that does not fit. */
    readonly verify: Handler<'audit/verify'>;
    /** Answers with the content that a record names by its digest. */
    readonly evidence: Handler<'evidence/get'>;
  };
  /** What an operator does after a crash, and undoing on request. */
  readonly recovery?: {
    /** Decides what is open, or with dry_run only says how it would. */
    readonly run: Handler<'recovery/run'>;
    /** Takes the word of an operator for what became of an execution in doubt. */
    readonly resolve: Handler<'recovery/resolve'>;
    /** Undoes a committed execution and answers with the execution_id of the undo. Absent: `unsupported`. */
    readonly rollback?: Handler<'execution/rollback'>;
  };
  /** State: its entries now, as of an earlier record, and as a snapshot. */
  readonly state?: {
    /** Answers with entries of State as they are, as the agent may see them. */
    readonly get: Handler<'state/get'>;
    /** Keeps State as it is now and answers with it. Absent: `unsupported`. */
    readonly snapshot?: Handler<'state/snapshot'>;
    /** Answers with State as of an earlier record. Absent: `unsupported`. */
    readonly reconstruct?: Handler<'state/reconstruct'>;
  };
  /** The rules, without starting anything. */
  readonly verification?: {
    /** Answers with the report on a workflow. */
    readonly verify: Handler<'workflow/verify'>;
  };
  /** Agents, permissions, policies and confirmations. */
  readonly governance?: {
    /** Makes an agent known, or replaces it. */
    readonly register_agent: Handler<'governance/register_agent'>;
    /** Records a permission and answers with its permission_id. */
    readonly grant: Handler<'governance/grant'>;
    /** Takes a permission back. */
    readonly revoke: Handler<'governance/revoke'>;
    /** Records a confirmation and answers with its confirmation_id. Absent: `unsupported`. */
    readonly approve?: Handler<'governance/approve'>;
    /** Keeps a version of a policy. Absent: `unsupported`. */
    readonly put_policy?: Handler<'governance/put_policy'>;
    /** Answers with what governance would decide; nothing is recorded. Absent: `unsupported`. */
    readonly check?: Handler<'governance/check'>;
  };
  /** The index of a workspace, and its scheduled jobs. */
  readonly components?: {
    /** Keeps an entry of the index, or replaces it. */
    readonly put_entry: Handler<'index/put'>;
    /** Answers with an entry of the index as it stands. */
    readonly get_entry: Handler<'index/get'>;
    /** Keeps a scheduled job, or replaces it. */
    readonly put_job: Handler<'schedule/put'>;
    /** Answers with a scheduled job as it stands. */
    readonly get_job: Handler<'schedule/get'>;
  };
  /** Time that the suite sets. */
  readonly clock?: {
    /** Lets the clock of the runtime stand at a time from now on. */
    readonly set: Handler<'clock/set'>;
  };
  /** Kills and failed writes at named points. */
  readonly faults?: {
    /** The points at which the runtime can stop. */
    readonly points: readonly FaultPoint[];
    /** Arms one of the points. Counts occurrences from now; may come before `workspace/open`. */
    readonly arm: Handler<'fault/arm'>;
  };
}

/** An adapter, or a function that makes one for the suite at the other end. */
export type AdapterSource = Adapter | ((host: AdapterHost) => Adapter);

/** The capabilities that an adapter serves: core, and one for each group that it has. */
export function capabilitiesOf(adapter: Adapter): Capability[] {
  const groups = ['audit', 'recovery', 'state', 'verification', 'governance', 'components', 'clock', 'faults'] as const;
  return ['core', ...groups.filter(group => adapter[group] !== undefined)];
}

/** The handler of each method that an adapter serves, by the method's name on the wire. */
export function handlersOf(adapter: Adapter): { readonly [M in RequestName]?: Handler<M> } {
  const { core, audit, recovery, state, verification, governance, components, clock, faults } = adapter;
  const handlers: { [M in RequestName]?: Handler<M> | undefined } = {
    'workspace/open': core.open,
    'workspace/close': core.close,
    'workflow/start': core.start,
    'workflow/wait': core.wait,
    'workflow/resume': core.resume,
    'workflow/cancel': core.cancel,
    'registry/put': core.put,
    'registry/remove': core.remove,
    'audit/query': audit?.query,
    'audit/export': audit?.export,
    'audit/verify': audit?.verify,
    'evidence/get': audit?.evidence,
    'recovery/run': recovery?.run,
    'recovery/resolve': recovery?.resolve,
    'execution/rollback': recovery?.rollback,
    'state/get': state?.get,
    'state/snapshot': state?.snapshot,
    'state/reconstruct': state?.reconstruct,
    'workflow/verify': verification?.verify,
    'governance/register_agent': governance?.register_agent,
    'governance/grant': governance?.grant,
    'governance/revoke': governance?.revoke,
    'governance/approve': governance?.approve,
    'governance/put_policy': governance?.put_policy,
    'governance/check': governance?.check,
    'index/put': components?.put_entry,
    'index/get': components?.get_entry,
    'schedule/put': components?.put_job,
    'schedule/get': components?.get_job,
    'clock/set': clock?.set,
    'fault/arm': faults?.arm,
  };
  return Object.fromEntries(Object.entries(handlers).filter(([, handler]) => handler !== undefined));
}
