import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CYCLIC, folderOf, GOOD, UNDECLARED } from './verify.fixture.js';

const main = resolve(import.meta.dirname, '../../../dist/implementations/typescript/cli/main.js');
const folder = folderOf({
  'good.yaml': GOOD,
  'cyclic.yaml': CYCLIC,
  'undeclared.yaml': UNDECLARED,
  'large.json': JSON.stringify({
    schema_version: '1.0',
    workflow: { name: 'large', version: '1.0.0' },
    nodes: Array.from({ length: 3000 }, (_, at) => ({ node_id: `n${at}`, type: 'terminal', status: 'completed' })),
    edges: Array.from({ length: 3000 }, (_, at) => ({ from_node: `n${at}`, to_node: 'none', label: 'success' })),
  }),
});

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}
function ars(args: string[], { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {}): Ended {
  const { NO_COLOR: _, FORCE_COLOR: __, ...rest } = process.env;
  return spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...rest, ...env },
    input,
    maxBuffer: 2 ** 26,
  });
}

describe('the process of ars verify', () => {
  it.each([
    ['0 without errors', ['verify', 'good.yaml', 'undeclared.yaml'], 0],
    ['1 with an error', ['verify', 'good.yaml', 'cyclic.yaml'], 1],
    ['1 with too many warnings', ['verify', 'undeclared.yaml', '--max-warnings', '0'], 1],
    ['2 without files', ['verify'], 2],
    ['2 for a file that is not there, errors or not', ['verify', 'none.yaml', 'cyclic.yaml'], 2],
    ['2 for an unknown rule', ['verify', 'good.yaml', '--rule', 'S71'], 2],
    ['2 for an unknown rule that is left out', ['verify', 'good.yaml', '--skip-rule', 'S1,T2'], 2],
    ['2 for SCHEMA, which cannot be left out', ['verify', 'good.yaml', '--skip-rule', 'SCHEMA'], 2],
    ['2 for an unknown format', ['verify', 'good.yaml', '--format', 'sarfi'], 2],
    ['2 for two formats on one stream', ['verify', 'good.yaml', '--format', 'json', '--format', 'text'], 2],
    ['2 for an unknown option', ['verify', 'good.yaml', '--rules', 'S1'], 2],
    ['0 for help', ['verify', '--help'], 0],
  ])('ends with %s', (_, args, status) => {
    expect(ars(args).status).toBe(status);
  });

  it.runIf(process.platform === 'linux')('ends with 1 and the reason where what it prints cannot be written', () => {
    const full = openSync('/dev/full', 'w');
    for (const args of [
      ['verify', 'good.yaml'],
      ['explain', 'S1'],
      ['audit', '--help'],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
      });
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^error \[storage_failed\] cannot write .*the disk is full.*\n$/),
      ]);
    }
    closeSync(full);
  });

  it('suggests what was meant', () => {
    expect(ars(['verify', 'good.yaml', '--rule', 'SS5']).stderr).toMatch(
      /There is no rule "SS5"\. Did you mean S1?5\?/,
    );
    expect(ars(['verify', 'good.yaml', '--format', 'sarfi']).stderr).toContain('Did you mean sarif?');
  });

  it('prints reports on stdout and what is unreadable on stderr', () => {
    const { stdout, stderr } = ars(['verify', 'none.yaml', 'cyclic.yaml']);
    expect(stderr).toBe('ars verify: Cannot read none.yaml: there is no such file\n');
    expect(stdout).toMatch(/^cyclic\.yaml:11:5 error S1/);
  });

  it('reads standard input', () => {
    const { status, stdout } = ars(['verify', '-'], { input: `${GOOD}---\n${CYCLIC}` });
    expect(status).toBe(1);
    expect(stdout).toContain('2 documents, 1 error');
  });

  it('colours only where it is wanted', () => {
    const args = ['verify', 'cyclic.yaml'];
    const isColored = (ended: Ended): boolean => ended.stdout.includes('\u001b[');
    expect(isColored(ars(args))).toBe(false);
    expect(isColored(ars(args, { env: { CI: 'true' } }))).toBe(false);
    expect(isColored(ars(args, { env: { FORCE_COLOR: '1' } }))).toBe(true);
    expect(isColored(ars([...args, '--color']))).toBe(true);
    expect(isColored(ars([...args, '--no-color'], { env: { FORCE_COLOR: '1' } }))).toBe(false);
    expect(isColored(ars(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }))).toBe(false);
  });

  it('ends quietly and with its code where the reader goes away', async () => {
    const child = spawn(process.execPath, [main, 'verify', 'large.json', '--format', 'json'], { cwd: folder });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [status] = (await once(child, 'close')) as [number | null];
    expect([status, stderr]).toEqual([1, '']);
  });

  it('writes machine formats in full through a pipe', () => {
    const { stdout } = ars(['verify', 'large.json', '--format', 'sarif']);
    const { runs } = JSON.parse(stdout) as { runs: { results: object[] }[] };
    expect(runs[0]?.results.length).toBeGreaterThanOrEqual(3000);
  });

  it('takes files from a pattern that the shell did not expand', () => {
    expect(ars(['verify', '*d.yaml']).stdout).toContain('2 documents, 0 errors, 1 warning');
    expect(ars(['verify', join(folder, '{good,undeclared}.yaml')]).stdout).toContain('2 documents');
  });
});
