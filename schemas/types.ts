// Generated from schemas/v1.0 by `npm run generate`. Do not edit.

/**
 * What became of it.
 */
export type ActionInvokeResult = ActionResult | ActionInvokeFailure;
/**
 * The sender's own number for a request.
 */
export type MessageId = number | string;
/**
 * unsupported: the capability is not served. invalid: the params do not fit. conflict: something exists already or is locked. not_found. illegal_state: not now. denied: a gate refused. internal: a fault of the runtime.
 */
export type ErrorKind = 'unsupported' | 'invalid' | 'conflict' | 'not_found' | 'illegal_state' | 'denied' | 'internal';
/**
 * A place in the commit protocol or in recovery.
 */
export type FaultPoint =
  | 'gate_allowed'
  | 'pending_durable'
  | 'invoked'
  | 'committing'
  | 'committed'
  | 'compensating'
  | 'recovery_recorded'
  | 'redo_pending'
  | 'snapshot_written'
  | 'export_rotated';
/**
 * A part of the protocol that a runtime serves. core is always served.
 */
export type Capability =
  | 'core'
  | 'audit'
  | 'audit.append'
  | 'recovery'
  | 'state'
  | 'verification'
  | 'governance'
  | 'components'
  | 'clock'
  | 'faults';
/**
 * running at the end of the budget; in_doubt is not an end.
 */
export type InstanceStatus = 'running' | 'completed' | 'failed' | 'compensated' | 'in_doubt';
/**
 * How far an agent is trusted.
 */
export type Trust = 'TRUSTED' | 'CONDITIONAL' | 'UNTRUSTED' | 'UNKNOWN';
/**
 * What kind of event the record tells of.
 */
export type RecordType =
  'action' | 'workflow' | 'terminal' | 'error' | 'skill' | 'gate' | 'dry_run' | 'recovery' | 'approval' | 'trust';
/**
 * The event itself; which values a record_type may have is stated with it.
 */
export type RecordStatus =
  | 'pending'
  | 'committed'
  | 'failed'
  | 'in_doubt'
  | 'rolled_back'
  | 'compensated'
  | 'workflow_started'
  | 'workflow_completed'
  | 'workflow_failed'
  | 'workflow_compensated'
  | 'completed'
  | 'success'
  | 'failure'
  | 'allowed'
  | 'denied'
  | 'commit'
  | 'redo'
  | 'close'
  | 'roll_back'
  | 'compensate'
  | 'granted'
  | 'resolved'
  | 'changed'
  | 'simulated';
/**
 * The word on a requirement. Only PASS is green.
 */
export type ComplianceVerdict = 'PASS' | 'FAIL' | 'INCONCLUSIVE' | 'NOT_APPLICABLE' | 'HARNESS_ERROR';
/**
 * A word of a search.
 */
export type Keyword = string;
/**
 * What may be done in a domain.
 */
export type PermittedAction = 'execute' | 'read' | 'write' | 'grant' | 'resolve' | 'cancel' | 'undo';
/**
 * The name of an entry of State.
 */
export type StateKey = string;
/**
 * The version of the specification that the document follows.
 */
export type SchemaVersion = '1.0';
/**
 * SHA-256 over the canonical form (RFC 8785) of a JSON value, or over the bytes of a blob.
 */
export type Digest = string;
/**
 * RFC 3339 time in UTC with exactly three decimals of a second.
 */
export type Timestamp = string;
/**
 * A duration in milliseconds.
 */
export type DurationMs = number;
/**
 * An opaque identifier, unique for the life of a workspace.
 */
export type ExecutionId = string;
/**
 * The name of an action, a workflow, an agent, a policy, a permission, an index entry or a job: lower-case words joined by dots, hyphens or underscores are customary.
 */
export type Identifier = string;
/**
 * The name of a node, unique in its workflow: 1 to 128 characters, none of . { } $, white space or control characters.
 */
export type NodeId = string;
/**
 * The name of an input or an output: usable in a path of a mapping.
 */
export type Name = string;
/**
 * A version in the grammar of Semantic Versioning 2.0.0.
 */
export type Version = string;
/**
 * A name and a version range, written name@range. The highest version of the name that satisfies the range is meant.
 */
export type Reference = string;
/**
 * An expression in the Common Expression Language, as chapter 5 restricts it.
 */
export type Expression = string;
/**
 * A JSON value whose strings may hold ${path} references, resolved when the mapping is evaluated.
 */
export type Mapping = unknown;
/**
 * E0 local, E1 network, E2 service, E3 process and timeout, E4 logic, E5 specification.
 */
export type ErrorClass = 'E0' | 'E1' | 'E2' | 'E3' | 'E4' | 'E5';
/**
 * Whether the same inputs give the same outcome.
 */
export type Determinism = 'deterministic' | 'conditionally_deterministic' | 'non_deterministic';
/**
 * How an executed action can be undone.
 */
export type RollbackCategory = 'rollbackable' | 'compensatable' | 'irreversible';
/**
 * A domain of external effects. A remote_server offers an undo call, an external_service offers none.
 */
export type SideEffect = 'filesystem' | 'remote_server' | 'repository' | 'memory' | 'scheduler' | 'external_service';
/**
 * The risk of running a node or a whole workflow.
 */
export type SafetyLevel = 'SAFE' | 'CONDITIONALLY_SAFE' | 'RISKY' | 'IRREVERSIBLE';
/**
 * How a node was resolved. A condition's outcome is the label that it took.
 */
export type Outcome = string;
/**
 * A blocking finding makes the verdict FAIL.
 */
export type Severity = 'blocking' | 'warning';
/**
 * A level, or UNKNOWN where a definition is missing that could make it higher.
 */
export type KnownLevel = 'SAFE' | 'CONDITIONALLY_SAFE' | 'RISKY' | 'IRREVERSIBLE' | 'UNKNOWN';
/**
 * recommended: the severities of the specification. strict: every finding is an error. minimal: rules that only warn are off.
 */
export type Preset = 'recommended' | 'strict' | 'minimal';
/**
 * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
 */
export type Level = 'error' | 'warning' | 'off';
/**
 * How several in-edges are joined. Absent means OR.
 */
export type JoinType = 'AND' | 'OR';
/**
 * Declares that one outcome takes several out-edges together.
 */
export type FanOut = 'parallel';
/**
 * One node of the graph.
 */
export type Node = ActionNode | ConditionNode | SkillNode | ErrorNode | TerminalNode;
/**
 * How a path ended.
 */
export type TerminalStatus = 'completed' | 'failed' | 'compensated';

/**
 * The contract of an action: what it takes and gives, what it may touch, and how it can be undone.
 */
export interface Action {
  /**
   * Required where the action is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name of the action, by which nodes and other contracts refer to it.
   */
  action_id: Identifier;
  /**
   * The version of the contract. A published version never changes.
   */
  version: Version;
  /**
   * What the action does, for a reader.
   */
  description?: string;
  /**
   * What the inputs look like; absent means any object.
   */
  input_schema?: ObjectSchema;
  /**
   * What the outputs look like; absent means any object.
   */
  output_schema?: ObjectSchema;
  /**
   * Whether the same inputs give the same result; it bounds retries at 3, 2 and 0.
   */
  determinism: Determinism;
  /**
   * How an executed action can be undone; it chooses the column of the recovery decision table.
   */
  rollback: RollbackCategory;
  /**
   * The domains of the external effects. An empty list says that there are none; an absent one says nothing, and is read as none.
   */
  side_effects?: SideEffect[];
  /**
   * Whether something that exists outside State may be changed. Absent means false.
   */
  modifies_existing?: boolean;
  /**
   * Whether a second execution with the same idempotency key has no further effect. Absent means false.
   */
  idempotent?: boolean;
  /**
   * Evaluated in order before the action is invoked, over inputs and context.
   */
  preconditions?: Predicate[];
  /**
   * Evaluated in order after the action has answered, over inputs, context and result.
   */
  postconditions?: Predicate[];
  /**
   * Must be true for the execution to succeed; over inputs, context, result and exit_code.
   */
  success_condition?: Expression;
  /**
   * The limit of one attempt, in milliseconds.
   */
  timeout_ms?: number;
  /**
   * Whether the action can be asked what became of an interrupted execution. Absent means false.
   */
  probe?: boolean;
  /**
   * The action that undoes a rollbackable one.
   */
  revert?: Reference;
  /**
   * The action that makes good for a compensatable one.
   */
  compensation?: Reference;
}
/**
 * A condition on an execution. A hard one that is not true fails the execution, a soft one marks it degraded.
 */
export interface Predicate {
  /**
   * A name for the condition, which error details cite.
   */
  id: Identifier;
  /**
   * hard: not true fails the execution with E4. soft: not true marks it degraded.
   */
  kind: 'hard' | 'soft';
  /**
   * The condition. An error or a value that is not a boolean counts as not true.
   */
  expression: Expression;
}
/**
 * What an invocation gives back when it did not fail.
 */
export interface ActionResult {
  /**
   * The outputs, an object that fits output_schema.
   */
  outputs: {
    [k: string]: unknown;
  };
  /**
   * Writes to State, applied together with the committed record.
   */
  state_changes?: StateChange[];
  /**
   * What shows that the action was done; any JSON value.
   */
  evidence?: unknown;
  /**
   * The exit code of a process action.
   */
  exit_code?: number;
}
/**
 * What became of an interrupted execution. absent promises that it had no effect and never will have one.
 */
export interface ProbeAnswer {
  /**
   * applied: it took place, with this result. absent: it has not and never will. partial: some of it did. unknown: the host cannot tell, or cannot promise absent.
   */
  verdict: 'applied' | 'absent' | 'partial' | 'unknown';
  /**
   * With applied: the outputs.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * With applied: the writes to State.
   */
  state_changes?: StateChange[];
  /**
   * With applied: the evidence, any JSON value.
   */
  evidence?: unknown;
}
/**
 * Execute an action, a revert or a compensation.
 */
export interface ActionInvokeParams {
  /**
   * The execution.
   */
  execution_id: ExecutionId;
  /**
   * The record's key.
   */
  idempotency_key: string;
  /**
   * The action.
   */
  action_id: Identifier;
  /**
   * The resolved version of its contract.
   */
  version: Version;
  /**
   * The node that it is executed for; of an undo that of the original. Absent where there is none.
   */
  node_id?: NodeId;
  /**
   * The instance that the node belongs to.
   */
  instance_id?: ExecutionId;
  /**
   * The record's attempt.
   */
  attempt: number;
  /**
   * The record's inputs.
   */
  inputs: {
    [k: string]: unknown;
  };
  /**
   * The instance's context.
   */
  context: {
    [k: string]: unknown;
  };
}
/**
 * The invocation failed.
 */
export interface ActionInvokeFailure {
  /**
   * Why it failed, and whether it may have had an effect.
   */
  error: ErrorResult;
}
/**
 * Ask what became of an interrupted execution.
 */
export interface ActionProbeParams {
  /**
   * The interrupted execution.
   */
  execution_id: ExecutionId;
  /**
   * The record's key.
   */
  idempotency_key: string;
  /**
   * The action.
   */
  action_id: Identifier;
  /**
   * The resolved version of its contract.
   */
  version: Version;
  /**
   * The node that it is executed for; of an undo that of the original. Absent where there is none.
   */
  node_id?: NodeId;
  /**
   * The record's attempt.
   */
  attempt?: number;
  /**
   * The record's inputs.
   */
  inputs: {
    [k: string]: unknown;
  };
}
/**
 * Notification of the runtime: the result of this invocation is no longer wanted.
 */
export interface ActionCancelParams {
  /**
   * The execution whose invocation is still unanswered.
   */
  execution_id: ExecutionId;
}
/**
 * Which records: all conditions given hold together.
 */
