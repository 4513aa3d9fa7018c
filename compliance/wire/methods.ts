import type { SchemaName } from '../../schemas/index.js';
import type {
  ActionCancelParams,
  ActionInvokeParams,
  ActionInvokeResult,
  ActionProbeParams,
  ApproveParams,
  ApproveResult,
  AuditExportParams,
  AuditExportResult,
  AuditQueryParams,
  AuditQueryResult,
  AuditVerifyParams,
  AuditVerifyResult,
  Capability,
  CheckParams,
  ClockSetParams,
  ClockSetResult,
  EvidenceGetParams,
  EvidenceGetResult,
  ExecutionRollbackParams,
  ExecutionRollbackResult,
  FaultArmParams,
  FaultArmResult,
  FaultPointParams,
  GateResult,
  GrantParams,
  GrantResult,
  IndexGetParams,
  IndexGetResult,
  IndexPutParams,
  IndexPutResult,
  InitializeParams,
  InitializeResult,
  ProbeAnswer,
  PutPolicyParams,
  PutPolicyResult,
  RecoveryReport,
  RecoveryResolveParams,
  RecoveryResolveResult,
  RecoveryRunParams,
  RegisterAgentParams,
  RegisterAgentResult,
  RegistryPutParams,
  RegistryPutResult,
  RegistryRemoveParams,
  RegistryRemoveResult,
  RevokeParams,
  RevokeResult,
  ScheduleGetParams,
  ScheduleGetResult,
  SchedulePutParams,
  SchedulePutResult,
  ShutdownParams,
  ShutdownResult,
  Snapshot,
  StateGetParams,
  StateGetResult,
  StateReconstructParams,
  StateSnapshotParams,
  VerificationReport,
  WorkflowCancelParams,
  WorkflowCancelResult,
  WorkflowResumeParams,
  WorkflowResumeResult,
  WorkflowStartParams,
  WorkflowStartResult,
  WorkflowVerifyParams,
  WorkflowWaitParams,
  WorkflowWaitResult,
  WorkspaceCloseParams,
  WorkspaceCloseResult,
  WorkspaceOpenParams,
  WorkspaceOpenResult,
} from '../../schemas/types.js';

/** What goes in with one request, and what comes back. */
export interface Exchange<Params, Result> {
  /** What the sender gives. */
  params: Params;
  /** What it is answered with, unless with an error. */
  result: Result;
}

