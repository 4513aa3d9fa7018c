import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { SchedulerJob } from '../../schemas/types.js';
import { killAt, MemoryWorkspace } from './audit/memory-log.fixture.js';
import { ArsError } from './error.js';
import { Jobs } from './jobs.js';
import { end, run, World, workflowOf } from './nodes.fixture.js';
import { OWNER, Runtime, type RuntimeOptions } from './runtime.js';
import type { JobStart } from './schedule.js';

const workflow = workflowOf([run('a', 'pure'), end('z')], ['a -success-> z']);
const START = Date.parse('2026-03-01T12:00:00.000Z');
const time = (ms: number) => new Date(START + ms).toISOString();
const daily: SchedulerJob = {
  job_id: 'j',
  workflow_id: 'w@1.0.0',
  agent_id: OWNER,
  every_ms: 10_000,
  from: time(10_000),
};

let memory: MemoryWorkspace;
let now: number;
let told: JobStart[];

beforeEach(() => {
  memory = new MemoryWorkspace();
  now = START;
  told = [];
});

async function open(more: Partial<RuntimeOptions> = {}, fault?: RuntimeOptions['fault']): Promise<Runtime> {
  const parts = { log: memory.open(fault), host: new World({}), ...(fault === undefined ? {} : { fault }), ...more };
  return Runtime.open({ workspace: '', clock: () => now, jobStarted: start => told.push(start), ...parts });
}

async function opened(job = daily): Promise<Runtime> {
  const runtime = await open();
  await runtime.putRegistry({ workflows: [workflow] });
  await runtime.putJob(job, OWNER);
  return runtime;
}

async function at(runtime: Runtime, ms: number): Promise<void> {
  now = START + ms;
  await runtime.startDue();
}

const keys = () => memory.records.flatMap(({ request_key }) => request_key ?? []);
const denials = () => memory.records.filter(({ status }) => status === 'denied').length;

describe('a scheduled job', () => {
  it('starts its workflow at each due time, once', async () => {
    const runtime = await opened();
    await at(runtime, 9_999);
    expect(keys()).toEqual([]);
    for (const ms of [10_000, 10_001, 20_500, 19_000, 20_500]) await at(runtime, ms);
    expect(keys()).toEqual([`j/${time(10_000)}`, `j/${time(20_000)}`]);
    for (const start of told)
      expect('execution_id' in start && (await runtime.wait(start.execution_id, 5_000)).status).toBe('completed');
    await runtime.close();
  });

  it('is started by the time that passes, without anybody asking', async () => {
    let tell = (_start: JobStart) => {};
    const started = new Promise<JobStart>(resolve => {
      tell = resolve;
    });
    const runtime = await open({ clock: Date.now, jobStarted: tell });
    await runtime.putRegistry({ workflows: [workflow] });
    const due = new Date(Date.now() + 50).toISOString();
    await runtime.putJob({ job_id: 'soon', workflow_id: 'w@1.0.0', agent_id: OWNER, at: due }, OWNER);
    expect(await started).toMatchObject({ job_id: 'soon', due, execution_id: expect.any(String) });
    await runtime.close();
  });

  it('makes up for the latest due time that passed while the workspace was closed', async () => {
    await (await opened()).close();
    now = START + 47_000;
    await (await open({ schedule: false })).close();
    expect(keys()).toEqual([]);
    await (await open()).close();
    await (await open()).close();
    expect(keys()).toEqual([`j/${time(40_000)}`]);
  });

  it('does not make up for what was due before it was put or replaced', async () => {
    now = START + 25_000;
    const runtime = await opened();
    await runtime.close();
    await (await open()).close();
    expect(keys()).toEqual([]);
  });

  it.each(['gate_allowed', 'pending_durable', 'committing'] as const)(
    'gives one instance across a kill at %s',
    async point => {
      await (await opened()).close();
      now = START + 12_000;
      const killed = await open({}, killAt(point, 1)).catch(() => undefined);
      await killed?.close();
      const runtime = await open();
      const started = memory.records.filter(({ status }) => status === 'workflow_started');
      expect(started.map(({ request_key }) => request_key)).toEqual([`j/${time(10_000)}`]);
      expect((await runtime.wait(started[0]?.execution_id ?? '', 5_000)).status).toBe('completed');
      await runtime.close();
    },
  );

  it('keeps time whatever its listener does, and tells of a job that cannot be read any more', async () => {
    const runtime = await open({
      jobStarted: start => {
        told.push(start);
        throw new Error('no');
      },
    });
    await runtime.putRegistry({ workflows: [workflow] });
    await runtime.putJob(daily, OWNER);
    await at(runtime, 10_000);
    expect(keys()).toEqual([`j/${time(10_000)}`]);
    const read = vi.spyOn(Jobs.prototype, 'get').mockImplementation(() => {
      throw new ArsError('log_corrupt', 'damaged');
    });
    await at(runtime, 20_000);
    read.mockRestore();
    expect(told.at(-1)).toMatchObject({ job_id: 'j', due: time(20_000), error: { code: 'log_corrupt' } });
    await runtime.close();
  });

  it('is denied once for a due time, also where the workspace is opened again', async () => {
    const runtime = await opened({ ...daily, agent_id: 'nobody' });
    await at(runtime, 10_000);
    expect(told).toMatchObject([{ job_id: 'j', error: { code: 'denied' } }]);
    await runtime.close();
    await (await open()).close();
    expect(denials()).toBe(1);
    now = START + 20_000;
    await (await open()).close();
    expect(denials()).toBe(2);
  });

  it('starts nothing while it is not active, and becomes so with its workflow', async () => {
    const runtime = await opened({ ...daily, active: false });
    await at(runtime, 10_001);
    await runtime.putJob(daily, OWNER);
    await runtime.removeRegistry({ workflows: ['w@1.0.0'] });
    expect(runtime.job('j')).toEqual({ ...daily, active: false });
    await at(runtime, 20_000);
    await runtime.close();
    now = START + 30_000;
    const again = await open();
    expect([...again.jobs()]).toEqual([{ ...daily, active: false }]);
    expect(keys()).toEqual([]);
    await again.close();
  });

  it('is refused without its workflow, without permission, and with a form that is none', async () => {
    const runtime = await open();
    await expect(runtime.putJob(daily, OWNER)).rejects.toMatchObject({ code: 'not_found' });
    await runtime.putRegistry({ workflows: [workflow] });
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    await expect(runtime.putJob(daily, 'ada')).rejects.toMatchObject({ code: 'denied' });
    await expect(runtime.putJob({ ...daily, at: time(0) }, OWNER)).rejects.toMatchObject({ code: 'invalid_document' });
    expect(() => runtime.job('j')).toThrow(expect.objectContaining({ code: 'not_found' }));
    await runtime.putJob({ ...daily, agent_id: 'ada' }, OWNER);
    expect(runtime.readAs('ada').job('j').agent_id).toBe('ada');
    await runtime.putJob(daily, OWNER);
    expect(() => runtime.readAs('ada').job('j')).toThrow(expect.objectContaining({ code: 'denied' }));
    await runtime.close();
  });
});