export interface AuditQueryParams {
  /**
   * Records of this execution (AQ1).
   */
  execution_id?: ExecutionId;
  /**
   * Records of one root instance.
   */
  context_id?: ExecutionId;
  /**
   * The earliest timestamp, inclusive (AQ2). Absent means from the beginning.
   */
  from?: Timestamp;
  /**
   * The end of the time range, exclusive (AQ2). Absent means to the end.
   */
  until?: Timestamp;
  /**
   * Records with this status (AQ3).
   */
  status?: RecordStatus;
  /**
   * Records of this type.
   */
  record_type?: RecordType;
  /**
   * Only the newest record of each execution (AQ4).
   */
  latest?: boolean;
  /**
   * Only executions whose last record is pending or in_doubt (AQ5).
   */
  incomplete?: boolean;
  /**
   * Who reads; records that it may not see come as stubs.
   */
  agent_id: Identifier;
  /**
   * What the previous page gave as next.
   */
  cursor?: string;
  /**
   * Records of a page. Absent means 1000.
   */
  limit?: number;
}
/**
 * A page of records in sequence order.
 */
export interface AuditQueryResult {
  /**
   * The records.
   */
  records: (AuditRecord | RedactedRecord)[];
  /**
   * Where the next page starts; absent on the last.
   */
  next?: string;
}
/**
 * Read the log in the interchange form.
 */
export interface AuditExportParams {
  /**
   * Who reads; records that it may not see come as stubs.
   */
  agent_id: Identifier;
  /**
   * What the previous page gave as next.
   */
  cursor?: string;
}
/**
 * Whole lines of the interchange form, at most 4 MiB, in sequence order.
 */
export interface AuditExportResult {
  /**
   * Canonical records, each ended by a line feed.
   */
  text: string;
  /**
   * Where the next page starts; absent on the last.
   */
  next?: string;
}
/**
 * A log in the interchange form, of this runtime or another, to be checked.
 */
export interface AuditVerifyParams {
  /**
   * The lines.
   */
  text: string;
}
/**
 * Whether the chain holds.
 */
export interface AuditVerifyResult {
  /**
   * True where every record verifies.
   */
  ok: boolean;
  /**
   * Where it does not: the sequence that belongs in the place of the first bad line.
   */
  first_bad_sequence?: number;
  /**
   * What is wrong there.
   */
  reason?: string;
}
/**
 * Which evidence.
 */
export interface EvidenceGetParams {
  /**
   * The evidence_ref or checksum of a record.
   */
  reference: Digest;
  /**
   * Who reads; it needs to be permitted to see the record that names the evidence.
   */
  agent_id: Identifier;
}
/**
 * The evidence.
 */
export interface EvidenceGetResult {
  /**
   * The JSON value whose canonical form has the digest.
   */
  content: unknown;
}
/**
 * A record that somebody else made; capability audit.append.
 */
export interface AuditAppendParams {
  /**
   * The record as it is offered, whatever it says of its place and its links.
   */
  record: {
    [k: string]: unknown;
  };
}
/**
 * What became of it. A refused record leaves the log as it was.
 */
export interface AuditAppendResult {
  /**
   * Whether it is in the log now.
   */
  accepted: boolean;
  /**
   * With accepted: its place.
   */
  sequence?: number;
  /**
   * With a refusal: why, in words.
   */
  reason?: string;
}
/**
 * The time from here on; it stands still until set again.
 */
export interface ClockSetParams {
  /**
   * The time.
   */
  time: Timestamp;
}
/**
 * Nothing.
 */
export interface ClockSetResult {}
/**
 * A request or, without id, a notification.
 */
export interface RpcRequest {
  /**
   * The version of JSON-RPC.
   */
  jsonrpc: '2.0';
  /**
   * The sender's own number; absent makes it a notification, which is not answered.
   */
  id?: MessageId;
  /**
   * The method's name.
   */
  method: string;
  /**
   * An object that fits the method's params.
   */
  params?: {
    [k: string]: unknown;
  };
}
/**
 * The answer to a request that succeeded.
 */
export interface RpcSuccess {
  /**
   * The version of JSON-RPC.
   */
  jsonrpc: '2.0';
  /**
   * The id of the request that is answered.
   */
  id: MessageId;
  /**
   * An object that fits the method's result.
   */
  result: {
    [k: string]: unknown;
  } | null;
}
/**
 * The answer to a request that failed.
 */
export interface RpcFailure {
  /**
   * The version of JSON-RPC.
   */
  jsonrpc: '2.0';
  /**
   * The id of the request that is answered; null where it could not be read.
   */
  id: MessageId | null;
  /**
   * Why the request failed.
   */
  error: RpcError;
}
/**
 * Why a request failed. Tests look at data.kind, never at the text.
 */
export interface RpcError {
  /**
   * A JSON-RPC error code.
   */
  code: number;
  /**
   * The reason in words.
   */
  message: string;
  /**
   * What a program can rely on.
   */
  data: RpcErrorData;
}
/**
 * The part of an error that is judged.
 */
export interface RpcErrorData {
  /**
   * Which kind of error it is.
   */
  kind: ErrorKind;
  /**
   * With denied: the gate that refused.
   */
  gate?: 'verification' | 'governance' | 'safety' | 'execution';
  /**
   * With denied: the execution that the gate's records carry.
   */
  execution_id?: ExecutionId;
  /**
   * With denied: why.
   */
  reasons?: GateReason[];
  /**
   * With denied by verification: the report.
   */
  report?: VerificationReport;
}
/**
 * Undo a committed execution.
 */
export interface ExecutionRollbackParams {
  /**
   * What is to be undone.
   */
  execution_id: ExecutionId;
  /**
   * Why, any JSON value; a request without it is refused.
   */
  evidence?: unknown;
  /**
   * Who asks; only the agent that made the execution may.
   */
  agent_id: Identifier;
}
/**
 * What undid it.
 */
export interface ExecutionRollbackResult {
  /**
   * The undo, by this request or an earlier one.
   */
  execution_id: ExecutionId;
}
/**
 * Where to stop, and how.
 */
export interface FaultArmParams {
  /**
   * The point at which to stop.
   */
  name: FaultPoint;
  /**
   * At which passing of the point, counted from now.
   */
  occurrence: number;
  /**
   * kill: write fault/point and block until killed. error: the write at that point fails as a full disk would.
   */
  effect: 'kill' | 'error';
}
/**
 * Nothing.
 */
export interface FaultArmResult {}
/**
 * Notification of the adapter: an armed point is reached.
 */
export interface FaultPointParams {
  /**
   * The point that is reached.
   */
  name: FaultPoint;
  /**
   * The execution that reached it; absent where the point is about none.
   */
  execution_id?: ExecutionId;
}
/**
 * Who is to be known. An agent that exists is replaced.
 */
export interface RegisterAgentParams {
  /**
   * The agent as it is to be known from here on.
   */
  agent: Agent;
  /**
   * Who registers it; needs governance: grant.
   */
  by: Identifier;
}
/**
 * Nothing.
 */
export interface RegisterAgentResult {}
/**
 * What is to be permitted.
 */
export interface GrantParams {
  /**
   * The permission; granted_by is who asks.
   */
  permission: Permission;
}
/**
 * The permission's name.
 */
export interface GrantResult {
  /**
   * The name by which it is revoked.
   */
  permission_id: ExecutionId;
}
/**
 * What is to be permitted no longer.
 */
export interface RevokeParams {
  /**
   * The permission.
   */
  permission_id: ExecutionId;
  /**
   * Who revokes it; the one that granted it, or one that holds governance: grant.
   */
  by: Identifier;
}
/**
 * Nothing.
 */
export interface RevokeResult {}
/**
 * Which start may take place although it is risky.
 */
export interface ApproveParams {
  /**
   * The name of the confirmation; absent means that the runtime gives one.
   */
  confirmation_id?: ExecutionId;
  /**
   * The resolved documents that may be started.
   */
  resolved_digest: Digest;
  /**
   * The inputs that they may be started with, defaults filled in.
   */
  inputs_digest: Digest;
  /**
   * The agent that may start.
   */
  agent_id: Identifier;
  /**
   * The agent that answers for it.
   */
  approver: Identifier;
  /**
   * When the confirmation lapses, exclusive.
   */
  expires_at: Timestamp;
}
/**
 * The confirmation's name.
 */
export interface ApproveResult {
  /**
   * The name under which a start uses it up.
   */
  confirmation_id: ExecutionId;
}
/**
 * A version of a policy to keep; one of the same policy_id and version is replaced in its field active only.
 */
export interface PutPolicyParams {
  /**
   * The policy.
   */
  policy: Policy;
  /**
   * Who asks; needs governance: write.
   */
  by: Identifier;
}
/**
 * Nothing.
 */
export interface PutPolicyResult {}
/**
 * A start that the governance gate is asked about without recording anything. One of workflow and workflow_id is given.
 */
export interface CheckParams {
  /**
   * The document; given in place of workflow_id.
   */
  workflow?: Workflow;
  /**
   * name@version of a workflow in the registry; given in place of workflow.
   */
  workflow_id?: string;
  /**
   * The inputs by name.
   */
  inputs: {
    [k: string]: unknown;
  };
  /**
   * The read-only context. Absent means {}.
   */
  context?: {
    [k: string]: unknown;
  };
  /**
   * The agent that would start it.
   */
  agent_id: Identifier;
  /**
   * The confirmation that the start would use up.
   */
  confirmation_id?: ExecutionId;
}
/**
 * An entry to keep; one of the same name is replaced. A target that is not there is an error of kind not_found.
 */
export interface IndexPutParams {
  /**
   * The entry.
   */
  entry: IndexEntry;
  /**
   * Who asks; needs registry: write.
   */
  by: Identifier;
}
/**
 * Nothing.
 */
export interface IndexPutResult {}
/**
 * Which entry.
 */
export interface IndexGetParams {
  /**
   * The name of the entry.
   */
  entry_id: Identifier;
  /**
   * Who reads.
   */
  agent_id: Identifier;
}
/**
 * The entry as it stands.
 */
export interface IndexGetResult {
  /**
   * The entry; stale where its target is not there any more.
   */
  entry: IndexEntry;
}
/**
 * Who asks.
 */
export interface InitializeParams {
  /**
   * The version of the adapter protocol.
   */
  protocol: '1.0';
  /**
   * The version of the suite.
   */
  suite_version: string;
}
/**
 * Who answers.
 */
export interface InitializeResult {
  /**
   * The runtime under test.
   */
  runtime: RuntimeIdentity;
  /**
   * The version of the specification that it claims.
   */
  spec_version: '1.0';
  /**
   * What it serves.
   */
  capabilities: Capability[];
  /**
   * What the suite must stay below.
   */
  limits?: RuntimeLimits;
  /**
   * Whether an interrupted instance goes on by itself when the workspace opens, or only when workflow/resume is called. Absent means open.
   */
  continuation?: 'open' | 'resume';
  /**
   * Whether the durable part lives in the adapter's process or in a server beside it.
   */
  durable_scope: 'process' | 'server';
  /**
   * With the capability faults: the points at which it can stop.
   */
  fault_points?: FaultPoint[];
}
/**
 * The runtime under test.
 */
export interface RuntimeIdentity {
  /**
   * Its name.
   */
  name: string;
  /**
   * Its version.
   */
  version: string;
  /**
   * What it is written in.
   */
  language?: string;
  /**
   * Where to read about it.
   */
  homepage?: string;
  /**
   * Where to report a defect.
   */
  issues?: string;
}
/**
 * What the suite must stay below.
 */
export interface RuntimeLimits {
  /**
   * Nodes of one workflow.
   */
  max_nodes?: number;
  /**
   * Nodes running at one time.
   */
  max_parallel?: number;
}
/**
 * Nothing.
 */
