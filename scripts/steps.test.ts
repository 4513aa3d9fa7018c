import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT } from './project.js';

/** Runs each script as a step, in a process of its own. */
function run(...scripts: string[]): { code: number | null; output: string } {
  const steps = scripts.map((script, index) => ({ name: `step ${index + 1}`, command: ['node', '-e', script] }));
  const program = `import { runSteps } from './scripts/steps.mjs'; process.exitCode = runSteps(${JSON.stringify(steps)});`;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, encoding: 'utf8' });
  return { code: result.status, output: result.stdout };
}

test('steps run in order, and all of them passing is exit code 0', () => {
  const { code, output } = run('process.exitCode = 0', '');
  expect(code).toBe(0);
  expect(output.match(/\[\d\/2\] step \d: done/g)).toEqual(['[1/2] step 1: done', '[2/2] step 2: done']);
});

test('the first step that fails ends the run with its exit code', () => {
  const { code, output } = run('process.exitCode = 4', 'process.exitCode = 5');
  expect(code).toBe(4);
  expect(output).not.toContain('step 2');
});

test('a step that is killed is a failure', () => {
  expect(run('process.kill(process.pid, "SIGKILL")').code).toBe(1);
});
