import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdapterProcess } from './harness/process.js';
import { Session } from './harness/session.js';
import { type Compiled, compile } from './harness/testing/compiled.js';
import { findProperty } from './properties/index.js';
import { packageRoot } from './runner/package.js';
import { type Run, runSuite } from './runner/run.js';

let compiled: Compiled;

beforeAll(() => {
  compiled = compile(['compliance', 'implementations/typescript']);
  compiled.write('package.json', readFileSync(`${packageRoot()}/package.json`, 'utf8'));
});
afterAll(() => compiled.remove());

/** A run against the reference runtime with somebody between it and the suite. */
async function against(vice: string, properties: readonly string[], scale = 0.4): Promise<Run> {
  const args = [compiled.path('compliance/harness/testing/enemy.ts'), process.execPath];
  const adapter = compiled.path('implementations/typescript/adapter.ts');
  const command = { command: process.execPath, args: [...args, adapter], env: { ENEMY: vice } };
  const run = await runSuite({
    connect: () => Session.start(command, { scale, spare: true }),
    properties: properties.map(findProperty),
    seed: 1,
    runs: 1,
    jobs: 1,
    shrink_ms: 0,
    max_bad: 1,
  });
  // What the kill of their group ends is gone a moment later.
  await expect.poll(() => spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout).not.toContain(adapter);
  return run;
}

const red = ({ verdicts }: Run) =>
  verdicts.filter(({ verdict }) => verdict.verdict === 'FAIL').map(({ requirement }) => requirement);

describe('an adapter that lies', () => {
  it.each([
    ['claims', 'workflow/nodes', 'AN1'],
    ['invokes-twice', 'workflow/nodes', 'AN5'],
    ['cache', 'audit/core-kill-inside', 'AN1'],
    ['old-ids', 'execution/unique-ids', 'EX1'],
    ['stale', 'workflow/nodes', 'CF7'],
    ['trace', 'workflow/nodes', 'AN2'],
    ['tail', 'audit/core-kill-after', 'CC3'],
    ['bad-hash', 'audit/chained', 'AW6'],
    ['internal|workflow/start', 'workflow/sequence', 'CF7'],
  ])('is convicted: %s', async (vice, property, requirement) => {
    const run = await against(vice, [property]);
    expect(red(run)).toContain(requirement);
    expect(run.exit).toBe(1);
  });
});

describe('an adapter that keeps not to the wire', () => {
  it.each(['twice', 'utf8', 'exit|workspace/close', 'die|workflow/start', 'exit|registry/remove'])(
    'ends the run with 3: %s',
    async vice => {
      const run = await against(vice, ['workflow/sequence']);
      expect(red(run)).toEqual([]);
      expect(run.exit).toBe(3);
    },
  );

  it.each(['both', 'string-ids', 'deaf', 'spec', 'hang|initialize', 'slow|initialize'])(
    'does not get past initialize: %s',
    async vice => {
      await expect(against(vice, ['workflow/sequence'], 0.1)).rejects.toMatchObject({
        code: expect.stringMatching(/^(adapter_start|protocol)$/),
      });
    },
  );

  it.each([
    ['deep|workflow/wait', 'workflow/sequence', 'nested more than 1000 levels'],
    ['deep-invoke', 'verification/replayed', 'more than 1000 levels'],
    ['export|numbers', 'verification/replayed', 'does not fit its schema'],
    ['export|scalars', 'workflow/sequence', 'no JSON object'],
    ['endless', 'workflow/sequence', 'comes to no end'],
  ])('ends the run with what it did: %s', async (vice, property, told) => {
    const run = await against(vice, [property]);
    expect(run.outcomes[0]?.notes.join(' ')).toContain(told);
    expect([1, 3]).toContain(run.exit);
  });

  it('is left open where it is silent', async () => {
    const run = await against('hang|workspace/open', ['workflow/sequence'], 0.3);
    expect(run.exit).toBe(4);
  });

  it.each(['garbage', 'flood'])('is quoted and judged all the same: %s', async vice => {
    const run = await against(vice, ['workflow/sequence']);
    expect(run.exit).toBe(0);
    expect(run.outcomes[0]?.notes).toContainEqual(expect.stringContaining('no JSON-RPC message'));
  });

  it('keeps nobody waiting with what it has left behind', async () => {
    const pipes = () => process.getActiveResourcesInfo().filter(name => name === 'PipeWrap').length;
    const before = pipes();
    const adapter = compiled.path('implementations/typescript/adapter.ts');
    const args = [compiled.path('compliance/harness/testing/enemy.ts'), process.execPath, adapter];
    const child = await AdapterProcess.start(
      { command: process.execPath, args, env: { ENEMY: 'leaves' } },
      { requests: {} },
    );
    await child.peer.request('initialize', { protocol: '1.0', suite_version: '0' }, { budget_ms: 10_000 });
    await child.kill();
    expect(pipes()).toBeLessThanOrEqual(before);
  });

  it.each([
    ['unsupported|registry/put', 'registry/put', 'core'],
    ['unsupported|audit/export', 'audit/export', 'audit'],
  ] as const)('is told once what it does not serve: %s', async (vice, method, capability) => {
    const run = await against(vice, ['workflow/sequence']);
    expect(run.missing).toEqual([{ method, capability, how: 'unsupported' }]);
    expect(red(run)).toEqual([]);
    expect(run.exit).toBe(1);
  });
});

it('crashes are judged by the ledger alone where there is neither log nor fault point', async () => {
  const judged = async (source: string) => {
    const command = { command: process.execPath, args: [compiled.path(source)] };
    const { verdicts } = await runSuite({
      connect: () => Session.start(command),
      properties: [findProperty('audit/core-kill-inside')],
      seed: 1,
      runs: 1,
      jobs: 1,
      shrink_ms: 0,
    });
    return verdicts.find(({ requirement }) => requirement === 'IR5')?.verdict.verdict;
  };
  expect(await judged('compliance/harness/testing/durable-adapter.ts')).not.toBe('NOT_APPLICABLE');
  expect(await judged('compliance/adapter/example/core-adapter.ts')).toBe('FAIL');
});