export interface ShutdownParams {}
/**
 * Nothing; the process ends within two seconds.
 */
export interface ShutdownResult {}
/**
 * Recover now.
 */
export interface RecoveryRunParams {
  /**
   * Only report what would be decided.
   */
  dry_run?: boolean;
}
/**
 * What became of an execution in doubt.
 */
export interface RecoveryResolveParams {
  /**
   * The execution that is in doubt.
   */
  execution_id: ExecutionId;
  /**
   * What the approver found out.
   */
  verdict: 'applied' | 'absent';
  /**
   * With applied, and needed there: the outputs; they have to pass what the contract and the output mapping ask.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * With applied: the writes to State.
   */
  state_changes?: StateChange[];
  /**
   * Who found out; needs recovery: resolve.
   */
  approver: Identifier;
}
/**
 * Nothing.
 */
export interface RecoveryResolveResult {}
/**
 * What to add. A definition that exists with other content is a conflict.
 */
export interface RegistryPutParams {
  /**
   * Action contracts.
   */
  actions?: Action[];
  /**
   * Workflows.
   */
  workflows?: Workflow[];
}
/**
 * Nothing.
 */
export interface RegistryPutResult {}
/**
 * What to remove, as name@version.
 */
export interface RegistryRemoveParams {
  /**
   * action_id@version.
   */
  actions?: string[];
  /**
   * name@version.
   */
  workflows?: string[];
}
/**
 * Nothing.
 */
export interface RegistryRemoveResult {}
/**
 * A job to keep; one of the same name is replaced. A workflow that the registry lacks is an error of kind not_found.
 */
export interface SchedulePutParams {
  /**
   * The job.
   */
  job: SchedulerJob;
  /**
   * Who asks; needs registry: write.
   */
  by: Identifier;
}
/**
 * Nothing.
 */
export interface SchedulePutResult {}
/**
 * Which job.
 */
export interface ScheduleGetParams {
  /**
   * The name of the job.
   */
  job_id: Identifier;
  /**
   * Who reads.
   */
  agent_id: Identifier;
}
/**
 * The job as it stands.
 */
export interface ScheduleGetResult {
  /**
   * The job; no longer active where its workflow was removed.
   */
  job: SchedulerJob;
}
/**
 * Which entries. Absent keys means all.
 */
export interface StateGetParams {
  /**
   * The keys.
   */
  keys?: StateKey[];
  /**
   * Who reads; needs state: read.
   */
  agent_id: Identifier;
}
/**
 * The entries, deleted ones included, as of one sequence.
 */
export interface StateGetResult {
  /**
   * The entries by key; a key that was never written has none.
   */
  state: State;
  /**
   * The last record that is folded in.
   */
  sequence: number;
}
/**
 * Take a snapshot of State now.
 */
export interface StateSnapshotParams {
  /**
   * Who asks; needs state: read.
   */
  agent_id: Identifier;
}
/**
 * Rebuild State as of a record.
 */
export interface StateReconstructParams {
  /**
   * The last record to fold in. Absent means the head.
   */
  sequence?: number;
  /**
   * The snapshot to start from; one that does not verify is an error of kind invalid. Absent means that the runtime chooses, or folds the whole log.
   */
  snapshot?: Snapshot;
  /**
   * Who asks; needs state: read.
   */
  agent_id: Identifier;
}
/**
 * What to run. One of workflow and workflow_id is given.
 */
export interface WorkflowStartParams {
  /**
   * The document; given in place of workflow_id.
   */
  workflow?: Workflow;
  /**
   * name@version of a workflow in the registry.
   */
  workflow_id?: string;
  /**
   * The inputs by name.
   */
  inputs: {
    [k: string]: unknown;
  };
  /**
   * The read-only context. Absent means {}.
   */
  context?: {
    [k: string]: unknown;
  };
  /**
   * On whose behalf the instance runs.
   */
  agent_id: Identifier;
  /**
   * The same key gives the same instance.
   */
  request_key?: string;
  /**
   * The confirmation that the start uses up, where its safety level needs one.
   */
  confirmation_id?: ExecutionId;
  /**
   * Ask verification and governance, say what would have to be approved, invoke nothing. A request_key is not used up.
   */
  dry_run?: boolean;
  /**
   * The most invocations of the instance at one time.
   */
  max_parallel?: number;
}
/**
 * The instance, past its gates; of a dry run what was simulated.
 */
export interface WorkflowStartResult {
  /**
   * Of a dry run that of its records.
   */
  execution_id: ExecutionId;
  /**
   * Of a dry run only: what there is to confirm.
   */
  dry_run?: DryRun;
}
/**
 * Only of a dry run: what a confirmation has to be for.
 */
export interface DryRun {
  /**
   * The digest of the resolved documents.
   */
  resolved_digest: Digest;
  /**
   * The digest of the inputs, defaults filled in.
   */
  inputs_digest: Digest;
  /**
   * How risky the workflow is, over its closure.
   */
  safety_level: SafetyLevel;
}
/**
 * Wait for an instance to end.
 */
export interface WorkflowWaitParams {
  /**
   * The instance.
   */
  execution_id: ExecutionId;
  /**
   * How long to wait at most; 0 answers at once.
   */
  budget_ms: DurationMs;
}
/**
 * Where the instance stands.
 */
export interface WorkflowWaitResult {
  /**
   * running at the end of the budget; in_doubt is not an end.
   */
  status: InstanceStatus;
  /**
   * With completed: the outputs of the workflow.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * With failed: why.
   */
  error?: InstanceError;
  /**
   * The nodes resolved so far, in any order.
   */
  trace: TraceEntry[];
}
/**
 * With failed: why.
 */
export interface InstanceError {
  /**
   * The class of the failure.
   */
  error_class: ErrorClass;
  /**
   * In words; cancelled where the instance was cancelled.
   */
  detail: string;
  /**
   * The node that failed.
   */
  node_id?: string;
}
/**
 * How one node was resolved.
 */
export interface TraceEntry {
  /**
   * The node.
   */
  node_id: NodeId;
  /**
   * success, failure, skipped, in_doubt, the status of a terminal, or the label that a condition took (failure where it failed).
   */
  outcome: Outcome;
  /**
   * How often the node was invoked by policy; 0 for a node that never was.
   */
  attempts: number;
}
/**
 * Continue an instance.
 */
export interface WorkflowResumeParams {
  /**
   * The instance that is to go on: one that was in doubt, or one that ended without completing.
   */
  execution_id: ExecutionId;
  /**
   * On whose behalf; the agent of the instance.
   */
  agent_id: Identifier;
  /**
   * The confirmation that the new instance uses up, where its safety level needs one.
   */
  confirmation_id?: ExecutionId;
}
/**
 * The new instance where an ended one was resumed.
 */
export interface WorkflowResumeResult {
  /**
   * The new instance; absent where the same one goes on.
   */
  execution_id?: ExecutionId;
}
/**
 * Stop an instance.
 */
export interface WorkflowCancelParams {
  /**
   * The instance.
   */
  execution_id: ExecutionId;
  /**
   * Who cancels: its own agent, or one with execution: cancel.
   */
  agent_id: Identifier;
}
/**
 * Nothing; the instance ends when what is in flight has ended.
 */
export interface WorkflowCancelResult {}
/**
 * What to verify. The workflow may be ill-formed: that is a finding, no error.
 */
export interface WorkflowVerifyParams {
  /**
   * The document.
   */
  workflow: unknown;
  /**
   * What its references resolve in. Absent means the registry of the workspace.
   */
  registry?: Registry;
}
/**
 * Which workspace, and for the how-manieth time.
 */
export interface WorkspaceOpenParams {
  /**
   * An absolute path; the folder may not exist yet.
   */
  workspace_dir: string;
  /**
   * The number that the records of this opening carry.
   */
  incarnation: number;
  /**
   * A seed for whatever the runtime draws at random.
   */
  seed: number;
}
/**
 * What recovery did; it answers after the recovery decisions.
 */
export interface WorkspaceOpenResult {
  /**
   * The report, or null where there was nothing to recover.
   */
  recovery: RecoveryReport | null;
}
/**
 * Nothing.
 */
export interface WorkspaceCloseParams {}
/**
 * Nothing.
 */
export interface WorkspaceCloseResult {}
/**
 * An agent that a workspace knows: who acts, and how far it is trusted.
 */
export interface Agent {
  /**
   * Required where the agent is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name under which the agent acts; unique in the workspace.
   */
  agent_id: Identifier;
  /**
   * How far the agent is trusted: TRUSTED starts whatever it may, CONDITIONAL only what is SAFE, UNTRUSTED nothing, UNKNOWN is denied everything.
   */
  trust: Trust;
  /**
   * With CONDITIONAL: when the trust lapses, exclusive.
   */
  trust_until?: Timestamp;
  /**
   * What the agent does, for a reader.
   */
  description?: string;
}
/**
 * One entry of the append-only audit log.
 */
export interface AuditRecord {
  /**
   * The version of the specification that the record follows.
   */
  schema_version: SchemaVersion;
  /**
   * The place in the log, from 1, without gaps, in commit order.
   */
  sequence: number;
  /**
   * Which opening of the workspace wrote the record, from 1.
   */
  incarnation: number;
  /**
   * What kind of event the record tells of; it decides which fields and statuses the record has.
   */
  record_type: RecordType;
  /**
   * The one execution that the record is about.
   */
  execution_id: ExecutionId;
  /**
   * The execution_id of the root instance; outside any instance that of the record itself.
   */
  context_id: ExecutionId;
  /**
   * The agent on whose behalf the execution runs.
   */
  agent_id: Identifier;
  /**
   * The later of the clock and the previous record's timestamp.
   */
  timestamp: Timestamp;
  /**
   * The event itself; see the conditions for which values each record_type has.
   */
  status: RecordStatus;
  /**
   * Of a node's record: its instance. Of an instance: the instance whose skill node started it.
   */
  parent_execution_id?: ExecutionId;
  /**
   * Executions or confirmations that the record builds on: what a redo repeats, what an undo undoes, which undo undid this, what an instance resumes, which confirmation it uses up.
   */
  refers_to?: ExecutionId[];
  /**
   * The workflow's name@version.
   */
  workflow_id?: string;
  /**
   * Of action, terminal, error, skill and recovery: the node. Of a child's workflow_started: the skill node. Of workflow_failed: the node at fault, where there is one.
   */
  node_id?: NodeId;
  /**
   * record_type action: the action executed.
   */
  action_id?: Identifier;
  /**
   * record_type action: its resolved version.
   */
  action_version?: Version;
  /**
   * record_type action: what the execution is for. Absent means execute.
   */
  purpose?: 'execute' | 'revert' | 'compensate';
  /**
   * record_type action: the declared domains of external effects.
   */
  side_effects?: SideEffect[];
  /**
   * record_type action: copied from the contract.
   */
  determinism?: Determinism;
  /**
   * record_type action: copied from the contract.
   */
  rollback?: RollbackCategory;
  /**
   * record_type action: which invocation of the node in its instance, from 1; a redo keeps the number.
   */
  attempt?: number;
  /**
   * record_type action: shared by all attempts and redos of one node in one instance, up to an undo.
   */
  idempotency_key?: string;
  /**
   * On pending: the inputs of the action. On workflow_started: those of the instance.
   */
  inputs?: {
    [k: string]: unknown;
  };
  /**
   * On committed: the outputs as the action gave them. On workflow_completed: those of the workflow.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * On committed: the writes to State that the record applies.
   */
  state_changes?: RecordedChange[];
  /**
   * On committed, and on pending of an undo that was asked for: evidence whose canonical form has at most 10240 bytes.
   */
  evidence?: unknown;
  /**
   * On committed, and on pending of an undo that was asked for: the digest under which larger evidence is stored.
   */
  evidence_ref?: Digest;
  /**
   * The digest of the evidence's canonical form; present with evidence or evidence_ref.
   */
  checksum?: Digest;
  /**
   * On pending: a soft precondition was not true. On committed: that, or a soft postcondition was not.
   */
  degraded?: true;
  /**
   * On failed and in_doubt of an action, failure of an error or skill node, and workflow_failed: the class of the failure.
   */
  error_class?: ErrorClass;
  /**
   * With error_class: what went wrong; a longer detail is cut.
   */
  error_detail?: string;
  /**
   * On workflow_started, simulated and granted: the digest of the resolved documents.
   */
  resolved_digest?: Digest;
  /**
   * On workflow_started, simulated and granted: the digest of the inputs, defaults filled in.
   */
  inputs_digest?: Digest;
  /**
   * On workflow_started: the read-only context of the instance.
   */
  context?: {
    [k: string]: unknown;
  };
  /**
   * On workflow_started: the caller's key; the same key gives the same instance.
   */
  request_key?: string;
  /**
   * On workflow_started: the confirmation that it uses up, which is also among those that it refers to.
   */
  confirmation_id?: ExecutionId;
  /**
   * record_type dry_run: the safety level of the workflow.
   */
  safety_level?: SafetyLevel;
  /**
   * On granted: the agent that may start with the confirmation; agent_id is the approver.
   */
  granted_to?: Identifier;
  /**
   * On granted: when the confirmation lapses, exclusive.
   */
  expires_at?: Timestamp;
  /**
   * record_type gate: which gate decided.
   */
  gate?: 'verification' | 'governance' | 'safety' | 'execution';
  /**
   * record_type gate: why, in codes.
   */
  reasons?: GateReason[];
  /**
   * record_type gate or trust: the agent's trust from here on.
   */
  trust_after?: Trust;
  /**
   * record_type recovery: what the probe answered.
   */
  probe?: 'applied' | 'absent' | 'partial' | 'unknown';
  /**
   * record_type recovery: the execution that carries the decision out, with redo, roll_back and compensate.
   */
  new_execution_id?: ExecutionId;
  /**
   * record_type approval: what an operator found out about an execution in doubt.
   */
  verdict?: 'applied' | 'absent';
  /**
   * The hash of the previous record; of the empty string for the first.
   */
  prev_hash: Digest;
  /**
   * The digest of the record's canonical form without this field.
   */
  hash: Digest;
}
/**
 * One reason of a gate's decision.
 */
