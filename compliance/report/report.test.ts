import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isValid } from '../../schemas/index.js';
import { consoleReport } from './console.js';
import { background, failedRun, observation } from './failed-run.fixture.js';
import { progressLine } from './progress.js';
import { readReplay } from './replay-file.js';
import { timeline } from './timeline.js';
import { transcriptText } from './transcript-text.js';
import { writeReport } from './write.js';

describe('the report of a run', () => {
  const out = mkdtempSync(join(tmpdir(), 'ars-report-'));
  afterAll(() => rmSync(out, { recursive: true }));

  it('fits its schema and keeps the counts apart', async () => {
    const { report } = await failedRun();
    expect(isValid('compliance-report', report)).toBe(true);
    expect(report.exit_code).toBe(1);
    expect(report.requirements).toMatchObject([
      { requirement: 'AII1', verdict: 'FAIL', planned: 1, reached: 1, passed: 0 },
      { requirement: 'AII3', verdict: 'PASS', planned: 1, reached: 1, passed: 1 },
    ]);
  });

  it('is written with a replay and a transcript for each failure, and without those of an earlier run', async () => {
    const { report, counterexamples } = await failedRun();
    writeReport(out, report, counterexamples);
    writeFileSync(join(out, 'replays', 'stale.json'), '{}');
    writeReport(out, report, counterexamples);
    expect(readdirSync(join(out, 'replays'))).toEqual(['AII1-audit-always.json']);
    expect(readdirSync(join(out, 'transcripts'))).toEqual(['AII1-audit-always.txt']);
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))).toEqual(report);
    const replay = readReplay(join(out, report.failures[0]?.replay ?? ''));
    expect(replay).toMatchObject({ property: 'audit/always', requirement: 'AII1', command: report.command });
  });

  it.each([
    ['a report of verification', { verdict: 'PASS', findings: [] }, 'verdict: PASS'],
    ['nothing, where the case broke off', undefined, 'nothing was seen'],
    ['a run', observation, 'SIGKILL   ends incarnation 1'],
  ])('tells in the transcript what was expected and seen, of %s', async (_what, evidence, seen) => {
    const { counterexamples } = await failedRun();
    const [first] = counterexamples;
    if (first === undefined) throw new Error('nothing failed');
    const text = transcriptText({ ...first, evidence });
    for (const part of ['AII1', 'audit/always', 'twice', 'expected  once', 'observed  ["x1","x4"]', seen])
      expect(text).toContain(part);
  });

  it('has a transcript beside each replay, whatever was seen', async () => {
    const { report, counterexamples } = await failedRun();
    writeReport(
      out,
      report,
      counterexamples.map(one => ({ ...one, evidence: undefined })),
    );
    expect(readdirSync(join(out, 'transcripts'))).toEqual(['AII1-audit-always.txt']);
  });

  it('refuses to write what does not fit', async () => {
    const { report } = await failedRun();
    expect(() => writeReport(out, { ...report, seed: 0.5 }, [])).toThrow(
      expect.objectContaining({ code: 'suite_bug' }),
    );
  });

  it('shows the clause, the case, expected against observed, the kill and the replay command', async () => {
    const { report, counterexamples } = await failedRun();
    const text = consoleReport({
      report,
      counterexamples,
      background,
      out: 'out',
      color: false,
    });
    for (const part of [
      'FAIL AII1',
      'At most one `committed` record.',
      'expected  once',
      'observed  ["x1","x4"]',
      'SIGKILL   ends incarnation 1',
      'ars-compliance replay out/replays/AII1-audit-always.json',
      '1 FAIL, 1 PASS',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('\u001b');
  });

  it('marks a kill where it happened on the line of time', () => {
    const words = timeline(observation).map(line => line.split(' ')[0]);
    expect(words).toEqual(['start', 'invoke', 'SIGKILL', 'invoke', 'wait', 'trace']);
  });
});

describe('readReplay', () => {
  it.each(['', '{', '[]', '{"replay":"1.0"}'])('refuses %j', content => {
    const folder = mkdtempSync(join(tmpdir(), 'ars-replay-'));
    writeFileSync(join(folder, 'r.json'), content);
    expect(() => readReplay(join(folder, 'r.json'))).toThrow(expect.objectContaining({ code: 'usage' }));
    rmSync(folder, { recursive: true });
  });
});

describe('progressLine', () => {
  it('fits the terminal', () => {
    const progress = { properties: 10, done: 5, cases: 100, kills: 7, failed: 1, current: ['audit/a-long-name'] };
    expect(progressLine(progress, 200)).toContain('5/10 properties, 100 cases, 7 kills, 1 failed');
    expect(progressLine(progress, 40).length).toBeLessThan(40);
  });
});
