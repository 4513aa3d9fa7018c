import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { SchedulerJob } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { KeptJob } from '../jobs.js';
import type { JobStart } from '../schedule.js';
import { dueAfter } from '../workspace/due-times.js';
import { findModule, loadModule, useModule } from './action-module.js';
import { workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';
import { CLI_AGENT } from './consent.js';
import { messageOf } from './error-text.js';
import { withRuntime } from './instance.js';
import { codeOfInterrupted } from './interrupted.js';
import { byOption, formatOption, printAll, readAll, storedDocuments, withOperator } from './operator.js';
import { withHint, writeLine } from './output.js';
import { demandWorkspace } from './workspace-option.js';

/** How often it is looked how what was started has ended, in milliseconds. */
const LOOK_MS = 500;

const EXAMPLES = `
Examples:
  $ ars registry put close.yaml       the workflow of the job
  $ ars job put nightly.yaml          the job; ars job put --help shows one
  $ ars job run --actions actions.mjs start what is due, as long as this command runs
  $ ars job list

Of due times that passed while nothing ran, ars job run makes up for the latest of each job.
Its exit status is 1 where the last start of a job was refused.`;

const DOCUMENT = `
A job, which is due again and again:
  job_id: nightly
  workflow_id: books.close@1.0.0        # name@version, in the registry
  agent_id: ${CLI_AGENT}
  inputs: { month: May }
  every_ms: 86400000
  from: "2026-03-01T02:00:00.000Z"      # with milliseconds, in UTC

One that is due once has in place of every_ms and from:
  at: "2026-03-01T02:00:00.000Z"`;

const SHOWN = 'a job has job_id, workflow_id, agent_id, and at, or every_ms and from; ars job put --help shows one\n';

/** Returns the sub-command `ars job`. */
export function jobCommand(): Command {
  const job = new Command('job').description('starts that take place by themselves').addHelpText('after', EXAMPLES);
  job
    .command('put')
    .description('keep the scheduled jobs of files; one of the same name is replaced')
    .argument('<files...>', 'jobs in YAML or JSON; - is standard input')
    .addOption(workspaceOption())
    .addOption(byOption())
    .addHelpText('after', DOCUMENT)
    .action(async (files: string[], { workspace, by }: { workspace: string; by: string }) => {
      const jobs = await readAll('scheduler-job', files).catch((error: unknown) => {
        throw error instanceof ArsError && error.code === 'invalid_document' ? withHint(error, SHOWN) : error;
      });
      await withOperator(workspace, async runtime => {
        for (const one of jobs) {
          await runtime.putJob(one, by);
          await writeLine(`${one.job_id} starts ${one.workflow_id}: ${nextOf(one)}`);
        }
      });
    });
  job
    .command('list')
    .description('list the scheduled jobs, and when each is due next')
    .addOption(workspaceOption())
    .addOption(formatOption())
    .action(({ workspace, format }: { workspace: string; format: 'text' | 'json' }) => {
      const jobs = storedDocuments(workspace, 'job', 'scheduler-job', kept => (kept as Partial<KeptJob>).job);
      return printAll(jobs, format, row, 'there is no scheduled job');
    });
  job
    .command('run')
    .description('start what is due, until it is stopped by a signal')
    .option('--actions <file>', 'a module with the code of the actions')
    .addOption(workspaceOption())
    .action(run);
  return job;
}

async function run({ workspace, actions }: { workspace: string; actions?: string }): Promise<void> {
  demandWorkspace(workspace, 'there is no scheduled job in it');
  const found = findModule(actions, undefined);
  const code = { ...(await codeOfInterrupted(workspace)), ...(found && (await loadModule(found))) };
  const running = new Set<string>();
  const told = new Map<string, string>();
  const jobStarted = (start: JobStart) => {
    tellStart(start, told);
    if ('execution_id' in start) running.add(start.execution_id);
  };
  process.exitCode = await withRuntime({ workspace, agent: CLI_AGENT, jobStarted }, code, async runtime => {
    useModule(workspace, found);
    for (const job of runtime.jobs()) process.stderr.write(`${visible(job.job_id)}: ${nextOf(job)}\n`);
    while (running.size > 0 || [...runtime.jobs()].some(job => nextDue(job) !== undefined)) {
      await sleep(LOOK_MS);
      await runtime.startDue();
      for (const execution_id of running) {
        const { status } = await runtime.wait(execution_id, 0);
        if (status === 'running') continue;
        running.delete(execution_id);
        process.stderr.write(`${status} ${execution_id}\n`);
      }
    }
    process.stderr.write('no scheduled job is due any more\n');
    return told.size > 0 ? 1 : 0;
  });
}

/** Tells of a start; of an error that a job had the last time too, only that. `told` keeps what it was. */
export function tellStart(start: JobStart, told: Map<string, string>): void {
  const { job_id, due } = start;
  if ('execution_id' in start) {
    told.delete(job_id);
    process.stdout.write(`${due} ${job_id} ${start.execution_id}\n`);
    return;
  }
  const { error } = start;
  const why = error instanceof ArsError ? `[${error.code}] ${messageOf(error)}` : visible(String(error));
  const what = told.get(job_id) === why ? 'the same again' : why;
  told.set(job_id, why);
  process.stderr.write(`${errorColors().red('error')} ${due} ${visible(job_id)}: ${what}\n`);
}

function nextDue(job: SchedulerJob): string | undefined {
  return job.active === false ? undefined : dueAfter(job, new Date().toISOString());
}

function nextOf(job: SchedulerJob): string {
  const next = nextDue(job);
  if (next !== undefined) return `next at ${next}`;
  return job.active === false ? 'not active' : 'not due any more';
}

function row(job: SchedulerJob): string[] {
  return [job.job_id, job.workflow_id, job.agent_id, nextOf(job)];
}