export interface GateReason {
  /**
   * A stable word for the reason.
   */
  code: string;
  /**
   * The reason in words, with the offending value.
   */
  message: string;
  /**
   * The requirement that asks for the decision.
   */
  requirement?: string;
}
/**
 * What a reader without permission sees of a record: the links of the chain, and no content.
 */
export interface RedactedRecord {
  /**
   * The place in the log.
   */
  sequence: number;
  /**
   * The hash of the previous record.
   */
  prev_hash: Digest;
  /**
   * The hash of the record itself, which is not recomputed.
   */
  hash: Digest;
  /**
   * Says that the content is withheld.
   */
  redacted: true;
}
/**
 * What one run of the compliance suite says about one runtime.
 */
export interface ComplianceReport {
  /**
   * The version of the specification that the report follows.
   */
  schema_version: SchemaVersion;
  /**
   * The version of the suite.
   */
  suite_version: string;
  /**
   * The runtime that was examined, as it named itself.
   */
  runtime: RuntimeIdentity;
  /**
   * The version of the specification that the runtime claims.
   */
  spec_version: '1.0';
  /**
   * What the runtime serves.
   */
  capabilities: Capability[];
  /**
   * At which points the runtime can stop.
   */
  fault_points?: FaultPoint[];
  /**
   * Where the durable part of the runtime lives.
   */
  durable_scope: 'process' | 'server';
  /**
   * How crashes were made: the process group was killed with SIGKILL, which is not a loss of power.
   */
  crash_evidence: 'kill9-process';
  /**
   * What started the adapter.
   */
  command: string[];
  /**
   * The profile that was asked for. Absent: full.
   */
  profile?: 'core' | 'verified' | 'governed';
  /**
   * The requirements that were asked for. Absent: all of the profile.
   */
  asked?: string[];
  /**
   * By what limits of time were multiplied. Absent: 1.
   */
  scale?: number;
  /**
   * What all generated cases were drawn from.
   */
  seed: number;
  /**
   * Generated cases for each property of weight 1.
   */
  runs: number;
  /**
   * Sessions at one time; it has no influence on what was examined.
   */
  jobs: number;
  /**
   * When the run began, by the clock of the suite.
   */
  started_at: Timestamp;
  /**
   * How long the run took.
   */
  elapsed_ms: DurationMs;
  /**
   * True where the run was broken off: what is missing is inconclusive.
   */
  interrupted: boolean;
  /**
   * 0 conforms, 1 does not, 3 broke the protocol, 4 only inconclusive, 5 error of the suite, 130 broken off.
   */
  exit_code: 0 | 1 | 3 | 4 | 5 | 130;
  /**
   * Cases examined, those of shrinking aside.
   */
  cases: number;
  /**
   * SIGKILLs delivered, those of shrinking aside.
   */
  kills: number;
  /**
   * Cases that the runtime refused to start as unsupported, or that could not be set up for want of a method.
   */
  refused: number;
  /**
   * Methods of core and of declared capabilities that are not served.
   */
  missing: ComplianceMissing[];
  /**
   * One verdict for each requirement that was judged.
   */
  requirements: ComplianceRequirement[];
  /**
   * What each property found.
   */
  properties: ComplianceProperty[];
  /**
   * The smallest case found for each violated requirement of each property.
   */
  failures: ComplianceFailure[];
}
/**
 * The verdict on one requirement over all properties that judge it.
 */
export interface ComplianceRequirement {
  /**
   * The identifier.
   */
  requirement: string;
  /**
   * The word on the requirement: PASS only where enough cases reached it and it held in all of them.
   */
  verdict: ComplianceVerdict;
  /**
   * Why it is not PASS: a word for INCONCLUSIVE, the capability for NOT_APPLICABLE, a text for HARNESS_ERROR.
   */
  reason?: string;
  /**
   * Cases that were to judge it.
   */
  planned: number;
  /**
   * Cases that exercised it.
   */
  reached: number;
  /**
   * Cases that exercised it and in which it held.
   */
  passed: number;
  /**
   * The properties that judge it.
   */
  properties: string[];
}
/**
 * A method that belongs to what the runtime claims and that it does not serve.
 */
export interface ComplianceMissing {
  /**
   * Its name on the wire.
   */
  method: string;
  /**
   * The claimed capability that the method belongs to.
   */
  capability: Capability;
  /**
   * What the runtime did when it was asked.
   */
  how: 'unsupported' | 'timeout' | 'adapter_exit' | 'protocol';
}
/**
 * What one property found.
 */
export interface ComplianceProperty {
  /**
   * family/name.
   */
  property: string;
  /**
   * What it says.
   */
  title: string;
  /**
   * The part of the specification.
   */
  family: 'state' | 'execution' | 'audit' | 'workflow' | 'verification' | 'governance';
  /**
   * How it shows it.
   */
  kind: 'program' | 'message' | 'kill';
  /**
   * What must be seen whatever is generated.
   */
  control: string;
  /**
   * What must go the other way.
   */
  twin: string;
  /**
   * Cases examined.
   */
  cases: number;
  /**
   * SIGKILLs delivered.
   */
  kills: number;
  /**
   * Cases that were refused as unsupported or could not be set up.
   */
  refused: number;
  /**
   * How long its cases took.
   */
  elapsed_ms: DurationMs;
  /**
   * Its part in each verdict.
   */
  requirements: ComplianceRequirement[];
  /**
   * Errors that were no failures.
   */
  notes: string[];
}
/**
 * One violation, with the smallest case that was found for it.
 */
export interface ComplianceFailure {
  /**
   * The violated requirement.
   */
  requirement: string;
  /**
   * The property that found it.
   */
  property: string;
  /**
   * Where the case comes from.
   */
  role: 'control' | 'twin' | 'generated';
  /**
   * What is wrong.
   */
  message: string;
  /**
   * What had to be seen; any JSON value.
   */
  expected?: unknown;
  /**
   * What was seen; any JSON value.
   */
  observed?: unknown;
  /**
   * The node that it is about.
   */
  node_id?: string;
  /**
   * The seed of the property.
   */
  seed: number;
  /**
   * fast-check's path to the case.
   */
  path?: string;
  /**
   * How often the case was made smaller.
   */
  shrinks: number;
  /**
   * False where it was seen once and did not come again.
   */
  reproduced: boolean;
  /**
   * The replay file, relative to the report.
   */
  replay: string;
}
/**
 * Somebody's word that a risk is accepted: for one start of exactly these documents and inputs by one agent.
 */
export interface Confirmation {
  /**
   * Required where the confirmation is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name under which a start uses it up; given by the runtime where the approver gives none.
   */
  confirmation_id: ExecutionId;
  /**
   * The digest of the resolved documents that may be started.
   */
  resolved_digest: Digest;
  /**
   * The digest of the inputs that they may be started with, defaults filled in.
   */
  inputs_digest: Digest;
  /**
   * The agent that may start.
   */
  agent_id: Identifier;
  /**
   * The agent that answers for it: another one, with the permission approval: grant.
   */
  approver: Identifier;
  /**
   * When it lapses, exclusive.
   */
  expires_at: Timestamp;
}
/**
 * What a start would do, found out without invoking anything: what an approver looks at.
 */
export interface DryRunReport {
  /**
   * The version of the specification that the document follows.
   */
  schema_version: SchemaVersion;
  /**
   * The identifier of its gate records and its dry_run record.
   */
  execution_id: ExecutionId;
  /**
   * The workflow's name@version.
   */
  workflow_id: string;
  /**
   * The agent that would start it.
   */
  agent_id: Identifier;
  /**
   * The digest of the resolved documents; what a confirmation has to be for.
   */
  resolved_digest: Digest;
  /**
   * The digest of the inputs, defaults filled in; what a confirmation has to be for.
   */
  inputs_digest: Digest;
  /**
   * The highest level over the closure.
   */
  safety_level: SafetyLevel;
  /**
   * The answers of the gates that a dry run asks, in order; a denied one is the last.
   */
  gates: GateResult[];
  /**
   * Whether the start needs a confirmation. Absent means false.
   */
  confirmation_needed?: boolean;
  /**
   * The action and skill nodes, those of skills included, in an order in which they could run.
   */
  nodes: DryRunNode[];
}
/**
 * What one node would execute, and how risky that is.
 */
export interface DryRunNode {
  /**
   * The node.
   */
  node_id: NodeId;
  /**
   * The workflow that the node belongs to, name@version. Absent means the one that is started.
   */
  workflow_id?: string;
  /**
   * The action or workflow that it resolves to, name@version.
   */
  reference: string;
  /**
   * The level of the node.
   */
  safety_level: SafetyLevel;
  /**
   * Of an action: the domains of its external effects. Absent means none.
   */
  side_effects?: SideEffect[];
  /**
   * Of an action: how it can be undone.
   */
  rollback?: RollbackCategory;
}
/**
 * What the nodes of one instance can read, as of one record of the log. It can be rebuilt from the log alone.
 */
