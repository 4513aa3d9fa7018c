import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { init } from '../commands/init.js';
import { examine } from '../harness/doctor.js';
import { packageRoot } from '../runner/package.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-python-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Python is no part of the toolchain: where there is none, its adapter cannot be tried. */
const python = spawnSync('python3', ['--version']).status === 0;

const bad = async (adapter: string) =>
  (await examine({ command: 'python3', args: [adapter] }, { temp_root: folder, scale: 2 })).diagnoses
    .filter(({ ok }) => !ok)
    .map(({ id, fix }) => [id, fix]);

describe.runIf(python)('the adapter in Python', () => {
  it('to begin with has nothing that the doctor could find', async () => {
    init(folder, 'python');
    expect(await bad(join(folder, 'adapter.py'))).toEqual([]);
  });

  it.each(['adapter.py', '../elsewhere/adapter.py'])('starts over python-core from a copy, as %s', async path => {
    const copy = join(folder, 'elsewhere');
    cpSync(join(packageRoot(), 'implementations', 'python-core'), copy, { recursive: true });
    const started = spawnSync('python3', [path], { cwd: copy, input: '', encoding: 'utf8' });
    expect([started.status, started.stderr]).toEqual([0, '']);
    expect(await bad(join(copy, 'adapter.py'))).toEqual([]);
  });

  it('keeps what it prints off the wire, and the doctor tells where something gets onto it', async () => {
    const source = readFileSync(join(folder, 'adapter.py'), 'utf8');
    const print = 'adapter.serve()';
    writeFileSync(join(folder, 'prints.py'), source.replace(print, `print("hello", flush=True)\n${print}`));
    expect(await bad(join(folder, 'prints.py'))).toEqual([['wire', expect.stringContaining('stderr')]]);
    const inside = 'def put(params):';
    writeFileSync(join(folder, 'quiet.py'), source.replace(inside, `${inside}\n    print("hello", flush=True)`));
    expect(await bad(join(folder, 'quiet.py'))).toEqual([]);
  });
});
