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

describe('ars-compliance', () => {
  it.each([
    ['an unknown command', ['judge']],
    ['no adapter', ['run']],
    ['a requirement that nothing judges', ['run', '--req', 'CF44', '--', 'true']],
    ['a seed that is no number', ['run', '--seed', 'x', '--', 'true']],
    ['an unknown profile', ['run', '--profile', 'all', '--', 'true']],
    ['a replay that is not there', ['replay', 'nowhere.json']],
    ['a folder that cannot be made', ['run', '--out', '/dev/null/out', '--', 'true']],
    ['a folder that is a file', ['run', '--out', '/dev/null', '--', 'true']],
    ['an empty command', ['run', '--', '']],
    ['one descriptor for both directions', ['run', '--fd', '3,3', '--', 'true']],
    ['a mutant that is not there', ['power', '--mutant', 'nothing']],
  ])('ends with 2 for %s, and says why', async (_what, args) => {
    const { code, stdout, stderr } = await cli(args);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
    expect(stdout).toBe('');
  });

  it('lists, and explains with clause, control and twin', async () => {
    expect((await cli(['list'])).stdout).toContain('workflow/and-join');
    expect((await cli(['explain', 'CF4'])).stdout).toMatch(/control {2}both in-edges.*broken by and-as-or/s);
  });
});