export interface ExecutionContext {
  /**
   * The version of the specification that the document follows.
   */
  schema_version: SchemaVersion;
  /**
   * The instance.
   */
  execution_id: ExecutionId;
  /**
   * The root instance above it; of a root instance itself.
   */
  context_id: ExecutionId;
  /**
   * The workflow's name@version.
   */
  workflow_id: string;
  /**
   * The agent on whose behalf the instance runs.
   */
  agent_id: Identifier;
  /**
   * The inputs of the instance, defaults filled in.
   */
  inputs: {
    [k: string]: unknown;
  };
  /**
   * The read-only context, fixed when the instance started.
   */
  context: {
    [k: string]: unknown;
  };
  /**
   * The nodes resolved so far, by node_id. A node that is missing is not resolved.
   */
  nodes: {
    [k: string]: ResolvedNode;
  };
  /**
   * The last record that it takes into account.
   */
  sequence: number;
}
/**
 * How one node was resolved, and what it left for those after it.
 */
export interface ResolvedNode {
  /**
   * success, failure, skipped, in_doubt, the status of a terminal, or the label that a condition took.
   */
  outcome: Outcome;
  /**
   * How often the node was invoked by policy and by error nodes; 0 for a node that never was.
   */
  attempts: number;
  /**
   * With success: the outputs after the output_mapping.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * With failure: what error. gives to an error node that handles it.
   */
  error?: NodeError;
}
/**
 * A failure as error. gives it.
 */
export interface NodeError {
  /**
   * The class of the failure.
   */
  error_class: ErrorClass;
  /**
   * What went wrong, in words.
   */
  error_detail: string;
  /**
   * The node that failed.
   */
  node_id: NodeId;
}
/**
 * What one gate says of one start.
 */
export interface GateResult {
  /**
   * Required where the result is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * Which gate was asked.
   */
  gate: 'verification' | 'governance' | 'safety' | 'execution';
  /**
   * What it decided: the status of its gate record.
   */
  decision: 'allowed' | 'denied';
  /**
   * Why, in codes; with denied at least one.
   */
  reasons: GateReason[];
  /**
   * Of the governance gate: the agent's trust once the record is durable. A check and a dry run change nothing.
   */
  trust_after?: Trust;
  /**
   * Of the verification gate: what it found.
   */
  report?: VerificationReport;
}
/**
 * Says of something by its name that it is in the workspace.
 */
export interface IndexEntry {
  /**
   * Required where the entry is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name of the entry, unique in the index.
   */
  entry_id: Identifier;
  /**
   * What it refers to. action and workflow: a definition in the registry. execution: one in the log. state: a key. evidence, snapshot: what is stored. file: a file of the workspace folder.
   */
  kind: 'action' | 'workflow' | 'execution' | 'state' | 'evidence' | 'snapshot' | 'file';
  /**
   * The thing itself: name@version, an execution_id, a key of State, a digest, the sequence of a snapshot in decimal digits, or a path relative to the workspace folder.
   */
  target: string;
  /**
   * True once what it refers to is not there any more. Absent means that it is there.
   */
  stale?: true;
  /**
   * Words under which it is to be found. Absent means none.
   */
  keywords?: Keyword[];
  /**
   * What it refers to, for a reader.
   */
  description?: string;
}
/**
 * What an agent may do, given by another agent.
 */
export interface Permission {
  /**
   * Required where the permission is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name by which the permission is revoked; given by the runtime where the grant has none.
   */
  permission_id?: ExecutionId;
  /**
   * The area that the permission is about.
   */
  domain: 'execution' | 'audit' | 'verification' | 'recovery' | 'governance' | 'approval' | 'state' | 'registry';
  /**
   * What may be done there.
   */
  actions: PermittedAction[];
  /**
   * To what it is limited: * for everything, else a workflow or action name, where a trailing * stands for any ending. Absent means *.
   */
  scope?: string;
  /**
   * The agent that may do it.
   */
  granted_to: Identifier;
  /**
   * The agent that gave it: another one, which holds at least as much itself and can revoke it.
   */
  granted_by: Identifier;
  /**
   * When the permission lapses, exclusive. Absent means never.
   */
  valid_until?: Timestamp;
}
/**
 * A rule of governance about starts. At most one version of a policy is active.
 */
export interface Policy {
  /**
   * Required where the policy is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name of the policy, which its versions share.
   */
  policy_id: Identifier;
  /**
   * The version of the policy. A published version never changes.
   */
  version: Version;
  /**
   * Whether the version is in force. Absent means true.
   */
  active?: boolean;
  /**
   * What it is about: 0 everything, 1 the workspace, 2 an agent, 3 a workflow. An applicable denial of level 0 prevails; else the highest level number with an applicable policy decides.
   */
  level: 0 | 1 | 2 | 3;
  /**
   * What it says of a start that it applies to. conditional allows it with a confirmation only.
   */
  effect: 'allow' | 'deny' | 'conditional';
  /**
   * To what it is limited: * for everything, else a name, where a trailing * stands for any ending; at level 2 the name of an agent, at level 3 of a workflow, else of a workflow or action. Absent means *.
   */
  scope?: string;
  /**
   * When it applies, over agent, workflow, inputs, context and safety_level. Absent means always; an error makes it an applicable denial.
   */
  condition?: Expression;
  /**
   * Why the policy exists, for a reader.
   */
  description?: string;
}
/**
 * What one recovery found and decided.
 */
export interface RecoveryReport {
  /**
   * The version of the specification that the report follows.
   */
  schema_version: SchemaVersion;
  /**
   * COMPLETE: everything committed or redone. PARTIAL: something reverted or closed. FAILED: something in doubt. DEGRADED: core documents missing but rebuildable. UNKNOWN: storage unreadable.
   */
  level: 'COMPLETE' | 'PARTIAL' | 'FAILED' | 'DEGRADED' | 'UNKNOWN';
  /**
   * The opening that recovered.
   */
  incarnation: number;
  /**
   * One entry for each interrupted execution, in sequence order.
   */
  decisions: RecoveryDecision[];
  /**
   * All executions of the log that are in doubt, from whatever opening.
   */
  in_doubt: ExecutionId[];
}
/**
 * What was decided about one interrupted execution.
 */
export interface RecoveryDecision {
  /**
   * The interrupted execution.
   */
  execution_id: ExecutionId;
  /**
   * Its node; absent where it belongs to none.
   */
  node_id?: NodeId;
  /**
   * What the probe answered, or what its silence counts as; absent and unknown include that no probe was asked.
   */
  probe: 'applied' | 'absent' | 'partial' | 'unknown';
  /**
   * What the decision table says: commit the result, execute again, close as failed, undo by revert or by compensation, or leave in doubt.
   */
  decision: 'commit' | 'redo' | 'close' | 'roll_back' | 'compensate' | 'in_doubt';
  /**
   * With redo, roll_back and compensate: the execution that carries the decision out.
   */
  new_execution_id?: ExecutionId;
}
/**
 * Actions and workflows that other workflows refer to by name and version range.
 */
export interface Registry {
  /**
   * Where an editor finds this schema; it has no meaning to a runtime.
   */
  $schema?: string;
  /**
   * The version of the specification that the document follows.
   */
  schema_version: SchemaVersion;
  /**
   * Action contracts, unique by action_id and version.
   */
  actions?: Action[];
  /**
   * Workflows that can be used as skills, unique by name and version.
   */
  workflows?: Workflow[];
}
/**
 * A start that is to take place by itself, once or again and again.
 */
export interface SchedulerJob {
  /**
   * Required where the job is a document of its own.
   */
  schema_version?: SchemaVersion;
  /**
   * The name of the job, unique in the workspace.
   */
  job_id: Identifier;
  /**
   * The workflow that is started, name@version; it has to be in the registry while the job is active.
   */
  workflow_id: string;
  /**
   * The agent on whose behalf it is started; each start passes the gates like any other.
   */
  agent_id: Identifier;
  /**
   * The inputs of each start. Absent means none.
   */
  inputs?: {
    [k: string]: unknown;
  };
  /**
   * The read-only context of each instance. Absent means {}.
   */
  context?: {
    [k: string]: unknown;
  };
  /**
   * When it is due, once. Given in place of every_ms.
   */
  at?: Timestamp;
  /**
   * How far apart its due times are, in milliseconds. Given in place of at.
   */
  every_ms?: number;
  /**
   * With every_ms: the first due time.
   */
  from?: Timestamp;
  /**
   * With every_ms: when it ends, exclusive. Absent means never.
   */
  until?: Timestamp;
  /**
   * Whether it starts anything. Absent means true.
   */
  active?: boolean;
  /**
   * What the job is for, for a reader.
   */
  description?: string;
}
/**
 * State as of one record of the log, immutable once written.
 */
export interface Snapshot {
  /**
   * The version of the specification that the document follows.
   */
  schema_version: SchemaVersion;
  /**
   * The last record that is folded in; 0 for the State of an empty log.
   */
  sequence: number;
  /**
   * The hash of that record; of an empty log the digest of the empty string.
   */
  head_hash: Digest;
  /**
   * Every key that was ever written up to that record, deleted ones included.
   */
  state: State;
  /**
   * The digest of the canonical form of the snapshot without this field.
   */
  checksum: Digest;
}
/**
 * State: the fold, in sequence order, of the state changes of all committed records.
 */
export interface State {
  [k: string]: StateEntry;
}
/**
 * The current value of a key, or the mark that it was deleted.
 */
export interface StateEntry {
  /**
   * The value; absent when the key is deleted.
   */
  value?: unknown;
  /**
   * The number of writes to the key, ever. It only grows.
   */
  version: number;
  /**
   * The execution that wrote the key last.
   */
  writer: ExecutionId;
}
/**
 * One write to one key, applied together with the committed record that carries it.
 */
export interface StateChange {
  /**
   * The key that is written.
   */
  key: StateKey;
  /**
   * put sets the value, delete removes it; both count as a write.
   */
  op: 'put' | 'delete';
  /**
   * The new value, with put.
   */
  value?: unknown;
  /**
   * The version that the key must have when the change is applied; 0 means that it was never written.
   */
  expected_version?: number;
}
/**
 * A state change as a committed record carries it.
 */
export interface RecordedChange {
  /**
   * The key that is written.
   */
  key: StateKey;
  /**
   * put sets the value, delete removes it; both count as a write.
   */
  op: 'put' | 'delete';
  /**
   * The new value, with put.
   */
  value?: unknown;
  /**
   * Of an execution that puts back what a rolled back one had written: the execution that counts as the writer of the key from here on. Absent: the execution of the record.
   */
  writer?: ExecutionId;
  /**
   * The version that the key must have when the change is applied; 0 means that it was never written.
   */
  expected_version?: number;
}
/**
 * A JSON Schema 2020-12 for an object, with its own $defs and no reference to anything outside itself.
 */
export interface ObjectSchema {
  [k: string]: unknown;
}
/**
 * The result of an invocation that failed.
 */
export interface ErrorResult {
  /**
   * What kind of failure it was; it decides whether a retry makes sense.
   */
  error_class: ErrorClass;
  /**
   * What went wrong, in words.
   */
  detail: string;
  /**
   * none: the failed invocation certainly had no external effect. Absent means unknown.
   */
  effect?: 'none' | 'unknown';
}
/**
 * What static verification says of one workflow.
 */
export interface VerificationReport {
  /**
   * The version of the specification that the document follows.
   */
  schema_version: SchemaVersion;
  /**
   * FAIL with at least one blocking finding, PASS_WITH_WARNINGS with warnings only, else PASS.
   */
  verdict: 'PASS' | 'PASS_WITH_WARNINGS' | 'FAIL';
  /**
   * The workflow's name@version, where the document has one.
   */
  workflow_id?: string;
  /**
   * The digest of the workflow document, where it has a canonical form.
   */
  workflow_digest?: Digest;
  /**
   * The highest level over the closure, where it is known; the same as safety.level. Absent where that is UNKNOWN.
   */
  safety_level?: SafetyLevel;
  /**
   * How risky it is to run the workflow, and what a failure in the middle leaves behind.
   */
  safety?: Safety;
  /**
   * All findings, in document order.
   */
  findings: Finding[];
  /**
   * What became of each rule, in the order of the chapter.
   */
  rules: RuleStatus[];
  /**
   * How many findings of each severity there are.
   */
  counts: FindingCounts;
}
/**
 * How many findings of each severity there are.
 */
