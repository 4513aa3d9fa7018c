import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocuments } from '../workspace/document.js';
import { CYCLIC, folderOf, GOOD } from './verify.fixture.js';
import { verifyCommand } from './verify.js';

const root = resolve(import.meta.dirname, '../../..');

function read(file: string): unknown {
  const [document] = readDocuments(readFileSync(join(root, file)), { file });
  expect(document?.defects).toEqual([]);
  return document?.value;
}

/** The options in a text that `ars verify` does not have. */
function unknownOptions(text: string): string[] {
  const known = verifyCommand().options.map(option => option.long);
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
    .map(([option]) => option)
    .filter(option => !known.includes(option));
}

describe('the hook for pre-commit', () => {
  it('calls a program of the package, with options that there are', () => {
    const [hook] = read('.pre-commit-hooks.yaml') as { id: string; entry: string; language: string }[];
    expect(hook).toMatchObject({ id: 'ars-verify', language: 'system' });
    const [program = '', command, ...options] = (hook?.entry ?? '').replace('npx --no-install ', '').split(' ');
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    expect(Object.keys(bin)).toContain(program);
    expect(command).toBe(verifyCommand().name());
    expect(unknownOptions(options.join(' '))).toEqual([]);
  });
});

interface Step {
  name: string;
  id?: string;
  shell: string;
  run: string;
  env?: Record<string, string>;
}
interface Action {
  inputs: Record<string, { default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

describe('the GitHub Action', () => {
  const action = read('action.yml') as Action;
  const step = action.runs.steps.find(({ id }) => id === 'verify') as Step;

  it('is a composite whose scripts take inputs from the environment only', () => {
    expect(action.runs.using).toBe('composite');
    for (const { run, shell } of action.runs.steps) {
      expect(shell).toBe('bash');
      expect(run).not.toContain('${{');
    }
    const named = JSON.stringify(action).matchAll(/\$\{\{ inputs\.([\w-]+) \}\}/g);
    for (const [, input = ''] of named) expect(Object.keys(action.inputs)).toContain(input);
    for (const { value } of Object.values(action.outputs))
      expect(value).toMatch(/^\$\{\{ steps\.verify\.outputs\.[\w-]+ \}\}$/);
  });

  it('calls the command with options that there are', () => {
    expect(step.run).toContain('node "$ARS_MAIN" verify');
    expect(unknownOptions(step.run)).toEqual([]);
  });

  /** Runs the step as a runner does, with the inputs over their defaults. */
  function runStep(
    cwd: string,
    inputs: Record<string, string>,
  ): { status: number | null; stdout: string; outputs: string } {
    const values: Record<string, string> = Object.fromEntries(
      Object.entries(action.inputs).map(([name, input]) => [name, inputs[name] ?? input.default]),
    );
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, text]) => [
        name,
        text
          .replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => values[input] ?? '')
          .replaceAll('${{ github.action_path }}', root),
      ]),
    );
    const GITHUB_OUTPUT = join(cwd, 'output.txt');
    const { status, stdout } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...env, GITHUB_OUTPUT },
    });
    return { status, stdout, outputs: existsSync(GITHUB_OUTPUT) ? readFileSync(GITHUB_OUTPUT, 'utf8') : '' };
  }

  it('annotates, writes SARIF and fails with the code of the command', () => {
    const folder = folderOf({ 'my flows/cyclic.yaml': CYCLIC, 'good.yaml': GOOD });
    const { status, stdout, outputs } = runStep(folder, {});
    expect(status).toBe(1);
    expect(stdout).toMatch(/^::error file=my flows\/cyclic\.yaml,line=11,.*title=ars S1::/m);
    expect(outputs).toBe('exit-code=1\nsarif-file=ars.sarif\n');
    const log = JSON.parse(readFileSync(join(folder, 'ars.sarif'), 'utf8')) as { runs: { results: object[] }[] };
    expect(log.runs[0]?.results).toHaveLength(1);
  });

  it('takes several files, also with spaces, and further arguments', () => {
    const folder = folderOf({ 'my flows/cyclic.yaml': CYCLIC, 'good.yaml': GOOD });
    const inputs = {
      files: 'my flows/*.yaml\n\ngood.yaml\n',
      args: '--skip-rule S1\n--max-warnings 0\n',
      'sarif-file': 'out/a.sarif',
    };
    const { status, stdout, outputs } = runStep(folder, inputs);
    expect(status).toBe(0);
    expect(stdout).toContain('ars verify: 2 documents, 0 errors, 0 warnings');
    expect(outputs).toContain('sarif-file=out/a.sarif');
    expect(existsSync(join(folder, 'out/a.sarif'))).toBe(true);
  });
});
