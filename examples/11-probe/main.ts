import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Runtime } from 'agent-runtime-spec';
import actions from './actions.mjs';

const workspace = process.argv[2] ?? 'out/examples/probe';
const ledger = join(workspace, 'ledger.txt');
const ars = ['dist/implementations/typescript/cli/main.js', 'run', 'examples/11-probe/pay.yaml', '--confirm=yes'];
const inputs = ['--input', `ledger=${ledger}`, '--input', 'pause_ms=60000'];
const payments = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length - 1 : 0);
const before = payments();
const run = spawn(process.execPath, [...ars, '--workspace', workspace, ...inputs]);

// It is paid, and the process is killed before its record says so.
while (payments() === before && run.exitCode === null) await pause(10);
run.kill('SIGKILL');
const [, signal] = await once(run, 'exit');
console.log(`killed with ${signal}`);

const runtime = await Runtime.open({ workspace, actions });
for (const { decision, probe } of runtime.recovery?.decisions ?? []) console.log(`${decision} after ${probe}`);
const started = [...runtime.records({ record_type: 'workflow', status: 'workflow_started' })].at(-1);
const { status, outputs } = await runtime.wait(started?.execution_id ?? '', 60_000);
console.log(status, outputs);
console.log(`paid ${payments() - before} time`);
await runtime.close();