export interface FindingCounts {
  /**
   * Findings that make the verdict FAIL.
   */
  blocking: number;
  /**
   * Findings that do not.
   */
  warning: number;
}
/**
 * A place in a source text. Lines and columns count from 1, columns in UTF-16 code units.
 */
export interface Location {
  /**
   * The file, as it was named to the verifier; absent where there was only one text.
   */
  file?: string;
  /**
   * The line where it begins, from 1.
   */
  line: number;
  /**
   * The column where it begins, from 1, in UTF-16 code units.
   */
  column: number;
  /**
   * The line where it ends.
   */
  end_line?: number;
  /**
   * The column behind its last character.
   */
  end_column?: number;
}
/**
 * Another place that helps to understand the finding.
 */
export interface RelatedPlace {
  /**
   * RFC 6901 pointer into the document that holds the place.
   */
  pointer: string;
  /**
   * What is there, in words.
   */
  message: string;
  /**
   * The node that the place belongs to.
   */
  node_id?: string;
  /**
   * A place in a source text. Lines and columns count from 1, columns in UTF-16 code units.
   */
  location?: Location;
}
/**
 * One defect.
 */
export interface Finding {
  /**
   * The identifier of the rule, or SCHEMA for a defect of form.
   */
  rule: string;
  /**
   * A blocking finding makes the verdict FAIL.
   */
  severity: Severity;
  /**
   * The node that the finding is about.
   */
  node_id?: string;
  /**
   * The edge that the finding is about.
   */
  edge?: FindingEdge;
  /**
   * RFC 6901 pointer into the document.
   */
  pointer: string;
  /**
   * What is wrong, with the offending value in quotes.
   */
  message: string;
  /**
   * Further places that help to understand it; of a definition those that use it.
   */
  related: RelatedPlace[];
  /**
   * What to do about it.
   */
  help: string;
  /**
   * A place in a source text. Lines and columns count from 1, columns in UTF-16 code units.
   */
  location?: Location;
}
/**
 * The edge that the finding is about.
 */
export interface FindingEdge {
  /**
   * The node that the edge leaves.
   */
  from_node: string;
  /**
   * The node that the edge enters.
   */
  to_node: string;
  /**
   * The label of the edge.
   */
  label: string;
}
/**
 * The levels of the nodes and of the whole, and the partial-failure zone of every node whose failure can leave an effect.
 */
export interface Safety {
  /**
   * The highest level of the nodes. UNKNOWN where something is not known that could make it higher.
   */
  level: KnownLevel;
  /**
   * The level by what is known; the same as level where that is known.
   */
  at_least: SafetyLevel;
  /**
   * Why the level is UNKNOWN.
   */
  reason?: string;
  /**
   * The nodes whose level is not SAFE, in order of node_id. Every other node is SAFE.
   */
  nodes: NodeSafety[];
  /**
   * The nodes whose failure can leave an effect, in order of node_id.
   */
  zones: PartialFailureZone[];
  /**
   * Why zones, or some of them, were not looked for.
   */
  zones_reason?: string;
}
/**
 * The level of one node, and what gives it.
 */
export interface NodeSafety {
  /**
   * The node.
   */
  node_id: string;
  /**
   * The highest level of anything that the node can come to execute.
   */
  level: KnownLevel;
  /**
   * The level by what is known; the same as level where that is known.
   */
  at_least: SafetyLevel;
  /**
   * The sources of risk that give the level at_least, all of one action; empty where that is SAFE.
   */
  reasons: RiskReason[];
  /**
   * A reference from which on nothing is known; of several the first by its text.
   */
  unknown?: string;
}
/**
 * A source of risk.
 */
export interface RiskReason {
  /**
   * The requirement that gives the level.
   */
  requirement: string;
  /**
   * The action that is the source, as action_id@version; the node's own before others, and of these the first by that name.
   */
  action: string;
  /**
   * What makes it risky, in words.
   */
  message: string;
}
/**
 * What can stay behind when one node fails.
 */
export interface PartialFailureZone {
  /**
   * The node that fails, with every retry.
   */
  node_id: string;
  /**
   * What the failure leads to in the end: nothing, an always edge, a retry behind which nothing comes, an error node that marks the instance failed, one that executes an action of its own, or one that undoes.
   */
  handling: 'none' | 'continue' | 'retry' | 'fail' | 'compensate_ref' | 'undo';
  /**
   * The error node that the failure leads to in the end, where there is one.
   */
  handled_by?: string;
  /**
   * The nodes whose effects stay, the first eight by node_id.
   */
  remains: RemainingEffect[];
  /**
   * True where the effects of further nodes stay.
   */
  more?: true;
  /**
   * The zone in words.
   */
  message: string;
}
/**
 * An effect that stays behind.
 */
export interface RemainingEffect {
  /**
   * The node that has the effect.
   */
  node_id: string;
  /**
   * The action that has it, as action_id@version; of several in a skill the first by that name.
   */
  action: string;
  /**
   * Why it stays: it is irreversible, its definition lacks what undoes it, or nothing asks to undo it.
   */
  reason: 'irreversible' | 'no_undo' | 'not_undone';
}
/**
 * What became of one rule. not_evaluated is not a pass.
 */
export interface RuleStatus {
  /**
   * The identifier of the rule.
   */
  rule: string;
  /**
   * fail with a blocking finding, warn with warnings only, not_evaluated where the rule, or a part of it, could not be judged, else pass.
   */
  status: 'pass' | 'fail' | 'warn' | 'not_evaluated';
  /**
   * Why a rule, or a part of it, was not evaluated.
   */
  reason?: string;
}
/**
 * How much the findings of verification count in a project. It changes what a verifier reports, never what may start.
 */
export interface VerifierConfig {
  /**
   * Where an editor finds this schema.
   */
  $schema?: string;
  /**
   * recommended: the severities of the specification. strict: every finding is an error. minimal: rules that only warn are off.
   */
  preset?: Preset;
  /**
   * Levels of rules by their identifiers; those that are absent have the level of the preset.
   */
  rules?: RuleLevels;
  /**
   * Files that are passed over where a folder or a pattern led to them; patterns as those of overrides.
   */
  ignore?: string[];
  /**
   * Levels for some files; of several that match a file the later one counts.
   */
  overrides?: LevelOverride[];
}
/**
 * Levels of rules by their identifiers; those that are absent have the level of the preset.
 */
export interface RuleLevels {
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S1?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S2?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S3?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S4?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S5?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S6?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S7?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S8?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S9?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S10?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S11?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S12?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S13?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S14?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S15?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S16?: Level;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  S17?: Level;
}
/**
 * Levels for the files that a pattern matches.
 */
export interface LevelOverride {
  /**
   * Patterns of paths, relative to the folder of the configuration; one without a slash is matched with the name of the file.
   */
  files: string[];
  /**
   * recommended: the severities of the specification. strict: every finding is an error. minimal: rules that only warn are off.
   */
  preset?: Preset;
  /**
   * Levels of rules by their identifiers; those that are absent have the level of the preset.
   */
  rules?: RuleLevels;
}
/**
 * A static directed acyclic graph of nodes, with the actions that it brings along.
 */
export interface Workflow {
  /**
   * Where an editor finds this schema; it has no meaning to a runtime.
   */
  $schema?: string;
  /**
   * The version of the specification that the document follows.
   */
  schema_version: SchemaVersion;
  /**
   * Who the workflow is and where it starts.
   */
  workflow: WorkflowHeader;
  /**
   * The inputs that a caller gives, by name.
   */
  inputs?: {
    [k: string]: WorkflowInput;
  };
  /**
   * The outputs of a completed instance, by name, each a mapping.
   */
  outputs?: {
    [k: string]: Mapping;
  };
  /**
   * Actions defined in place; they come before those of the registry.
   */
  actions?: Action[];
  /**
   * The nodes of the graph.
   */
  nodes: Node[];
  /**
   * The edges of the graph.
   */
  edges: Edge[];
}
/**
 * Who the workflow is and where it starts.
 */
export interface WorkflowHeader {
  /**
   * The name of the workflow; with the version it is the workflow_id name@version.
   */
  name: Identifier;
  /**
   * The version of the workflow. A published version never changes.
   */
  version: Version;
  /**
   * The start node; absent means the only node without in-edges.
   */
  start?: NodeId;
  /**
   * What the workflow is for, for a reader.
   */
  description?: string;
}
/**
 * One input of a workflow.
 */
export interface WorkflowInput {
  /**
   * What the input means, for a reader.
   */
  description?: string;
  /**
   * A JSON Schema 2020-12 for the value; absent means any value.
   */
  schema?:
    | {
        [k: string]: unknown;
      }
    | boolean;
  /**
   * Whether a caller has to give it. Absent means true, unless there is a default.
   */
  required?: boolean;
  /**
   * The value where a caller gives none.
   */
  default?: unknown;
}
/**
 * A directed edge, taken when its source resolves with the outcome that its label names.
 */
export interface Edge {
  /**
   * The node that the edge leaves.
   */
  from_node: NodeId;
  /**
   * The node that the edge enters.
   */
  to_node: NodeId;
  /**
   * success, failure or always; below a condition true, false, default or an outcome of its own.
   */
  label: Outcome;
}
/**
 * An object whose values are mappings.
 */
export interface ObjectMapping {
  [k: string]: Mapping;
}
/**
 * How often and how fast a failed attempt is repeated.
 */
export interface RetryPolicy {
  /**
   * Retries after the first attempt.
   */
  max_retries: number;
  /**
   * The wait before the first retry. Absent means 0.
   */
  backoff_ms?: DurationMs;
  /**
   * By what the wait is multiplied from retry to retry. Absent means 1.
   */
  backoff_factor?: number;
  /**
   * The longest wait.
   */
  max_backoff_ms?: DurationMs;
}
/**
 * Executes an action. Outcomes: success, failure.
 */
export interface ActionNode {
  /**
   * The name of the node, unique in the workflow.
   */
  node_id: NodeId;
  /**
   * Says that the node is an action.
   */
  type: 'action';
  /**
   * What the node is for, for a reader.
   */
  description?: string;
  /**
   * The action that is executed.
   */
  action_def: Reference;
  /**
   * The inputs of the action, by name. Absent means no inputs.
   */
  input_mapping?: ObjectMapping;
  /**
   * The outputs of the node, from result.; absent means the whole result.
   */
  output_mapping?: ObjectMapping;
  /**
   * Limits the retries further than the bound of the action does, and sets their pace. Absent means the defaults of the error classes.
   */
  retry_policy?: RetryPolicy;
  /**
   * The limit of one attempt, in milliseconds; the smaller of this and the action's holds.
   */
  timeout_ms?: number;
  /**
   * Says that the author knows that the action cannot be undone.
   */
  irreversible?: 'acknowledged';
  /**
   * Needed where one outcome takes several out-edges.
   */
  fan_out?: FanOut;
  /**
   * With several in-edges: AND needs all of them taken, OR at least one. Absent means OR.
   */
  join_type?: JoinType;
}
/**
 * Chooses one of its out-edges by an expression over recorded values. Outcome: the label that was taken.
 */
export interface ConditionNode {
  /**
   * The name of the node, unique in the workflow.
   */
  node_id: NodeId;
  /**
   * Says that the node is a condition.
   */
  type: 'condition';
  /**
   * What the node is for, for a reader.
   */
  description?: string;
  /**
   * Gives a boolean, which takes the edge true or false, or a string, which takes the edge of that label; else default.
   */
  expression: Expression;
  /**
   * With several in-edges: AND needs all of them taken, OR at least one. Absent means OR.
   */
  join_type?: JoinType;
}
/**
 * Runs another workflow as a child instance. Outcomes: success, failure.
 */
