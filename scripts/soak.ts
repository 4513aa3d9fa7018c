import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkLines } from '../implementations/typescript/governance/log-check.js';
import { openReader } from '../implementations/typescript/store/store.js';
import { judge, type Witness } from './soak/witness.js';

const USAGE = `Usage: npm run soak -- [--kills 1000] [--within 60] [--folder DIR]

Runs workflows in a process that is killed with SIGKILL at any instant, within so many records of its being ready or while
it recovers, again and again over one workspace. In the end the whole log is compared with what was told to be
durable, and with a ledger of effects outside of the workspace. Exit status 1 where anything was lost or done twice.`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    within: { type: 'string', default: '60' },
    folder: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
});
const [kills, within] = [Number(values.kills), Number(values.within)];
/** How long after the record that was drawn a kill may come, in milliseconds. */
const MOMENT_MS = 20;
/** How long the last process took to open the workspace, in milliseconds. */
let startUp = 500;
const worker = fileURLToPath(new URL('./soak/worker.js', import.meta.url));

if (values.help) process.stdout.write(`${USAGE}\n`);
else if (!(kills >= 1 && within >= 1)) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else process.exitCode = await soak();

async function soak(): Promise<number> {
  const folder = mkdtempSync(join(values.folder, 'ars-soak-'));
  const told = new Map<number, string>();
  let recovering = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    // One kill in five falls into the start, where recovery is under way.
    if (await life(folder, kill * 1000, told, kill % 5 === 4 ? 'start' : 'run')) recovering += 1;
    if ((kill + 1) % 50 === 0) process.stderr.write(`${kill + 1} of ${kills} kills, ${told.size} records told\n`);
  }
  await life(folder, 0, told, 'drain');
  const ledger = join(folder, 'ledger.jsonl');
  const lines = existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .split('\n')
        .filter(line => line !== '')
    : [];
  const witness: Witness = { told, effects: lines.map(line => JSON.parse(line)) };
  const reader = openReader(join(folder, 'workspace'));
  const counts = judge(reader.records(), witness);
  const findings = checkLines(reader.lines());
  reader.close();
  process.stdout.write(`${kills} kills with SIGKILL, ${recovering} of them before the workspace was open\n`);
  for (const [name, count] of Object.entries(counts)) process.stdout.write(`${name.replaceAll('_', ' ')}: ${count}\n`);
  process.stdout.write(`findings of the check of the whole log (AC1 to AC5): ${findings.length}\n`);
  const { lost, doubled_commits, doubled_effects, claimed_effects, unended } = counts;
  const faults = lost + doubled_commits + doubled_effects + claimed_effects + unended + findings.length;
  if (faults > 0) process.stdout.write(`the workspace is kept in ${folder}\n`);
  else rmSync(folder, { recursive: true, force: true });
  return faults > 0 ? 1 : 0;
}

/** One process from its start to its kill, or to its end; gives whether it was killed before the workspace was open. */
async function life(
  folder: string,
  first: number,
  told: Map<number, string>,
  how: 'run' | 'start' | 'drain',
): Promise<boolean> {
  const args = [worker, folder, String(first), ...(how === 'drain' ? ['drain'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let rest = '';
  let open = () => {};
  const ready = new Promise<void>(resolve => {
    open = resolve;
  });
  let left = 1 + Math.floor(Math.random() * within);
  let enough = () => {};
  const written = new Promise<void>(resolve => {
    enough = resolve;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === 'ready') open();
      const [sequence = '', hash] = line.split(' ');
      if (hash === undefined) continue;
      told.set(Number(sequence), hash);
      left -= 1;
      if (left === 0) enough();
    }
  });
  if (how === 'drain') {
    const [code] = await ended;
    if (code !== 0) throw new Error(`the last process ended with ${code}`);
    return false;
  }
  const began = performance.now();
  let wasReady = false;
  void ready.then(() => {
    wasReady = true;
    startUp = performance.now() - began;
  });
  if (how === 'run') await Promise.race([written, ended]);
  await sleep(Math.random() * (how === 'run' ? MOMENT_MS : startUp));
  child.kill('SIGKILL');
  await ended;
  return !wasReady;
}
