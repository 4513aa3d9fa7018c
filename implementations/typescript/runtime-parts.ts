import type { ViewParts } from './agent-view.js';
import { CommitProtocol } from './audit/commit-protocol.js';
import { Journal } from './audit/journal.js';
import type { Log } from './audit/log.js';
import { Definitions } from './definitions.js';
import { ArsError } from './error.js';
import { Abandonment } from './execution/abandonment.js';
import { hostFunctions } from './execution/functions.js';
import { Approvals } from './governance/approvals.js';
import { EvidencePartitions } from './governance/partition.js';
import { IndexEntries } from './index-entries.js';
import { Instances } from './instances.js';
import { Jobs } from './jobs.js';
import { newId } from './new-id.js';
import { instantOf } from './opening.js';
import type { WorkspaceParts } from './recovery.js';
import type { RuntimeOptions } from './runtime-options.js';
import { type JobStart, Schedule } from './schedule.js';
import { readStart, type StartParts, startInstance } from './starts.js';
import { undoInstance } from './undo-instance.js';
import { UndoRequests } from './undo-request.js';
import { Verdicts } from './verdicts.js';

/** What a runtime is made of. */
export interface RuntimeParts extends StartParts, ViewParts {
  readonly undos: UndoRequests;
  /** Absent where due times start nothing in this opening. */
  readonly schedule: Schedule | undefined;
  readonly admission: Admission;
  /** Ends the waiting for invocations in flight. */
  readonly abandonment: Abandonment;
}

/** Lets in the calls that ask for work, until a write to the log has failed or closing has begun. */
export class Admission {
  readonly #journal: Journal;
  #ended = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Throws `storage_failed` and `illegal_state` where no work is taken any more. */
  demand(): void {
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
    if (this.#ended) throw new ArsError('illegal_state', 'The workspace is closed.');
  }

  /** Lets nothing in from here on. */
  end(): void {
    this.#ended = true;
  }
}

/** The parts of a runtime over a log. */
export function assemble(log: Log, options: RuntimeOptions): RuntimeParts {
  const { clock = Date.now, actions = {}, host = hostFunctions(actions), late = () => undefined } = options;
  const abandonment = new Abandonment();
  const journal = new Journal(log, options.fault);
  const protocol = new CommitProtocol({ journal, host, newId, late, abandonment });
  const instances: Instances = new Instances({
    journal,
    protocol,
    newId,
    undoInstance: (execution_id, mayGoOn) => undoInstance(workspace, execution_id, mayGoOn),
  });
  const workspace: WorkspaceParts = { journal, host, protocol, instances, now: () => instantOf(clock) };
  const definitions = new Definitions(journal);
  const approvals = new Approvals(journal);
  const starts: StartParts = { ...workspace, definitions, verdicts: new Verdicts(definitions), approvals };
  const evidencePartitions = new EvidencePartitions(journal);
  const folder = options.log === undefined ? options.workspace : undefined;
  const jobs = new Jobs(journal);
  const { schedule = true, jobStarted = () => undefined } = options;
  return {
    ...starts,
    evidencePartitions,
    index: new IndexEntries({ journal, evidencePartitions, folder }),
    jobs,
    undos: new UndoRequests(workspace),
    schedule: schedule ? scheduleOf(starts, jobs, jobStarted) : undefined,
    admission: new Admission(journal),
    abandonment,
  };
}

function scheduleOf(starts: StartParts, jobs: Jobs, told: (start: JobStart) => void): Schedule {
  const { instances, now } = starts;
  return new Schedule({
    jobs,
    now,
    isStarted: (agent_id, request_key) => instances.isRequested(agent_id, request_key),
    start: (params, denial) => {
      const wanted = readStart('adapter/workflow#start_params', params, starts);
      const { agent_id, request_key } = wanted;
      return instances.once(agent_id, request_key, () => startInstance(starts, { ...wanted, with_denial: [denial] }));
    },
    told,
  });
}
