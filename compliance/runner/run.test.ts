import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InitializeResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { type CaseProperty, caseProperty } from './case-property.js';
import { fakeConnection } from './connection.fixture.js';
import type { Property, Subject } from './property.js';
import { runSuite } from './run.js';
import { combine, exitCode, type Verdict } from './verdict.js';
import type { Connection } from './worker.js';

const identity: InitializeResult = {
  runtime: { name: 'fake', version: '1.0.0' },
  spec_version: '1.0',
  capabilities: ['core'],
  durable_scope: 'process',
  fault_points: ['committed'],
};

const connection = (): Connection => fakeConnection(identity);

/** The requirement is that doubling gives an even number; `double` is the runtime. */
function doubling(
  double: (value: number) => number | Promise<number>,
  extra: Partial<CaseProperty<number, number>> = {},
): Property {
  return caseProperty<number, number>({
    id: 'execution/doubling',
    title: 'doubling gives even numbers',
    kind: 'program',
    requirements: ['D1'],
    cases: fc.integer({ min: 0, max: 1000 }),
    control: { title: '2 gives 4', case: 2 },
    twins: [{ requirement: 'D1', title: 'an odd number', tamper: evidence => evidence + 1 }],
    examine: async (_subject: Subject, value) => ({ evidence: await double(value), kills: 0 }),
    judge: (value, evidence) => [
      {
        requirement: 'D1',
        reached: value > 0,
        ...(evidence % 2 === 0 ? {} : { failure: { message: 'odd', expected: value * 2, observed: evidence } }),
      },
    ],
    ...extra,
  });
}

function run(properties: readonly Property[], jobs = 1, seed = 7) {
  return runSuite({ connect: async () => connection(), properties, seed, runs: 20, jobs, shrink_ms: 5_000 });
}

