import { nearest } from '../../schemas/index.js';
import { SuiteError } from '../error.js';
import type { Property } from '../runner/property.js';
import { appendOnly } from './audit/append-only.js';
import { chained } from './audit/chained.js';
import { commits } from './audit/commits.js';
import { compensationHeld } from './audit/compensation-held.js';
import { conflicts } from './audit/conflicts.js';
import { CORE_KILLS } from './audit/core-kills.js';
import { degradedRecovered } from './audit/degraded-recovered.js';
import { doors } from './audit/doors.js';
import { interruptedSinceSnapshot } from './audit/interrupted-since-snapshot.js';
import { KILL_SWEEP } from './audit/kill-sweep.js';
import { portable } from './audit/portable.js';
import { queries } from './audit/queries.js';
import { reconstruction } from './audit/reconstruction.js';
import { recoveryOnRequest } from './audit/recovery-on-request.js';
import { recoveryRepeated } from './audit/recovery-repeated.js';
import { recoveryTable } from './audit/recovery-table.js';
import { told } from './audit/told.js';
import { undoDegraded } from './audit/undo-degraded.js';
import { undoByErrorNode, undoFails, undoKilled, undoRecords, undoRefused } from './audit/undo-records.js';
import { undoRedone } from './audit/undo-redone.js';
import { writeFails } from './audit/write-fails.js';
import { attempts } from './execution/attempts.js';
import { evidence } from './execution/evidence.js';
import { promises } from './execution/promises.js';
import { reads } from './execution/reads.js';
import { timeLimits } from './execution/time-limits.js';
import { uniqueIds } from './execution/unique-ids.js';
import { bypasses } from './governance/bypasses.js';
import { confirmationExpiry } from './governance/confirmation-expiry.js';
import { confirmationsDurable } from './governance/confirmations-durable.js';
import { confirmed } from './governance/confirmed.js';
import { continuations } from './governance/continuations.js';
import { damaged } from './governance/damaged.js';
import { denials } from './governance/denials.js';
import { denied } from './governance/denied.js';
import { gateFirst } from './governance/gate-first.js';
import { gateRecords } from './governance/gate-records.js';
import { granting } from './governance/granting.js';
import { instancesOfOthers } from './governance/instances-of-others.js';
import { keysTogether } from './governance/keys-together.js';
import { onBehalf } from './governance/on-behalf.js';
import { operations } from './governance/operations.js';
import { outside } from './governance/outside.js';
import { partitions } from './governance/partitions.js';
import { permissionExpiry } from './governance/permission-expiry.js';
import { permissions } from './governance/permissions.js';
import { policies } from './governance/policies.js';
import { simulated } from './governance/simulated.js';
import { trust } from './governance/trust.js';
import { trustTogether } from './governance/trust-together.js';
import { unavoidable } from './governance/unavoidable.js';
import { changes } from './state/changes.js';
import { documents } from './state/documents.js';
import { fold } from './state/fold.js';
import { folder } from './state/folder.js';
import { indexEntries } from './state/index-entries.js';
import { owners } from './state/owners.js';
import { restart } from './state/restart.js';
import { bruteForce } from './verification/brute-force.js';
import { gatesTogether } from './verification/gates-together.js';
import { leftOut } from './verification/left-out.js';
import { consistent, replayed } from './verification/log-consistency.js';
import { firstBadLine, readOnly } from './verification/log-reading.js';
import { assumed, PAIR_PROPERTIES } from './verification/pairs.js';
import { phases, whoever } from './verification/phases.js';
import { repaired } from './verification/repaired.js';
import { RISK_LEVELS } from './verification/risk-levels.js';
import { RULE_PROPERTIES } from './verification/rules.js';
import { safetyLevels, zones } from './verification/safety.js';
import { same } from './verification/same.js';
import { several } from './verification/several.js';
import { soundGraphs } from './verification/sound-graphs.js';
import { unchanging } from './verification/unchanging.js';
import { verdicts } from './verification/verdicts.js';
import { acyclic } from './workflow/acyclic.js';
import { andJoin } from './workflow/and-join.js';
import { branch } from './workflow/branch.js';
import { draining, otherBranches, retryIds } from './workflow/branches.js';
import { carriedOutOnce } from './workflow/carried-out-once.js';
import { condition } from './workflow/condition.js';
import { conditionFails } from './workflow/condition-fails.js';
import { conditionPure } from './workflow/condition-pure.js';
import { defaults } from './workflow/defaults.js';
import { definitions, jobs } from './workflow/definitions.js';
import { determinism } from './workflow/determinism.js';
import { doubt } from './workflow/doubt.js';
import { dueTimes } from './workflow/due-times.js';
import { errorFails, errorRetries } from './workflow/error-nodes.js';
import { errorKilled, errorUndoes } from './workflow/error-undoes.js';
import { failures } from './workflow/failures.js';
import { failuresMarking, failuresTogether } from './workflow/failures-together.js';
import { fanOut } from './workflow/fan-out.js';
import { longestWait } from './workflow/longest-wait.js';
import { nodes } from './workflow/nodes.js';
import { orJoin } from './workflow/or-join.js';
import { places } from './workflow/places.js';
import { readBack } from './workflow/read-back.js';
import { refusedGraphs } from './workflow/refused.js';
import { resolution } from './workflow/resolution.js';
import { requestKeys, restarts } from './workflow/restarts.js';
import { resumedChildren } from './workflow/resumed-children.js';
import { retries } from './workflow/retries.js';
import { sequence } from './workflow/sequence.js';
import { skillFailures, skills, skillWorst } from './workflow/skills.js';
import { cancelled, notResumed, resumed } from './workflow/steered.js';
import { stepsLogged } from './workflow/steps-logged.js';
import { terminals } from './workflow/terminals.js';
import { limits, recordedValues, unfitInputs } from './workflow/values.js';