export interface SkillNode {
  /**
   * The name of the node, unique in the workflow.
   */
  node_id: NodeId;
  /**
   * Says that the node is a skill.
   */
  type: 'skill';
  /**
   * What the node is for, for a reader.
   */
  description?: string;
  /**
   * The workflow that is run.
   */
  workflow_ref: Reference;
  /**
   * The inputs of the workflow, by name. Absent means no inputs.
   */
  input_mapping?: ObjectMapping;
  /**
   * The outputs of the node, from result.; absent means the whole result.
   */
  output_mapping?: ObjectMapping;
  /**
   * Says that the author knows that the skill cannot be undone.
   */
  irreversible?: 'acknowledged';
  /**
   * Needed where one outcome takes several out-edges.
   */
  fan_out?: FanOut;
  /**
   * With several in-edges: AND needs all of them taken, OR at least one. Absent means OR.
   */
  join_type?: JoinType;
}
/**
 * Handles a failure. Reached by failure edges only. Outcomes: success, failure.
 */
export interface ErrorNode {
  /**
   * The name of the node, unique in the workflow.
   */
  node_id: NodeId;
  /**
   * Says that the node is an error node.
   */
  type: 'error';
  /**
   * What the node is for, for a reader.
   */
  description?: string;
  /**
   * What the node does about the failure.
   */
  handling: 'retry' | 'compensate' | 'rollback' | 'fail';
  /**
   * With compensate: the action to execute in place of the declared compensations.
   */
  compensate_ref?: Reference;
  /**
   * With compensate_ref: the inputs of that action.
   */
  input_mapping?: ObjectMapping;
  /**
   * With retry and compensate_ref: the outputs of the node, from result.; absent means the whole result, of a retry what the output_mapping of the failed node makes of it.
   */
  output_mapping?: ObjectMapping;
  /**
   * With retry: how often the failed node is executed again. Absent means 1.
   */
  max_attempts?: number;
  /**
   * With retry: the wait before each attempt. Absent means 0.
   */
  backoff_ms?: DurationMs;
  /**
   * Needed where one outcome takes several out-edges.
   */
  fan_out?: FanOut;
  /**
   * With several in-edges: AND needs all of them taken, OR at least one. Absent means OR.
   */
  join_type?: JoinType;
}
/**
 * Ends a path of the instance.
 */
export interface TerminalNode {
  /**
   * The name of the node, unique in the workflow.
   */
  node_id: NodeId;
  /**
   * Says that the node is a terminal.
   */
  type: 'terminal';
  /**
   * What the node stands for, for a reader.
   */
  description?: string;
  /**
   * What the instance is, if no reached terminal is worse: failed is worse than compensated, compensated than completed.
   */
  status: TerminalStatus;
  /**
   * With several in-edges: AND needs all of them taken, OR at least one. Absent means OR.
   */
  join_type?: JoinType;
}
/**
 * The manifest of a workspace: its entry point, at workspace.json in its root.
 */
export interface Workspace {
  /**
   * The version of the specification that the workspace follows.
   */
  schema_version: SchemaVersion;
  /**
   * The name of the workspace, given once when it is created.
   */
  workspace_id: ExecutionId;
  /**
   * When the workspace was created.
   */
  created_at: Timestamp;
  /**
   * What the workspace is for, for a reader.
   */
  description?: string;
}

/**
 * The type that each schema describes, by the name of the schema.
 */
