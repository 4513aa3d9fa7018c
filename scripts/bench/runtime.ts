import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../project.js';
import { columns, median } from './figures.js';
import { hasPeers, openPeer, PEERS } from './runtime/peers.js';
import { openControl, openFloor, openRaw } from './runtime/raw.js';
import { openReference } from './runtime/reference.js';
import { type Cell, type Figures, measureRounds, ratio } from './runtime/rounds.js';
import type { Subject } from './runtime/subject.js';

const USAGE = `Usage: npm run bench:runtime -- [--rounds 5] [--instances 100] [--folder DIR] [--no-peers]

Runs a workflow of ten steps side by side in one process, one after the other in each round: first in the reference
runtime and in what its store can do at most, then, as what the peers start works on in the background, in the reference
runtime and in the peers. Ratios are medians of the ratios of the rounds. The peers are measured where they are installed:
npm ci --prefix scripts/bench/peers; DBOS needs a PostgreSQL server on this machine.`;

const MANY = 32;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    rounds: { type: 'string', default: '5' },
    instances: { type: 'string', default: '100' },
    folder: { type: 'string', default: tmpdir() },
    peers: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
});
const [rounds, instances] = [Number(values.rounds), Number(values.instances)];

if (values.help) process.stdout.write(`${USAGE}\n`);
else if (!(rounds >= 1 && instances >= 1)) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  await run();
  // A peer may leave timers and sockets behind.
  process.exit();
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(values.folder, 'ars-bench-'));
  const open: Subject[] = [];
  try {
    const reference = await openReference(folder);
    open.push(reference);
    await reference.run(2, 1);
    const texts = [...reference.runtime.records()]
      .filter(({ node_id }) => node_id === 'step-02')
      .slice(0, 2)
      .map(record => JSON.stringify(record)) as [string, string];
    const raw = openRaw(folder, texts);
    const floor = openFloor(folder, texts);
    const control = openControl(folder, texts);
    open.push(raw, floor, control);
    const store = [raw, floor].map((subject): Cell => ({ subject, instances, parallel: 1 }));
    const limits = await measureRounds([...store, ...bothOf(reference)], control, rounds, told);
    const peers = values.peers ? await openPeers(folder) : [];
    open.push(...peers);
    const beside = [reference, ...peers].flatMap(bothOf);
    const engines = peers.length === 0 ? [] : await measureRounds(beside, control, rounds, told);
    print(open, [limits, engines]);
  } finally {
    for (const subject of open) await subject.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One instance after the other, and many at once. */
function bothOf(subject: Subject): readonly Cell[] {
  return [
    { subject, instances, parallel: 1 },
    { subject, instances: instances * 4, parallel: MANY },
  ];
}

async function openPeers(folder: string): Promise<Subject[]> {
  const home = join(ROOT, 'scripts/bench/peers');
  if (!hasPeers(home)) {
    process.stderr.write('the peers are not installed and not measured: npm ci --prefix scripts/bench/peers\n');
    return [];
  }
  const peers: Subject[] = [];
  for (const name of PEERS) {
    try {
      peers.push(await openPeer(home, name, folder));
    } catch (error) {
      process.stderr.write(`${name} is not measured: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  return peers;
}

function told(text: string): void {
  process.stderr.write(`${text}\n`);
}

function print(subjects: readonly Subject[], tables: readonly (readonly Figures[])[]): void {
  process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
  for (const { name, note } of subjects) process.stdout.write(`  ${name}: ${note}\n`);
  for (const figures of tables) if (figures.length > 0) process.stdout.write(`\n${tableOf(subjects[0], figures)}\n`);
  process.stdout.write(
    '\nThe peers cross a socket where their line says so.\n' +
      'The control, beside each figure, appends two lines a step to a file and flushes each.\n',
  );
}

function tableOf(reference: Subject | undefined, figures: readonly Figures[]): string {
  const own = (parallel: number) => figures.find(f => f.subject === reference && f.parallel === parallel) as Figures;
  const [one, many] = [own(1), own(MANY)];
  const lines = figures.map(figure => {
    const base = figure.parallel === 1 ? one : many;
    return [
      figure.subject.name,
      String(figure.parallel),
      median(figure.rates).toFixed(0),
      median(figure.controls).toFixed(0),
      figure === base ? '' : `${ratio(base, figure).toFixed(2)} ×`,
    ];
  });
  const head = ['ten-step workflow', 'at once', 'steps/s', 'control', 'the reference runtime is'];
  return `${columns([head, ...lines])}\n${MANY} instances at once are ${ratio(many, one).toFixed(2)} × one after the other.`;
}
