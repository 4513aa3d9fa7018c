import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { main } from './main.js';

/** The command line in this process. */
async function cli(args: readonly string[]) {
  const told = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      told[name] += String(text);
      return true;
    });
  try {
    return { code: await main(['node', 'ars-compliance', ...args]), ...told };
  } finally {
    vi.restoreAllMocks();
  }
}

/** A program that introduces itself as a runtime once it is asked to, and ends with its input. */
const ANSWERING = [
  'process.stdin.on("data", data => { const { id } = JSON.parse(data);',
  'const runtime = { name: "x", version: "1" };',
  'const result = { runtime, spec_version: "1.0", capabilities: ["core"], durable_scope: "process" };',
  'console.log(JSON.stringify({ id, result })); });',
].join(' ');

describe('ars-compliance', () => {
  it.each([
    ['an unknown command', ['judge']],
    ['no adapter', ['run']],
    ['a requirement that nothing judges', ['run', '--req', 'CF44', '--', 'true']],
    ['a seed that is no number', ['run', '--seed', 'x', '--', 'true']],
    ['an unknown profile', ['run', '--profile', 'all', '--', 'true']],
    ['a replay that is not there', ['replay', 'nowhere.json']],
    ['an empty adapter to compare', ['diff', '--a', ' ', '--b', 'true']],
    ['a folder for its case that cannot be made', ['diff', '--a', 'true', '--b', 'true', '--out', '/dev/null/out']],
    ['a folder that cannot be made', ['run', '--out', '/dev/null/out', '--', 'true']],
    ['a folder that is a file', ['run', '--out', '/dev/null', '--', 'true']],
    ['an empty command', ['run', '--', '']],
    ['one descriptor for both directions', ['run', '--fd', '3,3', '--', 'true']],
    ['a log that is no log', ['check-log', fileURLToPath(import.meta.url)]],
    ['a mutant that is not there', ['power', '--mutant', 'nothing']],
  ])('ends with 2 for %s, and says why', async (_what, args) => {
    const { code, stdout, stderr } = await cli(args);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
    expect(stdout).toBe('');
  });

  const sound = `'${process.execPath}' -e '${ANSWERING}'`;
  it.each([
    ['the second cannot be started', sound, 'no-such-adapter-here'],
    ['the first cannot be started', 'no-such-adapter-here', sound],
    ['the second ends at once', sound, `'${process.execPath}' -e 0`],
    ['the first ends at once', `'${process.execPath}' -e 0`, sound],
  ])('ends the other adapter of a diff with 3 where %s', async (_what, a, b) => {
    const before = process.getActiveResourcesInfo().filter(kind => kind === 'ProcessWrap').length;
    const { code, stdout, stderr } = await cli(['diff', '--a', a, '--b', b, '--runs', '1', '--out', tmpdir()]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).not.toBe('');
    expect(process.getActiveResourcesInfo().filter(kind => kind === 'ProcessWrap')).toHaveLength(before);
  });

  it('lists, and explains with clause, control and twin', async () => {
    expect((await cli(['list'])).stdout).toContain('workflow/and-join');
    expect((await cli(['explain', 'CF4'])).stdout).toMatch(/control {2}both in-edges.*broken by and-as-or/s);
  });
});
