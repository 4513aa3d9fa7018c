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
  readonly runtime: RuntimeIdentity;
  readonly limits?: RuntimeLimits;
  /** Where the durable part lives. Absent means in this process. */
  readonly durable_scope?: 'process' | 'server';
  /** Whether interrupted instances go on when the workspace opens, or when they are resumed. Absent means open. */
  readonly continuation?: 'open' | 'resume';
  readonly core: {
    readonly open: Handler<'workspace/open'>;
    readonly close: Handler<'workspace/close'>;
    readonly start: Handler<'workflow/start'>;
    readonly wait: Handler<'workflow/wait'>;
    readonly resume?: Handler<'workflow/resume'>;
    readonly cancel?: Handler<'workflow/cancel'>;
    readonly put?: Handler<'registry/put'>;
    readonly remove?: Handler<'registry/remove'>;
    readonly shutdown?: Handler<'shutdown'>;
  };
  readonly audit?: {
    readonly query: Handler<'audit/query'>;
    readonly export: Handler<'audit/export'>;
    readonly verify: Handler<'audit/verify'>;
    readonly evidence: Handler<'evidence/get'>;
  };
  readonly recovery?: {
    readonly run: Handler<'recovery/run'>;
    readonly resolve: Handler<'recovery/resolve'>;
    readonly rollback?: Handler<'execution/rollback'>;
  };
  readonly state?: {
    readonly get: Handler<'state/get'>;
    readonly snapshot?: Handler<'state/snapshot'>;
    readonly reconstruct?: Handler<'state/reconstruct'>;
  };
  readonly verification?: { readonly verify: Handler<'workflow/verify'> };
  readonly governance?: {
    readonly register_agent: Handler<'governance/register_agent'>;
    readonly grant: Handler<'governance/grant'>;
    readonly revoke: Handler<'governance/revoke'>;
    readonly approve?: Handler<'governance/approve'>;
    readonly put_policy?: Handler<'governance/put_policy'>;
    readonly check?: Handler<'governance/check'>;
  };
  /** The index of a workspace, and its scheduled jobs. */
  readonly components?: {
    readonly put_entry: Handler<'index/put'>;
    readonly get_entry: Handler<'index/get'>;
    readonly put_job: Handler<'schedule/put'>;
    readonly get_job: Handler<'schedule/get'>;
  };
  readonly clock?: { readonly set: Handler<'clock/set'> };
  readonly faults?: {
    /** The points at which the runtime can stop. */
    readonly points: readonly FaultPoint[];
    /** Counts occurrences from now; may come before `workspace/open`. */
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
