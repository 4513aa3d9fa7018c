import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GENESIS, startChainCheck } from '../../implementations/typescript/audit/chain.js';
import { OWNER, Runtime } from '../../implementations/typescript/runtime.js';
import { digestText } from '../../implementations/typescript/state/canonical.js';
import { columns, median, milliseconds } from './figures.js';
import { history, makeWorkspace, WORKFLOW } from './log/history.js';

const USAGE = `Usage: npm run bench:log -- [--records 1000000] [--open 8] [--rounds 7]

Prints what a long history costs: verifying its chain beside parsing and hashing the same bytes, opening and recovering a
workspace that has it, and a step in such a workspace beside one in a new workspace, in turns.`;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    open: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '7' },
    help: { type: 'boolean', default: false },
  },
});
const [records, open, rounds] = [values.records, values.open, values.rounds].map(Number) as [number, number, number];

/** The history of the steps that are compared: so many steps have two records each, and some more. */
const LONG_HISTORY = 220_000;
const VERIFIED = 50_000;
const step = () => ({ outputs: {}, state_changes: [{ key: 'bench', op: 'put' as const, value: 1 }] });

if (values.help) process.stdout.write(`${USAGE}\n`);
else if (![records, open, rounds].every(value => Number.isSafeInteger(value) && value > 0)) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else await run();

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ars-bench-log-'));
  process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
  try {
    tell([verification()]);
    tell([await opening(join(folder, 'long'))]);
    tell(await steps(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${columns(rows)}\n`);
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Verifying a chain beside `JSON.parse` and SHA-256 of each line, in turns; goal ≥ 0.6 of their speed. */
function verification(): readonly string[] {
  const lines = [...history(Math.min(VERIFIED, records), 1, GENESIS)].map(({ text }) => text);
  const plain = () => {
    for (const line of lines) {
      JSON.parse(line);
      digestText(line);
    }
  };
  const verify = () => {
    const check = startChainCheck();
    for (const line of lines) if (check.accept(line) !== undefined) throw new Error('the chain does not verify');
  };
  const times = Array.from({ length: rounds + 2 }, () => [timed(plain), timed(verify)] as const).slice(2);
  const ratio = median(times.map(([before, after]) => before / after));
  const [parsing, verifying] = [median(times.map(([time]) => time)), median(times.map(([, time]) => time))];
  return [
    `chain of ${lines.length} records`,
    `parse and hash ${milliseconds(parsing)}`,
    `verify ${milliseconds(verifying)}`,
    `ratio ${ratio.toFixed(2)} (goal 0.6)`,
  ];
}

/** Opening a workspace with a long log and deciding what is open in it; goal < 3 s for 1,000,000 records. */
async function opening(workspace: string): Promise<readonly string[]> {
  makeWorkspace(workspace, records, open);
  const start = performance.now();
  const runtime = await Runtime.open({ workspace, actions: { step } });
  const time = performance.now() - start;
  const decided = runtime.recovery?.decisions.length ?? 0;
  await runtime.close();
  return [`opening ${records} records`, `${decided} interrupted decided`, milliseconds(time), 'goal 3000 ms'];
}

/** A ten-step workflow in a new workspace and in one with a long history, in turns. */
async function steps(folder: string): Promise<readonly (readonly string[])[]> {
  const long = join(folder, 'history');
  makeWorkspace(long, Math.min(LONG_HISTORY, records), 1);
  const runtimes: Runtime[] = [];
  for (const workspace of [join(folder, 'new'), long])
    runtimes.push(await Runtime.open({ workspace, actions: { step } }));
  const times: number[][] = [[], []];
  for (let round = -2; round < rounds * 5; round++)
    for (const [at, runtime] of runtimes.entries()) {
      const start = performance.now();
      const id = await runtime.start({ workflow: WORKFLOW, inputs: {}, agent_id: OWNER });
      await runtime.wait(id, 60_000);
      if (round >= 0) times[at]?.push((performance.now() - start) / WORKFLOW.nodes.length);
    }
  for (const runtime of runtimes) await runtime.close();
  const [fresh, old] = times.map(median) as [number, number];
  return [
    ['a step in a new workspace', milliseconds(fresh), ''],
    [`a step after ${Math.min(LONG_HISTORY, records)} records`, milliseconds(old), `ratio ${(old / fresh).toFixed(2)}`],
  ];
}
