import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs commands one after the other, with a line before and after each, and stops at the first that fails.
 *
 * Gives the exit code: that of the command that failed, else 0. It needs nothing but Node, so that it runs before
 * anything is installed.
 *
 * @param {readonly { name: string, command: readonly string[] }[]} steps
 * @returns {number}
 */
export function runSteps(steps) {
  const begun = performance.now();
  for (const [index, { name, command }] of steps.entries()) {
    const label = `[${index + 1}/${steps.length}] ${name}`;
    process.stdout.write(`\n${label}: ${command.join(' ')}\n`);
    const code = runCommand(command);
    if (code.status !== 0) {
      process.stdout.write(`${label}: failed with exit code ${code.status} after ${seconds(code.elapsed)}\n`);
      return code.status;
    }
    process.stdout.write(`${label}: done in ${seconds(code.elapsed)}\n`);
  }
  process.stdout.write(`\nAll ${steps.length} steps passed in ${seconds(performance.now() - begun)}.\n`);
  return 0;
}

/** @param {readonly string[]} command */
function runCommand([program, ...args]) {
  const start = performance.now();
  const node = program === 'node' ? process.execPath : program;
  const shell = process.platform === 'win32' && program !== 'node';
  const { status, error, signal } = spawnSync(node, args, { cwd: ROOT, stdio: 'inherit', shell });
  if (error !== undefined) process.stdout.write(`"${program}" does not start: ${error.message}\n`);
  if (signal !== null) process.stdout.write(`ended by ${signal}\n`);
  return { status: status ?? 1, elapsed: performance.now() - start };
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
