import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, one, pure, runtimeOfTests } from './opened.fixture.js';
import { OWNER, Runtime, type RuntimeOptions } from './runtime.js';

const at = runtimeOfTests();

describe('opening', () => {
  it('refuses an option that is none, and makes no workspace', async () => {
    const workspace = join(tmpdir(), `ars-opening-${process.pid}`);
    const options = { workspace, action: {} } as RuntimeOptions;
    expect(await codeOf(Runtime.open(options))).toBe('usage');
    expect(await codeOf(Runtime.previewRecovery(options))).toBe('usage');
    expect(existsSync(workspace)).toBe(false);
  });
});

describe('a clock', () => {
  it('may go backwards, but has to tell a time', async () => {
    let now = Date.now();
    await at.open({ pure: () => ({ outputs: {} }) }, { clock: () => (now -= 10_000) });
    expect((await at.run(one())).status).toBe('completed');
    const times = [...at.runtime.records()].map(record => record.timestamp);
    expect(times).toEqual(times.toSorted());
    await at.runtime.close();
    let broken = false;
    await at.open({ pure: () => ({ outputs: {} }) }, { clock: () => (broken ? Number.NaN : now) });
    broken = true;
    expect(await codeOf(at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER }))).toBe('usage');
  });

  it('has to tell a time that a timestamp can say, before a workspace is made with it', async () => {
    const workspace = join(tmpdir(), `ars-no-year-${process.pid}`);
    const options = { workspace, actions: {} };
    for (const time of [Date.UTC(-1, 0), Date.UTC(10_000, 0)])
      expect(await codeOf(Runtime.open({ ...options, clock: () => time }))).toBe('usage');
    const runtime = await Runtime.open(options);
    await runtime.close();
    rmSync(workspace, { recursive: true });
  });
});

describe('the registry', () => {
  it('is durable, never changes a version, and is not needed by what runs', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    await at.runtime.putRegistry({ actions: [pure] });
    await at.runtime.putRegistry({ actions: [pure] });
    expect(await codeOf(at.runtime.putRegistry({ actions: [{ ...pure, idempotent: false }] }))).toBe('conflict');
    await at.runtime.close();
    await at.open({ pure: () => ({ outputs: {} }) });
    expect((await at.run(one({}, { actions: [] }))).status).toBe('completed');
    await at.runtime.removeRegistry({ actions: ['pure@1.0.0'] });
    expect(await codeOf(at.run(one({}, { actions: [] })))).toBe('denied');
  });
});
