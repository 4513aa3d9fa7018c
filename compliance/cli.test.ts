import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isValid } from '../schemas/index.js';
import type { ComplianceReport } from '../schemas/types.js';
import { type Compiled, compile } from './harness/testing/compiled.js';
import { findMutant } from './mutants/index.js';
import { planted } from './mutants/planted.js';
import { packageRoot } from './runner/package.js';

const out = mkdtempSync(join(tmpdir(), 'ars-cli-'));
let compiled: Compiled;
let reference: string[];
let faulty: string[];

beforeAll(() => {
  compiled = compile(['compliance', 'implementations/typescript']);
  compiled.write('package.json', readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  reference = [process.execPath, compiled.path('implementations/typescript/adapter.ts')];
  faulty = [process.execPath, planted(findMutant('and-as-or'), compiled.path('')).adapter];
});

afterAll(() => {
  compiled.remove();
  rmSync(out, { recursive: true });
});

function cli(args: readonly string[]) {
  const started = spawnSync(process.execPath, [compiled.path('compliance/cli.ts'), ...args], {
    cwd: out,
    encoding: 'utf8',
  });
  return { code: started.status, stdout: started.stdout, stderr: started.stderr };
}

function report(folder: string): ComplianceReport {
  return JSON.parse(readFileSync(join(out, folder, 'report.json'), 'utf8')) as ComplianceReport;
}

describe('ars-compliance', () => {
  it('ends with 3 where the adapter does not start', () => {
    expect(cli(['run', '--', join(out, 'no-such-program')]).code).toBe(3);
    expect(cli(['run', '--', process.execPath, '-e', 'process.exit(7)']).code).toBe(3);
  });

  it('ends with 0 for the reference runtime, with a report that does not depend on the number of jobs', () => {
    const run = (jobs: string) => {
      const args = ['run', '--req', 'CF4,CC1,S2', '--runs', '3', '--jobs', jobs, '--out', `jobs-${jobs}`, '--'];
      const { code, stdout } = cli([...args, ...reference]);
      expect(stdout).toContain('The runtime conforms');
      expect(code).toBe(0);
      const document = report(`jobs-${jobs}`);
      expect(isValid('compliance-report', document)).toBe(true);
      return document.requirements;
    };
    const requirements = run('1');
    expect(requirements.map(({ requirement }) => requirement).sort()).toEqual(['CC1', 'CF4', 'S2']);
    for (const { reached } of requirements) expect(reached).toBeGreaterThan(0);
    expect(run('2')).toEqual(requirements);
  });

  it('ends with 1 for a faulty runtime, and its replay tells the faulty from the sound one', () => {
    const { code, stdout } = cli(['run', '--req', 'CF4', '--runs', '5', '--out', 'faulty', '--', ...faulty]);
    expect(code).toBe(1);
    expect(stdout).toContain('FAIL CF4');
    const replay = join('faulty', report('faulty').failures[0]?.replay ?? '');
    expect(cli(['replay', replay]).code).toBe(1);
    expect(cli(['replay', replay, '--', ...reference]).code).toBe(0);
    const recorded = JSON.parse(readFileSync(join(out, replay), 'utf8')) as { case: unknown };
    for (const [index, broken] of [5, null, {}, { ...(recorded.case as object), workflow: { nodes: 5 } }].entries()) {
      const file = `broken-${index}.json`;
      writeFileSync(join(out, file), JSON.stringify({ ...recorded, role: 'generated', case: broken }));
      const { code, stdout } = cli(['replay', file, '--', ...reference]);
      expect([code, stdout]).toEqual([2, expect.stringContaining('cannot be run')]);
    }
  });

  it('keeps the case at which two runtimes disagree, and replays it by both, or by the first and another', () => {
    const [a, b] = [reference, faulty].map(words => words.join(' ')) as [string, string];
    const { code, stdout } = cli(['diff', '--a', a, '--b', b, '--runs', '60', '--out', 'parted']);
    const file = join('parted', 'replays', 'diff-programs.json');
    expect([code, stdout]).toEqual([1, expect.stringContaining(`replay: ars-compliance replay ${file}`)]);
    const again = cli(['replay', file]);
    expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('They disagree.')]);
    const same = cli(['replay', file, '--', ...reference]);
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('They agree.')]);
    const kept = JSON.parse(readFileSync(join(out, file), 'utf8')) as object;
    writeFileSync(join(out, 'unknown.json'), JSON.stringify({ ...kept, comparison: 'nothing' }));
    expect(cli(['replay', 'unknown.json']).code).toBe(2);
    for (const broken of [null, 5, {}]) {
      writeFileSync(join(out, 'damaged.json'), JSON.stringify({ ...kept, case: broken }));
      const { code, stderr } = cli(['replay', 'damaged.json']);
      expect([code, stderr]).toEqual([2, expect.stringContaining("the case of 'damaged.json' cannot be run")]);
    }
  });

  it('ends with 130 at SIGINT, with a report that says so and no process left', async () => {
    const args = ['run', '--req', 'AII1', '--runs', '500', '--out', 'broken-off', '--', ...reference];
    const child = spawn(process.execPath, [compiled.path('compliance/cli.ts'), ...args], { cwd: out });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
    });
    setTimeout(() => child.kill('SIGINT'), 4_000);
    const code = await new Promise(resolve => child.on('exit', resolve));
    expect(code).toBe(130);
    expect(stdout).toContain('The run was broken off');
    const processes = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    expect(processes).not.toContain(reference[1]);
    expect(report('broken-off')).toMatchObject({ interrupted: true, exit_code: 130 });
  });
});