/** The shape of each request, by the name of its method. */
export interface RequestTypes {
  /** Asks what the runtime is, claims and serves; the first request of every process. */
  initialize: Exchange<InitializeParams, InitializeResult>;
  /** Says that the process is to end. */
  shutdown: Exchange<ShutdownParams, ShutdownResult>;
  /** Opens a workspace and recovers what an earlier process left. */
  'workspace/open': Exchange<WorkspaceOpenParams, WorkspaceOpenResult>;
  /** Lets the workspace go. */
  'workspace/close': Exchange<WorkspaceCloseParams, WorkspaceCloseResult>;
  /** Adds definitions of actions and workflows. */
  'registry/put': Exchange<RegistryPutParams, RegistryPutResult>;
  /** Takes definitions away. */
  'registry/remove': Exchange<RegistryRemoveParams, RegistryRemoveResult>;
  /** Asks for an instance, or with dry_run for what it would be. */
  'workflow/start': Exchange<WorkflowStartParams, WorkflowStartResult>;
  /** Waits for the end of an instance, within a budget. */
  'workflow/wait': Exchange<WorkflowWaitParams, WorkflowWaitResult>;
  /** Lets an instance go on, or a new one take over from one that has ended. */
  'workflow/resume': Exchange<WorkflowResumeParams, WorkflowResumeResult>;
  /** Asks that nothing further starts in an instance. */
  'workflow/cancel': Exchange<WorkflowCancelParams, WorkflowCancelResult>;
  /** Asks for the report of the rules on a workflow. */
  'workflow/verify': Exchange<WorkflowVerifyParams, VerificationReport>;
  /** Asks for records that meet conditions, a page at a time. */
  'audit/query': Exchange<AuditQueryParams, AuditQueryResult>;
  /** Asks for the log in the interchange form, a part at a time. */
  'audit/export': Exchange<AuditExportParams, AuditExportResult>;
  /** Asks whether an exported log is one chain. */
  'audit/verify': Exchange<AuditVerifyParams, AuditVerifyResult>;
  /** Asks for evidence by its digest. */
  'evidence/get': Exchange<EvidenceGetParams, EvidenceGetResult>;
  /** Has recovery decide what is open, or with dry_run say how. */
  'recovery/run': Exchange<RecoveryRunParams, RecoveryReport>;
  /** Tells what became of an execution in doubt. */
  'recovery/resolve': Exchange<RecoveryResolveParams, RecoveryResolveResult>;
  /** Asks that a committed execution is undone. */
  'execution/rollback': Exchange<ExecutionRollbackParams, ExecutionRollbackResult>;
  /** Asks for entries of State. */
  'state/get': Exchange<StateGetParams, StateGetResult>;
  /** Asks for a snapshot of State as it is now. */
  'state/snapshot': Exchange<StateSnapshotParams, Snapshot>;
  /** Asks for State as of an earlier record. */
  'state/reconstruct': Exchange<StateReconstructParams, StateGetResult>;
  /** Makes an agent known. */
  'governance/register_agent': Exchange<RegisterAgentParams, RegisterAgentResult>;
  /** Grants a permission. */
  'governance/grant': Exchange<GrantParams, GrantResult>;
  /** Takes a permission back. */
  'governance/revoke': Exchange<RevokeParams, RevokeResult>;
  /** Makes a confirmation that one start can use up. */
  'governance/approve': Exchange<ApproveParams, ApproveResult>;
  /** Keeps a version of a policy. */
  'governance/put_policy': Exchange<PutPolicyParams, PutPolicyResult>;
  /** Asks what governance would decide. */
  'governance/check': Exchange<CheckParams, GateResult>;
  /** Keeps an entry of the index. */
  'index/put': Exchange<IndexPutParams, IndexPutResult>;
  /** Asks for an entry of the index. */
  'index/get': Exchange<IndexGetParams, IndexGetResult>;
  /** Keeps a scheduled job. */
  'schedule/put': Exchange<SchedulePutParams, SchedulePutResult>;
  /** Asks for a scheduled job. */
  'schedule/get': Exchange<ScheduleGetParams, ScheduleGetResult>;
  /** Sets the time that the runtime takes to be now. */
  'clock/set': Exchange<ClockSetParams, ClockSetResult>;
  /** Asks for a kill or a failed write at a named point. */
  'fault/arm': Exchange<FaultArmParams, FaultArmResult>;
  /** Has the suite execute one attempt of an action. */
  'action/invoke': Exchange<ActionInvokeParams, ActionInvokeResult>;
  /** Asks the suite what became of an interrupted execution. */
  'action/probe': Exchange<ActionProbeParams, ProbeAnswer>;
}

/** The shape of each notification. */
export interface NotificationTypes {
  'fault/point': FaultPointParams;
  'action/cancel': ActionCancelParams;
}

/** The name of a method that is answered. */
export type RequestName = keyof RequestTypes;
export type NotificationName = keyof NotificationTypes;

/** The side of the wire: the suite, or the adapter of the runtime under test. */
export type Side = 'suite' | 'adapter';

/** What is known of one method. */
export interface MethodSpec {
  readonly sender: Side;
  readonly kind: 'request' | 'notification';
  /** The capability that a runtime declares when it serves the method. */
  readonly capability: Capability;
  /** References of the schemas, as `validate` takes them. */
  readonly params: SchemaName;
  readonly result?: SchemaName;
}