/** Everything that the suite can find out, the slowest first, so that no session is left waiting for it at the end. */
export const PROPERTIES: readonly Property[] = [
  undoKilled,
  undoRedone,
  degradedRecovered,
  ...KILL_SWEEP,
  ...CORE_KILLS,
  recoveryTable,
  conflicts,
  recoveryRepeated,
  recoveryOnRequest,
  told,
  writeFails,
  doors,
  interruptedSinceSnapshot,
  folder,
  restart,
  carriedOutOnce,
  owners,
  reconstruction,
  appendOnly,
  uniqueIds,
  errorKilled,
  determinism,
  errorUndoes,
  readBack,
  errorRetries,
  skills,
  sequence,
  branch,
  fanOut,
  places,
  andJoin,
  orJoin,
  resolution,
  terminals,
  condition,
  conditionPure,
  conditionFails,
  nodes,
  defaults,
  failures,
  failuresTogether,
  failuresMarking,
  retries,
  longestWait,
  doubt,
  stepsLogged,
  errorFails,
  skillFailures,
  skillWorst,
  cancelled,
  resumed,
  resumedChildren,
  notResumed,
  acyclic,
  definitions,
  jobs,
  dueTimes,
  unfitInputs,
  limits,
  recordedValues,
  otherBranches,
  draining,
  retryIds,
  restarts,
  requestKeys,
  refusedGraphs,
  commits,
  undoRecords,
  undoByErrorNode,
  undoRefused,
  undoFails,
  compensationHeld,
  undoDegraded,
  chained,
  queries,
  attempts,
  evidence,
  timeLimits,
  reads,
  ...promises,
  portable,
  changes,
  documents,
  indexEntries,
  simulated,
  fold,
  gateFirst,
  denied,
  confirmationsDurable,
  confirmed,
  confirmationExpiry,
  denials,
  gateRecords,
  permissions,
  policies,
  granting,
  operations,
  partitions,
  instancesOfOthers,
  keysTogether,
  trust,
  trustTogether,
  onBehalf,
  unavoidable,
  bypasses,
  permissionExpiry,
  outside,
  continuations,
  damaged,
  ...RISK_LEVELS,
  safetyLevels,
  zones,
  soundGraphs,
  ...RULE_PROPERTIES,
  ...PAIR_PROPERTIES,
  several,
  assumed,
  leftOut,
  consistent,
  gatesTogether,
  replayed,
  firstBadLine,
  readOnly,
  unchanging,
  phases,
  whoever,
  verdicts,
  repaired,
  same,
  bruteForce,
];

/** Gives the property of an id; throws `usage` where there is none. */
export function findProperty(id: string): Property {
  const property = PROPERTIES.find(candidate => candidate.id === id);
  if (property !== undefined) return property;
  const near = nearest(
    id,
    PROPERTIES.map(known => known.id),
  );
  throw new SuiteError('usage', `no property '${id}'${near === undefined ? '' : `; did you mean '${near}'?`}`);
}
