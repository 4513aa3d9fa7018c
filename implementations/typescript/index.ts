/** What an application imports: the reference runtime, verification, and the errors of both. */
export type * from '../../schemas/types.js';
export type { AgentView } from './agent-view.js';
export type { RecordListener } from './audit/journal.js';
export type { LinkedRecord, RecordFacts } from './audit/linked-record.js';
export type {
  DocumentKind,
  DocumentName,
  Head,
  Log,
  RecordDraft,
  RecordQuery,
  Step,
  StoredDocument,
} from './audit/log.js';
export type { Reconstruction, ReconstructionOptions } from './audit/reconstruction.js';
export type { BuiltinActions } from './builtin/builtin.js';
export { type FileOptions, fileActions } from './builtin/files.js';
export { type HttpOptions, httpActions } from './builtin/http.js';
export { type ProcessOptions, processActions } from './builtin/process.js';
export { ArsError, ERROR_CODES, ERROR_MEANINGS, type ErrorCode, type ErrorMeaning } from './error.js';
export type { EventQuery } from './events.js';
export type {
  ActionAnswer,
  ActionCall,
  ActionFunction,
  ActionFunctions,
  ProbedAction,
  ProbeFunction,
} from './execution/functions.js';
export type { ActionHost, Clock, FaultHook } from './execution/host.js';
export type { RiskCause } from './governance/safety.js';
export { OWNER, Runtime, type RuntimeOptions } from './runtime.js';
export type { JobStart } from './schedule.js';
export type { Simulation } from './starts.js';
export { verify } from './verification/index.js';
export type { Difference, ReplayReport, ReplayResult } from './verification/replay/index.js';
export type { Disagreement } from './verification/replay/judge.js';
export { readWorkflow } from './workflow-file.js';
