import type { Command } from 'commander';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CODE_COMMANDS, FILE_COMMANDS, nextCommand, noteCall, noteCode, withCommands } from './next-command.js';
import { createProgram } from './program.js';

beforeEach(() => noteCall('', {}));

/** The commands that do something, by their words after `ars`. */
function leaves(command: Command, words: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]];
  return command.commands.flatMap(child => leaves(child, [...words, child.name()]));
}

describe('a command to type next', () => {
  it('works where the call before it worked', () => {
    expect(nextCommand('run', '--resume')).toBe('ars run --resume');
    noteCall('run', { workspace: "Ada's orders", actions: 'code of all.mjs' });
    expect(nextCommand('run', '--resume')).toBe(
      `ars run --resume --actions 'code of all.mjs' --workspace 'Ada'\\''s orders'`,
    );
    expect(nextCommand('runs')).toBe(`ars runs --workspace 'Ada'\\''s orders'`);
    expect(nextCommand('verify', 'a b.yaml')).toBe(`ars verify 'a b.yaml'`);
    expect(withCommands('see ars audit verify')).toBe(`see ars audit verify --workspace 'Ada'\\''s orders'`);
  });

  it('is called by npx where this call was', () => {
    for (const script of ["'ars' 'runs'", 'ars "runs"', 'ars']) {
      vi.stubEnv('npm_lifecycle_event', 'npx');
      vi.stubEnv('npm_lifecycle_script', script);
      expect(nextCommand('runs')).toBe('npx ars runs');
      vi.stubEnv('npm_lifecycle_script', 'vitest run');
      expect(nextCommand('runs')).toBe('ars runs');
    }
    vi.unstubAllEnvs();
  });

  it('names the module where the workspace knows of several, unless one was named', () => {
    noteCode('beside.mjs');
    expect(nextCommand('recover')).toBe('ars recover --actions beside.mjs');
    noteCall('run', { actions: 'named.mjs' });
    noteCode('beside.mjs');
    expect(nextCommand('recover')).toBe('ars recover --actions named.mjs');
  });

  it('takes the module and the workspace where the commands do', () => {
    const all = leaves(createProgram());
    const having = (long: string, word: string) =>
      all
        .filter(([, { options }]) => options.some(option => option.long === long && option.description.includes(word)))
        .map(([words]) => words);
    expect(new Set(having('--actions', 'module'))).toEqual(CODE_COMMANDS);
    const without = all.map(([words]) => words).filter(words => !having('--workspace', '').includes(words));
    expect(new Set(without)).toEqual(FILE_COMMANDS);
  });
});