describe('runSuite', () => {
  it('passes what holds, and counts planned, reached and passed apart', async () => {
    const { verdicts, exit } = await run([doubling(value => value * 2)]);
    expect(verdicts[0]?.verdict).toEqual({ verdict: 'PASS' });
    expect(verdicts[0]?.tally.planned).toBe(21);
    expect(verdicts[0]?.tally.passed).toBe(verdicts[0]?.tally.reached);
    expect(exit).toBe(0);
  });

  it('ends every other worker where one cannot start', async () => {
    let [starts, closes] = [0, 0];
    const connect = async () => {
      starts += 1;
      if (starts > 1) throw new SuiteError('adapter_start', 'it starts only once');
      const close = async () => {
        closes += 1;
      };
      return fakeConnection(identity, { close });
    };
    const ran: string[] = [];
    const waits = (id: string): Property => ({
      ...doubling(value => value),
      id,
      run: ({ signal }) =>
        new Promise((_, reject) => {
          ran.push(id);
          signal?.addEventListener('abort', () => reject(new SuiteError('adapter_exit', 'killed')));
        }),
    });
    const properties = ['x/first', 'x/second', 'x/third'].map(waits);
    const running = runSuite({ connect, properties, seed: 1, runs: 1, jobs: 2, shrink_ms: 0 });
    await expect(running).rejects.toMatchObject({ code: 'adapter_start' });
    expect({ ran, closes }).toEqual({ ran: ['x/first'], closes: 1 });
  });

  it('shrinks a failure to the smallest case', async () => {
    const { outcomes, exit } = await run([doubling(value => (value >= 100 ? value * 2 + 1 : value * 2))]);
    expect(outcomes[0]?.counterexamples[0]).toMatchObject({ case: 100, role: 'generated', reproduced: true });
    expect(exit).toBe(1);
  });

  it('draws no smaller cases once there is no time for them', async () => {
    let drawn = 0;
    const cases = fc.array(fc.nat(), { minLength: 50, maxLength: 50 }).map(list => {
      drawn += 1;
      return list.length;
    });
    const properties = [doubling(value => (value === 50 ? 1 : value * 2), { cases })];
    const { outcomes } = await runSuite({
      connect: async () => connection(),
      properties,
      seed: 7,
      runs: 1,
      jobs: 1,
      shrink_ms: 0,
      max_bad: 1,
    });
    expect(outcomes[0]?.counterexamples[0]).toMatchObject({ case: 50, role: 'generated', reproduced: true });
    expect(drawn).toBeLessThan(10);
  });

  it('draws the same cases from the same seed, whatever runs beside', async () => {
    const seen: number[][] = [];
    const watch = () => {
      const mine: number[] = [];
      seen.push(mine);
      return doubling(value => {
        mine.push(value);
        return value * 2;
      });
    };
    await run([watch()]);
    await run([doubling(value => value * 2, { id: 'audit/other' }), watch()], 2);
    await run([watch()], 1, 8);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[2]).not.toEqual(seen[0]);
  });

  it('draws on while a requirement is exercised by few cases, and not where it never is', async () => {
    const by = (divisor: number, hasControl = true) =>
      doubling(value => value * 2, {
        judge: (value, evidence) => [
          {
            requirement: 'D1',
            reached: (value > 0 && value % divisor === 0) || (hasControl && value === 2),
            ...(evidence % 2 === 0 ? {} : { failure: { message: 'odd' } }),
          },
        ],
      });
    const tallies = await Promise.all(
      [by(10), by(5000), by(5000, false)].map(async property => (await run([property])).verdicts[0]?.tally),
    );
    expect(tallies[0]?.planned).toBeGreaterThan(21);
    expect(tallies[0]).toMatchObject({ reached: 6, passed: 6 });
    expect(tallies[1]?.planned).toBe(81);
    expect(tallies[2]?.planned).toBe(21);
  });

  it('counts a twin that did not come out the other way as reached and not passed', async () => {
    const twin = { requirement: 'D1', title: 'another number', case: 4, contrast: () => ({ message: 'the same' }) };
    const tallies = await Promise.all(
      [4, 0].map(async value => {
        const property = doubling(given => given * 2, { twins: [{ ...twin, case: value }] });
        return (await run([property])).verdicts[0];
      }),
    );
    for (const verdict of tallies) {
      expect(verdict?.verdict).toEqual({ verdict: 'FAIL' });
      expect(verdict?.tally.passed).toBe((verdict?.tally.reached ?? 0) - 1);
    }
  });

  it('tells with what words a control was refused that no runtime may refuse', async () => {
    const refusing = doubling(value => value, {
      examine: async () => ({ evidence: 0, kills: 0, refused: true, said: 'no such thing' }),
    });
    const { outcomes, verdicts } = await run([refusing]);
    expect(verdicts[0]).toMatchObject({ verdict: { verdict: 'FAIL' }, tally: { reached: 1, passed: 0 } });
    expect(outcomes[0]?.counterexamples[0]?.failure.observed).toBe('unsupported: "no such thing"');
  });

  it('is inconclusive, not green, where nothing was reached', async () => {
    const { verdicts, exit } = await run([
      doubling(() => 0, { cases: fc.constant(0), control: { title: 'nothing', case: 0 } }),
    ]);
    expect(verdicts[0]?.verdict).toEqual({ verdict: 'INCONCLUSIVE', reason: 'not_reached' });
    expect(exit).toBe(4);
  });

  it('never ends with 0 where nothing was checked', async () => {
    expect((await run([])).exit).toBe(4);
  });

  it('blames itself where the negative twin goes unnoticed', async () => {
    const blind = doubling(value => value * 2, { judge: () => [{ requirement: 'D1', reached: true }] });
    const { verdicts, exit } = await run([blind]);
    expect(verdicts[0]?.verdict.verdict).toBe('HARNESS_ERROR');
    expect(exit).toBe(5);
  });

  it('does not blame itself where the runtime is at fault already', async () => {
    const blind = doubling(value => value * 2, {
      judge: () => [
        { requirement: 'D1', reached: true },
        { requirement: 'D7', reached: true, failure: { message: 'wrong' } },
      ],
    });
    const { verdicts, outcomes, exit } = await run([blind]);
    expect(verdicts.map(({ requirement, verdict }) => [requirement, verdict.verdict])).toEqual([
      ['D1', 'PASS'],
      ['D7', 'FAIL'],
    ]);
    expect(outcomes[0]?.counterexamples).toMatchObject([{ requirement: 'D7', property: 'execution/doubling' }]);
    expect(exit).toBe(1);
  });

  it('tells a violation that nobody was looking for once, and not where somebody was', async () => {
    const meets = { judge: () => [{ requirement: 'D1', reached: true, failure: { message: 'wrong' } }] };
    const chance = { ...meets, requirements: ['D2'], twins: [] };
    const alone = await run([
      doubling(() => 2, { ...chance, id: 'audit/a' }),
      doubling(() => 2, { ...chance, id: 'audit/b' }),
    ]);
    expect(alone.verdicts.map(({ requirement }) => requirement)).toEqual(['D2', 'D1']);
    expect(alone.outcomes.flatMap(outcome => outcome.counterexamples)).toMatchObject([{ property: 'audit/a' }]);
    const both = await run([
      doubling(() => 2, { ...chance, id: 'audit/a' }),
      doubling(() => 2, { ...meets, twins: [] }),
    ]);
    expect(both.outcomes.flatMap(outcome => outcome.counterexamples)).toMatchObject([
      { property: 'execution/doubling' },
    ]);
  });

  it('counts refused starts apart, and fails what has to be served', async () => {
    const refusing = doubling(value => value * 2, {
      cases: fc.integer({ min: 1, max: 1000 }),
      examine: async (_subject, value) => ({ evidence: value * 2, kills: 0, refused: value % 2 === 1 }),
    });
    const some = await run([refusing]);
    expect(some.verdicts[0]?.verdict).toEqual({ verdict: 'PASS' });
    const { refused = 0, cases = 0 } = some.outcomes[0] ?? {};
    expect(refused).toBeGreaterThan(0);
    expect(some.verdicts[0]?.tally.reached).toBe(cases - refused);
    const all = await run([
      doubling(value => value, { examine: async (_subject, value) => ({ evidence: value, kills: 0, refused: true }) }),
    ]);
    expect(all.outcomes[0]?.counterexamples[0]?.failure).toMatchObject({ observed: 'unsupported' });
    expect(all.exit).toBe(1);
  });

  it('tells a method that is not served once, and judges nothing by its want', async () => {
    const unsupported = new SuiteError('request_failed', 'no', {
      details: { kind: 'unsupported', method: 'registry/put' },
    });
    const needy = (id: 'audit/a' | 'audit/b', requirement: string) =>
      doubling(() => Promise.reject(unsupported), { id, requirements: [requirement], twins: [] });
    const { verdicts, missing, exit } = await run([needy('audit/a', 'D1'), needy('audit/b', 'D2')]);
    expect(missing).toEqual([{ method: 'registry/put', capability: 'core', how: 'unsupported' }]);
    for (const { verdict } of verdicts) expect(verdict).toEqual({ verdict: 'INCONCLUSIVE', reason: 'unserved' });
    expect(exit).toBe(1);
  });

  it('is inconclusive where hardly any case was reached', async () => {
    const judge = (value: number) => [{ requirement: 'D1', reached: value === 2 }];
    const cases = fc.integer({ min: 3, max: 1000 });
    const { verdicts, exit } = await run([doubling(value => value, { judge, cases, twins: [] })]);
    expect(verdicts[0]).toMatchObject({ verdict: { verdict: 'INCONCLUSIVE', reason: 'thin' }, tally: { planned: 81 } });
    expect(exit).toBe(4);
  });

  it('fails a twin that comes out like its control', async () => {
    const property = doubling(value => value * 2, {
      twins: [
        {
          requirement: 'D1',
          title: 'another number gives another result',
          case: 2,
          contrast: (control, twin) => (control === twin ? { message: 'no difference' } : undefined),
        },
      ],
    });
    const { outcomes } = await run([property]);
    expect(outcomes[0]?.counterexamples[0]).toMatchObject({
      role: 'twin',
      failure: { message: expect.stringMatching(/^twin \(.*\): no difference$/) },
    });
  });

  it.each([
    ['timeout', { verdict: 'INCONCLUSIVE', reason: 'timeout' }, 4],
    ['protocol', { verdict: 'INCONCLUSIVE', reason: 'protocol' }, 3],
    ['adapter_exit', { verdict: 'INCONCLUSIVE', reason: 'adapter_exit' }, 3],
    ['request_failed', { verdict: 'FAIL' }, 1],
    ['suite_bug', { verdict: 'HARNESS_ERROR', reason: 'broken' }, 5],
  ] as const)('sorts the error %s', async (code, verdict, exit) => {
    const result = await run([doubling(() => Promise.reject(new SuiteError(code, 'broken')))]);
    expect(result.verdicts[0]?.verdict).toEqual(verdict);
    expect(result.exit).toBe(exit);
  });

  it('leaves out what the runtime does not claim, visibly', async () => {
    const { verdicts } = await run([
      doubling(value => value * 2, { capabilities: ['state'] }),
      doubling(value => value * 2, { requirements: ['D2'], points: ['compensating'] }),
    ]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([
      { verdict: 'NOT_APPLICABLE', capability: 'state' },
      { verdict: 'NOT_APPLICABLE', capability: 'fault_point' },
    ]);
  });

  it('stops at an abort and says so', async () => {
    const controller = new AbortController();
    const property = doubling(value => {
      controller.abort();
      return value * 2;
    });
    const result = await runSuite({
      connect: async () => connection(),
      properties: [property],
      seed: 1,
      runs: 20,
      jobs: 1,
      shrink_ms: 100,
      signal: controller.signal,
    });
    expect(result).toMatchObject({ interrupted: true, exit: 130 });
    expect(result.verdicts[0]?.verdict).toEqual({ verdict: 'INCONCLUSIVE', reason: 'stopped' });
  });
});

describe('verdicts', () => {
  const pass: Verdict = { verdict: 'PASS' };
  const absent: Verdict = { verdict: 'NOT_APPLICABLE', capability: 'state' };

  it('weighs a failure over everything and a property that does not apply under everything', () => {
    expect(combine([pass, { verdict: 'FAIL' }, { verdict: 'HARNESS_ERROR', reason: 'x' }])).toEqual({
      verdict: 'FAIL',
    });
    expect(combine([absent, pass])).toEqual(pass);
    expect(combine([pass, { verdict: 'INCONCLUSIVE', reason: 'not_reached' }]).verdict).toBe('INCONCLUSIVE');
  });

  it('does not conform by not applying', () => {
    expect(exitCode([absent])).toBe(4);
    expect(exitCode([absent, pass])).toBe(0);
  });
});
