import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Runtime } from 'agent-runtime-spec';
import actions from './actions.mjs';

const workspace = process.argv[2] ?? 'out/examples/crash-recovery';
const ars = ['dist/implementations/typescript/cli/main.js', 'run', 'examples/03-crash-recovery/ten-steps.yaml'];
const run = spawn(process.execPath, [...ars, '--workspace', workspace, '--input', 'pause_ms=50']);

let steps = 0;
run.stderr.setEncoding('utf8').on('data', (text: string) => {
  steps += text.split('✓').length - 1;
  if (steps >= 4) run.kill('SIGKILL');
});
const [, signal] = await once(run, 'exit');
console.log(`killed with ${signal}`);

const runtime = await Runtime.open({ workspace, actions });
const [started] = runtime.records({ record_type: 'workflow', status: 'workflow_started' });
const { status, outputs } = await runtime.wait(started?.execution_id ?? '', 60_000);
console.log(status, outputs);
const committed = [...runtime.records({ status: 'committed' })].map(record => record.node_id);
console.log(`${committed.length} commits of ${new Set(committed).size} steps`);
await runtime.close();
