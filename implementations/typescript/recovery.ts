import type { AuditRecord, RecoveryReport } from '../../schemas/types.js';
import type { CommitProtocol } from './audit/commit-protocol.js';
import type { Execution } from './audit/execution-record.js';
import type { Journal } from './audit/journal.js';
import type { Log } from './audit/log.js';
import { recover } from './audit/recovery.js';
import { ArsError } from './error.js';
import { noCode, withoutCode } from './execution/action-table.js';
import type { ActionHost } from './execution/host.js';
import type { ExecutionPermit } from './execution/permit.js';
import { passContinuation } from './governance/gates.js';
import { askGovernance, continuationOf, type GovernedStart } from './governance/governance-gate.js';
import { standing } from './governance/passage.js';
import type { Instances } from './instances.js';
import { interruptedUndo } from './undo-request.js';
import { recordedExecution } from './workflow/node-execution.js';
import { actionsOf } from './workflow/plan.js';
import type { Replayed } from './workflow/replay.js';
import type { InstanceRun } from './workflow/run.js';

/** What the recovery of a workspace stands on. */
export interface WorkspaceParts {
  readonly journal: Journal;
  readonly host: ActionHost;
  readonly protocol: CommitProtocol;
  readonly instances: Instances;
  /** RFC 3339. */
  readonly now: () => string;
}

/**
 * Decides what earlier incarnations left open, lets their instances go on, and gives the report; null where there was
 * nothing to decide. With `dry_run` nothing is written.
 *
 * An instance that this process has no code for is left as it is, and named by `Instances.aside`.
 *
 * Resolves when all decisions are recorded; redone executions and instances go on after that.
 */
export async function recoverWorkspace(parts: WorkspaceParts, dry_run: boolean): Promise<RecoveryReport | null> {
  const { journal, protocol, instances } = parts;
  for (const id of instances.opened()) setAside(parts, id);
  const permits = new Permits(parts);
  const replays = new Map<string, Replayed>();
  const report = await recover(
    {
      log: journal.log,
      protocol,
      executionOf: pending => executionOf(instances, pending, replays),
      undoOf: pending => loaded(() => interruptedUndo(parts, pending)),
      mayRedo: async ({ owner: { context_id } }) =>
        dry_run ? permits.wouldBeGiven(context_id) : (await permits.of(context_id)) !== undefined,
    },
    { dry_run },
  );
  if (dry_run) return report;
  const reopened = await Promise.all(instances.opened().map(id => reopen(instances, id, permits)));
  if (instances.aside().size > 0) return degraded(report, journal.log.incarnation);
  return reopened.every(done => done) ? report : degraded(report, journal.log.incarnation);
}

/**
 * Lets an instance go on whose executions are no longer in doubt. Throws `not_found` without code, and `denied` where
 * governance does not allow it; the instance then stands as it did.
 */
export async function continueRun({ journal, host, instances, now }: WorkspaceParts, run: InstanceRun): Promise<void> {
  const { head, plan } = run.instance;
  const missing = withoutCode(actionsOf(plan), host);
  if (missing.length > 0) throw noCode(`The instance '${head.execution_id}'`, missing);
  const { execution_id } = head;
  await run.goOn(async () => {
    const start = continuationOf(instances.startOf(execution_id), plan, now());
    const { permit, reasons } = await passContinuation(journal, execution_id, start);
    if (permit === undefined) throw standing(execution_id, reasons);
    return permit;
  });
}

/** The answers of governance in one recovery; it is asked once for each instance. */
class Permits {
  readonly #parts: WorkspaceParts;
  readonly #given = new Map<string, Promise<ExecutionPermit | undefined>>();

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  of(execution_id: string): Promise<ExecutionPermit | undefined> {
    let permit = this.#given.get(execution_id);
    if (permit === undefined) {
      const said = passContinuation(this.#parts.journal, execution_id, this.#continuation(execution_id));
      permit = said.then(({ permit: given }) => given);
      this.#given.set(execution_id, permit);
    }
    return permit;
  }

  /** The answer, where it was asked for. */
  given(execution_id: string): Promise<ExecutionPermit | undefined> | undefined {
    return this.#given.get(execution_id);
  }

  wouldBeGiven(execution_id: string): boolean {
    return askGovernance(this.#parts.journal.log, this.#continuation(execution_id)).decision === 'allowed';
  }

  #continuation(execution_id: string): GovernedStart {
    const { instances, now } = this.#parts;
    const start = instances.startOf(execution_id);
    return continuationOf(start, instances.planOf(start.resolved_digest ?? ''), now());
  }
}

/** Lets an instance that an earlier incarnation left go on, unless it is in doubt; false where it cannot be loaded. */
async function reopen(instances: Instances, execution_id: string, permits: Permits): Promise<boolean> {
  const run = loaded(() => instances.reopen(execution_id));
  if (run === undefined) return false;
  if (run.instance.doubts.size > 0) {
    const permit = await permits.given(execution_id);
    if (permit !== undefined) run.redo(permit);
  } else if (!(await run.goOn(() => permits.of(execution_id)))) await run.wait(Number.POSITIVE_INFINITY);
  return true;
}

/** Sets an instance aside that needs code which is not here; one that only waits for an operator needs none for that. */
function setAside({ instances, host, journal: { log } }: WorkspaceParts, execution_id: string): void {
  const plan = loaded(() => instances.planOf(instances.startOf(execution_id).resolved_digest ?? ''));
  const missing = plan === undefined ? [] : withoutCode(actionsOf(plan), host);
  if (missing.length === 0) return;
  if (!waitsForOperator(log, execution_id)) instances.setAside(execution_id, missing);
}

/** Whether something in the tree of an instance is in doubt and nothing else is open. */
function waitsForOperator(log: Log, context_id: string): boolean {
  let doubts = 0;
  for (const { status } of log.records({ context_id, record_type: 'action', incomplete: true })) {
    if (status !== 'in_doubt') return false;
    doubts += 1;
  }
  return doubts > 0;
}

/** What a node needs of its ancestors was committed before it began, so one replay serves all executions of an instance. */
function executionOf(
  instances: Instances,
  pending: AuditRecord,
  replays: Map<string, Replayed>,
): Execution | undefined {
  const instance_id = pending.parent_execution_id ?? '';
  if (instances.aside().has(pending.context_id)) return undefined;
  return loaded(() => {
    const replayed = replays.get(instance_id) ?? instances.replayed(instance_id);
    replays.set(instance_id, replayed);
    return recordedExecution(replayed.instance, pending);
  });
}

/** What was loaded; undefined where the documents that it needs are missing or damaged. */
function loaded<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch (error) {
    if (error instanceof ArsError && error.code !== 'storage_failed') return undefined;
    throw error;
  }
}

/** The report where an instance cannot go on because its documents cannot be loaded, or its code is not here. */
function degraded(report: RecoveryReport | null, incarnation: number): RecoveryReport {
  if (report?.level === 'FAILED') return report;
  return { schema_version: '1.0', incarnation, decisions: [], in_doubt: [], ...report, level: 'DEGRADED' };
}
