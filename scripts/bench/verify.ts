import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SHAPE_TEXTS, SHAPES, type Shape } from './documents.js';
import type { Effort, Measurement } from './measure.js';
import { type Row, ruleTable, timeTables } from './table.js';

const USAGE = `Usage: npm run bench:verify -- [--sizes 1000,100000,1000000] [--shapes ${SHAPES.join()}] [--rules]

Prints what verifying costs beside JSON.parse of the same document. Each shape and size runs in a process of its own.`;

/** How often a document of so many nodes is measured, and how often it, and a small one, is run before that to warm up. */
const EFFORTS: readonly (readonly [size: number, Omit<Effort, 'byRule'>])[] = [
  [2_000, { repetitions: 200, warmUp: 100, smallWarmUp: 0 }],
  [20_000, { repetitions: 30, warmUp: 10, smallWarmUp: 0 }],
  [200_000, { repetitions: 9, warmUp: 2, smallWarmUp: 100 }],
  [Number.POSITIVE_INFINITY, { repetitions: 3, warmUp: 0, smallWarmUp: 100 }],
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
      process.stderr.write(`${shape} ${size} … `);
      const start = performance.now();
      const measured = await measureApart(shape, size, withRules);
      rows.push({ shape, size, measured });
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      process.stderr.write(`ratio ${measured.ratio.toFixed(2)}, after ${seconds} s\n`);
    }
  }
  process.stdout.write(`\n${timeTables(rows)}\n`);
  if (withRules) process.stdout.write(`\n${ruleTable(rows)}\n`);
}

function measureApart(shape: Shape, size: number, byRule: boolean): Promise<Measurement> {
  const effort = { ...EFFORTS.find(([most]) => size <= most)?.[1], byRule };
  const cell = fileURLToPath(new URL('./cell.js', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', cell, shape, `${size}`, JSON.stringify(effort)], {
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
