import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SHAPE_TEXTS, SHAPES, type Shape } from './documents.js';
import type { Measurement } from './measure.js';
import { type Row, ruleTable, timeTables } from './table.js';

const USAGE = `Usage: npm run bench:verify -- [--sizes 1000,100000,1000000] [--shapes ${SHAPES.join()}] [--rules]

Prints what verifying costs beside JSON.parse of the same document. Each shape and size runs in a process of its own.`;

/** How often a document of so many nodes is measured, and how often it is run before that to warm up. */
const EFFORTS: readonly (readonly [size: number, repetitions: number, warmUp: number])[] = [
  [2_000, 200, 100],
  [20_000, 30, 10],
  [200_000, 7, 2],
  [Number.POSITIVE_INFINITY, 3, 1],
];

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    shapes: { type: 'string', default: SHAPES.join() },
    rules: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run(values.shapes.split(',') as Shape[], values.sizes.split(',').map(Number), values.rules);

async function run(shapes: readonly Shape[], sizes: readonly number[], withRules: boolean): Promise<void> {
  if (shapes.some(shape => !SHAPES.includes(shape)) || sizes.some(size => !(size > 0))) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
  for (const shape of shapes) process.stdout.write(`  ${shape}: ${SHAPE_TEXTS[shape]}\n`);
  const rows: Row[] = [];
  for (const shape of shapes) {
    for (const size of sizes) {
      process.stderr.write(`${shape} ${size} …\n`);
      rows.push({ shape, size, measured: await measureApart(shape, size) });
    }
  }
  process.stdout.write(`\n${timeTables(rows)}\n`);
  if (withRules) process.stdout.write(`\n${ruleTable(rows)}\n`);
}

function measureApart(shape: Shape, size: number): Promise<Measurement> {
  const [, repetitions, warmUp] = EFFORTS.find(([most]) => size <= most) ?? [0, 1, 0];
  const cell = fileURLToPath(new URL('./cell.js', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', cell, shape, `${size}`, `${repetitions}`, `${warmUp}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', part => {
    text += part;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      if (code === 0) resolve(JSON.parse(text) as Measurement);
      else reject(new Error(`${shape} of ${size} nodes could not be measured: exit code ${code}`));
    });
  });
}
