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

/** The shape of each request: what goes in and what comes back. */
export interface RequestTypes {
  initialize: { params: InitializeParams; result: InitializeResult };
  shutdown: { params: ShutdownParams; result: ShutdownResult };
  'workspace/open': { params: WorkspaceOpenParams; result: WorkspaceOpenResult };
  'workspace/close': { params: WorkspaceCloseParams; result: WorkspaceCloseResult };
  'registry/put': { params: RegistryPutParams; result: RegistryPutResult };
  'registry/remove': { params: RegistryRemoveParams; result: RegistryRemoveResult };
  'workflow/start': { params: WorkflowStartParams; result: WorkflowStartResult };
  'workflow/wait': { params: WorkflowWaitParams; result: WorkflowWaitResult };
  'workflow/resume': { params: WorkflowResumeParams; result: WorkflowResumeResult };
  'workflow/cancel': { params: WorkflowCancelParams; result: WorkflowCancelResult };
  'workflow/verify': { params: WorkflowVerifyParams; result: VerificationReport };
  'audit/query': { params: AuditQueryParams; result: AuditQueryResult };
  'audit/export': { params: AuditExportParams; result: AuditExportResult };
  'audit/verify': { params: AuditVerifyParams; result: AuditVerifyResult };
  'evidence/get': { params: EvidenceGetParams; result: EvidenceGetResult };
  'recovery/run': { params: RecoveryRunParams; result: RecoveryReport };
  'recovery/resolve': { params: RecoveryResolveParams; result: RecoveryResolveResult };
  'execution/rollback': { params: ExecutionRollbackParams; result: ExecutionRollbackResult };
  'state/get': { params: StateGetParams; result: StateGetResult };
  'state/snapshot': { params: StateSnapshotParams; result: Snapshot };
  'state/reconstruct': { params: StateReconstructParams; result: StateGetResult };
  'governance/register_agent': { params: RegisterAgentParams; result: RegisterAgentResult };
  'governance/grant': { params: GrantParams; result: GrantResult };
  'governance/revoke': { params: RevokeParams; result: RevokeResult };
  'governance/approve': { params: ApproveParams; result: ApproveResult };
  'governance/put_policy': { params: PutPolicyParams; result: PutPolicyResult };
  'governance/check': { params: CheckParams; result: GateResult };
  'index/put': { params: IndexPutParams; result: IndexPutResult };
  'index/get': { params: IndexGetParams; result: IndexGetResult };
  'schedule/put': { params: SchedulePutParams; result: SchedulePutResult };
  'schedule/get': { params: ScheduleGetParams; result: ScheduleGetResult };
  'clock/set': { params: ClockSetParams; result: ClockSetResult };
  'fault/arm': { params: FaultArmParams; result: FaultArmResult };
  'action/invoke': { params: ActionInvokeParams; result: ActionInvokeResult };
  'action/probe': { params: ActionProbeParams; result: ProbeAnswer };
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