function request(sender: Side, capability: Capability, file: string, name: string): MethodSpec {
  const stem = `adapter/${file}#${name === '' ? '' : `${name}_`}`;
  const params = `${stem}params` as SchemaName;
  return { sender, kind: 'request', capability, params, result: `${stem}result` as SchemaName };
}

function notification(sender: Side, capability: Capability, params: SchemaName): MethodSpec {
  return { sender, kind: 'notification', capability, params };
}

/**
 * All methods of the protocol with their schemas and capabilities.
 *
 * `action/cancel` goes from the runtime to the suite, which hosts the actions: the result of an invocation is no
 * longer wanted. `fault/arm` may come before `workspace/open`, so that a point inside recovery can be armed.
 */
export const METHODS: Readonly<Record<RequestName | NotificationName, MethodSpec>> = {
  initialize: request('suite', 'core', 'initialize', ''),
  shutdown: request('suite', 'core', 'initialize', 'shutdown'),
  'workspace/open': request('suite', 'core', 'workspace', 'open'),
  'workspace/close': request('suite', 'core', 'workspace', 'close'),
  'registry/put': request('suite', 'core', 'registry', 'put'),
  'registry/remove': request('suite', 'core', 'registry', 'remove'),
  'workflow/start': request('suite', 'core', 'workflow', 'start'),
  'workflow/wait': request('suite', 'core', 'workflow', 'wait'),
  'workflow/resume': request('suite', 'core', 'workflow', 'resume'),
  'workflow/cancel': request('suite', 'core', 'workflow', 'cancel'),
  'workflow/verify': request('suite', 'verification', 'workflow', 'verify'),
  'audit/query': request('suite', 'audit', 'audit', 'query'),
  'audit/export': request('suite', 'audit', 'audit', 'export'),
  'audit/verify': request('suite', 'audit', 'audit', 'verify'),
  'evidence/get': request('suite', 'audit', 'audit', 'evidence_get'),
  'recovery/run': request('suite', 'recovery', 'recovery', 'run'),
  'recovery/resolve': request('suite', 'recovery', 'recovery', 'resolve'),
  'execution/rollback': request('suite', 'recovery', 'execution', 'rollback'),
  'state/get': request('suite', 'state', 'state', 'get'),
  'state/snapshot': request('suite', 'state', 'state', 'snapshot'),
  'state/reconstruct': request('suite', 'state', 'state', 'reconstruct'),
  'governance/register_agent': request('suite', 'governance', 'governance', 'register_agent'),
  'governance/grant': request('suite', 'governance', 'governance', 'grant'),
  'governance/revoke': request('suite', 'governance', 'governance', 'revoke'),
  'governance/approve': request('suite', 'governance', 'governance', 'approve'),
  'governance/put_policy': request('suite', 'governance', 'governance', 'put_policy'),
  'governance/check': request('suite', 'governance', 'governance', 'check'),
  'index/put': request('suite', 'components', 'index', 'put'),
  'index/get': request('suite', 'components', 'index', 'get'),
  'schedule/put': request('suite', 'components', 'schedule', 'put'),
  'schedule/get': request('suite', 'components', 'schedule', 'get'),
  'clock/set': request('suite', 'clock', 'clock', 'set'),
  'fault/arm': request('suite', 'faults', 'fault', 'arm'),
  'action/invoke': request('adapter', 'core', 'action', 'invoke'),
  'action/probe': request('adapter', 'core', 'action', 'probe'),
  'fault/point': notification('adapter', 'faults', 'adapter/fault#point_params'),
  'action/cancel': notification('adapter', 'core', 'adapter/action#cancel_params'),
};

/** The entry of a method, or undefined where the protocol has none of that name. */
export function methodSpec(name: string): MethodSpec | undefined {
  return Object.hasOwn(METHODS, name) ? METHODS[name as RequestName] : undefined;
}