export interface SchemaTypes {
  /**
   * The contract of an action: what it takes and gives, what it may touch, and how it can be undone.
   */
  action: Action;
  /**
   * A condition on an execution. A hard one that is not true fails the execution, a soft one marks it degraded.
   */
  'action#predicate': Predicate;
  /**
   * What an invocation gives back when it did not fail.
   */
  'action#result': ActionResult;
  /**
   * What became of an interrupted execution. absent promises that it had no effect and never will have one.
   */
  'action#probe_answer': ProbeAnswer;
  /**
   * Execute an action, a revert or a compensation.
   */
  'adapter/action#invoke_params': ActionInvokeParams;
  /**
   * What became of it.
   */
  'adapter/action#invoke_result': ActionInvokeResult;
  /**
   * Ask what became of an interrupted execution.
   */
  'adapter/action#probe_params': ActionProbeParams;
  /**
   * What became of an interrupted execution. absent promises that it had no effect and never will have one.
   */
  'adapter/action#probe_result': ProbeAnswer;
  /**
   * Notification of the runtime: the result of this invocation is no longer wanted.
   */
  'adapter/action#cancel_params': ActionCancelParams;
  /**
   * Which records: all conditions given hold together.
   */
  'adapter/audit#query_params': AuditQueryParams;
  /**
   * A page of records in sequence order.
   */
  'adapter/audit#query_result': AuditQueryResult;
  /**
   * Read the log in the interchange form.
   */
  'adapter/audit#export_params': AuditExportParams;
  /**
   * Whole lines of the interchange form, at most 4 MiB, in sequence order.
   */
  'adapter/audit#export_result': AuditExportResult;
  /**
   * A log in the interchange form, of this runtime or another, to be checked.
   */
  'adapter/audit#verify_params': AuditVerifyParams;
  /**
   * Whether the chain holds.
   */
  'adapter/audit#verify_result': AuditVerifyResult;
  /**
   * Which evidence.
   */
  'adapter/audit#evidence_get_params': EvidenceGetParams;
  /**
   * The evidence.
   */
  'adapter/audit#evidence_get_result': EvidenceGetResult;
  /**
   * A record that somebody else made; capability audit.append.
   */
  'adapter/audit#append_params': AuditAppendParams;
  /**
   * What became of it. A refused record leaves the log as it was.
   */
  'adapter/audit#append_result': AuditAppendResult;
  /**
   * The time from here on; it stands still until set again.
   */
  'adapter/clock#set_params': ClockSetParams;
  /**
   * Nothing.
   */
  'adapter/clock#set_result': ClockSetResult;
  /**
   * The sender's own number for a request.
   */
  'adapter/envelope#message_id': MessageId;
  /**
   * A request or, without id, a notification.
   */
  'adapter/envelope#request': RpcRequest;
  /**
   * The answer to a request that succeeded.
   */
  'adapter/envelope#success': RpcSuccess;
  /**
   * The answer to a request that failed.
   */
  'adapter/envelope#failure': RpcFailure;
  /**
   * Why a request failed. Tests look at data.kind, never at the text.
   */
  'adapter/envelope#error': RpcError;
  /**
   * unsupported: the capability is not served. invalid: the params do not fit. conflict: something exists already or is locked. not_found. illegal_state: not now. denied: a gate refused. internal: a fault of the runtime.
   */
  'adapter/envelope#error_kind': ErrorKind;
  /**
   * The part of an error that is judged.
   */
  'adapter/envelope#error_data': RpcErrorData;
  /**
   * Undo a committed execution.
   */
  'adapter/execution#rollback_params': ExecutionRollbackParams;
  /**
   * What undid it.
   */
  'adapter/execution#rollback_result': ExecutionRollbackResult;
  /**
   * A place in the commit protocol or in recovery.
   */
  'adapter/fault#point': FaultPoint;
  /**
   * Where to stop, and how.
   */
  'adapter/fault#arm_params': FaultArmParams;
  /**
   * Nothing.
   */
  'adapter/fault#arm_result': FaultArmResult;
  /**
   * Notification of the adapter: an armed point is reached.
   */
  'adapter/fault#point_params': FaultPointParams;
  /**
   * Who is to be known. An agent that exists is replaced.
   */
  'adapter/governance#register_agent_params': RegisterAgentParams;
  /**
   * Nothing.
   */
  'adapter/governance#register_agent_result': RegisterAgentResult;
  /**
   * What is to be permitted.
   */
  'adapter/governance#grant_params': GrantParams;
  /**
   * The permission's name.
   */
  'adapter/governance#grant_result': GrantResult;
  /**
   * What is to be permitted no longer.
   */
  'adapter/governance#revoke_params': RevokeParams;
  /**
   * Nothing.
   */
  'adapter/governance#revoke_result': RevokeResult;
  /**
   * Which start may take place although it is risky.
   */
  'adapter/governance#approve_params': ApproveParams;
  /**
   * The confirmation's name.
   */
  'adapter/governance#approve_result': ApproveResult;
  /**
   * A version of a policy to keep; one of the same policy_id and version is replaced in its field active only.
   */
  'adapter/governance#put_policy_params': PutPolicyParams;
  /**
   * Nothing.
   */
  'adapter/governance#put_policy_result': PutPolicyResult;
  /**
   * A start that the governance gate is asked about without recording anything. One of workflow and workflow_id is given.
   */
  'adapter/governance#check_params': CheckParams;
  /**
   * What one gate says of one start.
   */
  'adapter/governance#check_result': GateResult;
  /**
   * An entry to keep; one of the same name is replaced. A target that is not there is an error of kind not_found.
   */
  'adapter/index#put_params': IndexPutParams;
  /**
   * Nothing.
   */
  'adapter/index#put_result': IndexPutResult;
  /**
   * Which entry.
   */
  'adapter/index#get_params': IndexGetParams;
  /**
   * The entry as it stands.
   */
  'adapter/index#get_result': IndexGetResult;
  /**
   * A part of the protocol that a runtime serves. core is always served.
   */
  'adapter/initialize#capability': Capability;
  /**
   * Who asks.
   */
  'adapter/initialize#params': InitializeParams;
  /**
   * Who answers.
   */
  'adapter/initialize#result': InitializeResult;
  /**
   * Nothing.
   */
  'adapter/initialize#shutdown_params': ShutdownParams;
  /**
   * Nothing; the process ends within two seconds.
   */
  'adapter/initialize#shutdown_result': ShutdownResult;
  /**
   * Recover now.
   */
  'adapter/recovery#run_params': RecoveryRunParams;
  /**
   * What one recovery found and decided.
   */
  'adapter/recovery#run_result': RecoveryReport;
  /**
   * What became of an execution in doubt.
   */
  'adapter/recovery#resolve_params': RecoveryResolveParams;
  /**
   * Nothing.
   */
  'adapter/recovery#resolve_result': RecoveryResolveResult;
  /**
   * What to add. A definition that exists with other content is a conflict.
   */
  'adapter/registry#put_params': RegistryPutParams;
  /**
   * Nothing.
   */
  'adapter/registry#put_result': RegistryPutResult;
  /**
   * What to remove, as name@version.
   */
  'adapter/registry#remove_params': RegistryRemoveParams;
  /**
   * Nothing.
   */
  'adapter/registry#remove_result': RegistryRemoveResult;
  /**
   * A job to keep; one of the same name is replaced. A workflow that the registry lacks is an error of kind not_found.
   */
  'adapter/schedule#put_params': SchedulePutParams;
  /**
   * Nothing.
   */
  'adapter/schedule#put_result': SchedulePutResult;
  /**
   * Which job.
   */
  'adapter/schedule#get_params': ScheduleGetParams;
  /**
   * The job as it stands.
   */
  'adapter/schedule#get_result': ScheduleGetResult;
  /**
   * Which entries. Absent keys means all.
   */
  'adapter/state#get_params': StateGetParams;
  /**
   * The entries, deleted ones included, as of one sequence.
   */
  'adapter/state#get_result': StateGetResult;
  /**
   * Take a snapshot of State now.
   */
  'adapter/state#snapshot_params': StateSnapshotParams;
  /**
   * State as of one record of the log, immutable once written.
   */
  'adapter/state#snapshot_result': Snapshot;
  /**
   * Rebuild State as of a record.
   */
  'adapter/state#reconstruct_params': StateReconstructParams;
  /**
   * The entries, deleted ones included, as of one sequence.
   */
  'adapter/state#reconstruct_result': StateGetResult;
  /**
   * What to run. One of workflow and workflow_id is given.
   */
  'adapter/workflow#start_params': WorkflowStartParams;
  /**
   * The instance, past its gates; of a dry run what was simulated.
   */
  'adapter/workflow#start_result': WorkflowStartResult;
  /**
   * Only of a dry run: what a confirmation has to be for.
   */
  'adapter/workflow#dry_run': DryRun;
  /**
   * Wait for an instance to end.
   */
  'adapter/workflow#wait_params': WorkflowWaitParams;
  /**
   * Where the instance stands.
   */
  'adapter/workflow#wait_result': WorkflowWaitResult;
  /**
   * How one node was resolved.
   */
  'adapter/workflow#trace_entry': TraceEntry;
  /**
   * Continue an instance.
   */
  'adapter/workflow#resume_params': WorkflowResumeParams;
  /**
   * The new instance where an ended one was resumed.
   */
  'adapter/workflow#resume_result': WorkflowResumeResult;
  /**
   * Stop an instance.
   */
  'adapter/workflow#cancel_params': WorkflowCancelParams;
  /**
   * Nothing; the instance ends when what is in flight has ended.
   */
  'adapter/workflow#cancel_result': WorkflowCancelResult;
  /**
   * What to verify. The workflow may be ill-formed: that is a finding, no error.
   */
  'adapter/workflow#verify_params': WorkflowVerifyParams;
  /**
   * What static verification says of one workflow.
   */
  'adapter/workflow#verify_result': VerificationReport;
  /**
   * Which workspace, and for the how-manieth time.
   */
  'adapter/workspace#open_params': WorkspaceOpenParams;
  /**
   * What recovery did; it answers after the recovery decisions.
   */
  'adapter/workspace#open_result': WorkspaceOpenResult;
  /**
   * Nothing.
   */
  'adapter/workspace#close_params': WorkspaceCloseParams;
  /**
   * Nothing.
   */
  'adapter/workspace#close_result': WorkspaceCloseResult;
  /**
   * An agent that a workspace knows: who acts, and how far it is trusted.
   */
  agent: Agent;
  /**
   * How far an agent is trusted.
   */
  'agent#trust': Trust;
  /**
   * One entry of the append-only audit log.
   */
  'audit-record': AuditRecord;
  /**
   * What kind of event the record tells of.
   */
  'audit-record#record_type': RecordType;
  /**
   * The event itself; which values a record_type may have is stated with it.
   */
  'audit-record#status': RecordStatus;
  /**
   * One reason of a gate's decision.
   */
  'audit-record#reason': GateReason;
  /**
   * What a reader without permission sees of a record: the links of the chain, and no content.
   */
  'audit-record#stub': RedactedRecord;
  /**
   * What one run of the compliance suite says about one runtime.
   */
  'compliance-report': ComplianceReport;
  /**
   * The word on a requirement. Only PASS is green.
   */
  'compliance-report#verdict': ComplianceVerdict;
  /**
   * The verdict on one requirement over all properties that judge it.
   */
  'compliance-report#requirement': ComplianceRequirement;
  /**
   * A method that belongs to what the runtime claims and that it does not serve.
   */
  'compliance-report#missing': ComplianceMissing;
  /**
   * What one property found.
   */
  'compliance-report#property': ComplianceProperty;
  /**
   * One violation, with the smallest case that was found for it.
   */
  'compliance-report#failure': ComplianceFailure;
  /**
   * Somebody's word that a risk is accepted: for one start of exactly these documents and inputs by one agent.
   */
  confirmation: Confirmation;
  /**
   * What a start would do, found out without invoking anything: what an approver looks at.
   */
  'dry-run-report': DryRunReport;
  /**
   * What one node would execute, and how risky that is.
   */
  'dry-run-report#node': DryRunNode;
  /**
   * What the nodes of one instance can read, as of one record of the log. It can be rebuilt from the log alone.
   */
  'execution-context': ExecutionContext;
  /**
   * How one node was resolved, and what it left for those after it.
   */
  'execution-context#node': ResolvedNode;
  /**
   * A failure as error. gives it.
   */
  'execution-context#error': NodeError;
  /**
   * What one gate says of one start.
   */
  'gate-result': GateResult;
  /**
   * Says of something by its name that it is in the workspace.
   */
  'index-entry': IndexEntry;
  /**
   * A word of a search.
   */
  'index-entry#keyword': Keyword;
  /**
   * What an agent may do, given by another agent.
   */
  permission: Permission;
  /**
   * A rule of governance about starts. At most one version of a policy is active.
   */
  policy: Policy;
  /**
   * What one recovery found and decided.
   */
  'recovery-report': RecoveryReport;
  /**
   * Actions and workflows that other workflows refer to by name and version range.
   */
  registry: Registry;
  /**
   * A start that is to take place by itself, once or again and again.
   */
  'scheduler-job': SchedulerJob;
  /**
   * State as of one record of the log, immutable once written.
   */
  snapshot: Snapshot;
  /**
   * State: the fold, in sequence order, of the state changes of all committed records.
   */
  state: State;
  /**
   * The name of an entry of State.
   */
  'state#key': StateKey;
  /**
   * The current value of a key, or the mark that it was deleted.
   */
  'state#entry': StateEntry;
  /**
   * One write to one key, applied together with the committed record that carries it.
   */
  'state#state_change': StateChange;
  /**
   * A state change as a committed record carries it.
   */
  'state#recorded_change': RecordedChange;
  /**
   * The version of the specification that the document follows.
   */
  'value#schema_version': SchemaVersion;
  /**
   * SHA-256 over the canonical form (RFC 8785) of a JSON value, or over the bytes of a blob.
   */
  'value#digest': Digest;
  /**
   * RFC 3339 time in UTC with exactly three decimals of a second.
   */
  'value#timestamp': Timestamp;
  /**
   * A duration in milliseconds.
   */
  'value#duration_ms': DurationMs;
  /**
   * An opaque identifier, unique for the life of a workspace.
   */
  'value#execution_id': ExecutionId;
  /**
   * The name of an action, a workflow, an agent, a policy, a permission, an index entry or a job: lower-case words joined by dots, hyphens or underscores are customary.
   */
  'value#identifier': Identifier;
  /**
   * The name of a node, unique in its workflow: 1 to 128 characters, none of . { } $, white space or control characters.
   */
  'value#node_id': NodeId;
  /**
   * The name of an input or an output: usable in a path of a mapping.
   */
  'value#name': Name;
  /**
   * A version in the grammar of Semantic Versioning 2.0.0.
   */
  'value#version': Version;
  /**
   * A name and a version range, written name@range. The highest version of the name that satisfies the range is meant.
   */
  'value#reference': Reference;
  /**
   * An expression in the Common Expression Language, as chapter 5 restricts it.
   */
  'value#expression': Expression;
  /**
   * A JSON value whose strings may hold ${path} references, resolved when the mapping is evaluated.
   */
  'value#mapping': Mapping;
  /**
   * A JSON Schema 2020-12 for an object, with its own $defs and no reference to anything outside itself.
   */
  'value#object_schema': ObjectSchema;
  /**
   * E0 local, E1 network, E2 service, E3 process and timeout, E4 logic, E5 specification.
   */
  'value#error_class': ErrorClass;
  /**
   * Whether the same inputs give the same outcome.
   */
  'value#determinism': Determinism;
  /**
   * How an executed action can be undone.
   */
  'value#rollback_category': RollbackCategory;
  /**
   * A domain of external effects. A remote_server offers an undo call, an external_service offers none.
   */
  'value#side_effect': SideEffect;
  /**
   * The risk of running a node or a whole workflow.
   */
  'value#safety_level': SafetyLevel;
  /**
   * How a node was resolved. A condition's outcome is the label that it took.
   */
  'value#outcome': Outcome;
  /**
   * The result of an invocation that failed.
   */
  'value#error_result': ErrorResult;
  /**
   * What static verification says of one workflow.
   */
  'verification-report': VerificationReport;
  /**
   * A blocking finding makes the verdict FAIL.
   */
  'verification-report#severity': Severity;
  /**
   * A place in a source text. Lines and columns count from 1, columns in UTF-16 code units.
   */
  'verification-report#location': Location;
  /**
   * Another place that helps to understand the finding.
   */
  'verification-report#related': RelatedPlace;
  /**
   * One defect.
   */
  'verification-report#finding': Finding;
  /**
   * The levels of the nodes and of the whole, and the partial-failure zone of every node whose failure can leave an effect.
   */
  'verification-report#safety': Safety;
  /**
   * A level, or UNKNOWN where a definition is missing that could make it higher.
   */
  'verification-report#known_level': KnownLevel;
  /**
   * The level of one node, and what gives it.
   */
  'verification-report#node_safety': NodeSafety;
  /**
   * A source of risk.
   */
  'verification-report#risk_reason': RiskReason;
  /**
   * What can stay behind when one node fails.
   */
  'verification-report#zone': PartialFailureZone;
  /**
   * An effect that stays behind.
   */
  'verification-report#remaining_effect': RemainingEffect;
  /**
   * What became of one rule. not_evaluated is not a pass.
   */
  'verification-report#rule_status': RuleStatus;
  /**
   * How much the findings of verification count in a project. It changes what a verifier reports, never what may start.
   */
  'verifier-config': VerifierConfig;
  /**
   * recommended: the severities of the specification. strict: every finding is an error. minimal: rules that only warn are off.
   */
  'verifier-config#preset': Preset;
  /**
   * How much a finding of a rule counts. Rules that are off are reported as not evaluated.
   */
  'verifier-config#level': Level;
  /**
   * Levels of rules by their identifiers; those that are absent have the level of the preset.
   */
  'verifier-config#rule_levels': RuleLevels;
  /**
   * Levels for the files that a pattern matches.
   */
  'verifier-config#override': LevelOverride;
  /**
   * A static directed acyclic graph of nodes, with the actions that it brings along.
   */
  workflow: Workflow;
  /**
   * One input of a workflow.
   */
  'workflow#input': WorkflowInput;
  /**
   * A directed edge, taken when its source resolves with the outcome that its label names.
   */
  'workflow#edge': Edge;
  /**
   * How several in-edges are joined. Absent means OR.
   */
  'workflow#join_type': JoinType;
  /**
   * Declares that one outcome takes several out-edges together.
   */
  'workflow#fan_out': FanOut;
  /**
   * An object whose values are mappings.
   */
  'workflow#object_mapping': ObjectMapping;
  /**
   * How often and how fast a failed attempt is repeated.
   */
  'workflow#retry_policy': RetryPolicy;
  /**
   * One node of the graph.
   */
  'workflow#node': Node;
  /**
   * Executes an action. Outcomes: success, failure.
   */
  'workflow#action_node': ActionNode;
  /**
   * Chooses one of its out-edges by an expression over recorded values. Outcome: the label that was taken.
   */
  'workflow#condition_node': ConditionNode;
  /**
   * Runs another workflow as a child instance. Outcomes: success, failure.
   */
  'workflow#skill_node': SkillNode;
  /**
   * Handles a failure. Reached by failure edges only. Outcomes: success, failure.
   */
  'workflow#error_node': ErrorNode;
  /**
   * Ends a path of the instance.
   */
  'workflow#terminal_node': TerminalNode;
  /**
   * How a path ended.
   */
  'workflow#terminal_status': TerminalStatus;
  /**
   * The manifest of a workspace: its entry point, at workspace.json in its root.
   */
  workspace: Workspace;
}
