import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runSteps } from './steps.mjs';

const WORKFLOW = 'examples/01-minimal/hello.yaml';
const WORKSPACE = 'out/quickstart/workspace';
const REPORT = 'out/quickstart/compliance';
const ARS = 'dist/implementations/typescript/cli/main.js';

/** Whether what the lockfile names is installed already. */
function isInstalled() {
  const mark = join(ROOT, 'node_modules/.package-lock.json');
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs;
}

rmSync(join(ROOT, 'out/quickstart'), { recursive: true, force: true });
process.exitCode = runSteps([
  ...(isInstalled() ? [] : [{ name: 'install', command: ['npm', 'ci'] }]),
  { name: 'build', command: ['npm', 'run', '--silent', 'build'] },
  { name: 'verify a workflow', command: ['node', ARS, 'verify', WORKFLOW] },
  { name: 'run it durably', command: ['node', ARS, 'run', WORKFLOW, '--workspace', WORKSPACE, '--input', 'name=Ada'] },
  {
    name: 'judge the reference runtime',
    command: [
      'node',
      'dist/compliance/cli.js',
      'run',
      '--out',
      REPORT,
      '--',
      'node',
      'dist/implementations/typescript/adapter.js',
    ],
  },
]);
if (process.exitCode === 0) {
  process.stdout.write(
    `The report is in ${join(ROOT, REPORT, 'report.json')}; the log of the run is in ${join(ROOT, WORKSPACE)}.\n`,
  );
}
