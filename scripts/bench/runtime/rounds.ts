import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { median } from '../figures.js';
import { STEPS, type Subject } from './subject.js';

/** What is measured of a subject: so many instances, so many at once. */
export interface Cell {
  readonly subject: Subject;
  readonly instances: number;
  readonly parallel: number;
}

/** The figures of one cell, a value a round: steps a second of it, and of the control right before it. */
export interface Figures extends Cell {
  readonly rates: readonly number[];
  readonly controls: readonly number[];
}

/** How many instances a run of the control has, which stands beside every figure. */
const CONTROL_INSTANCES = 5;
/** So many of its instances, as a part, a cell runs to warm up: the cells before it took its place in the caches. */
const WARM_UP = 0.2;

/**
 * Measures every cell once a round, one after the other: what was written before it reaches the disk, the control is
 * measured, the cell warms up, and its instances run against the clock. The first round does not count.
 */
export async function measureRounds(
  cells: readonly Cell[],
  control: Subject,
  rounds: number,
  tell: (done: string) => void,
): Promise<readonly Figures[]> {
  const rates = cells.map((): number[] => []);
  const controls = cells.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, cell] of cells.entries()) {
      tell(
        `${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${cell.subject.name}, ${cell.parallel} at once`,
      );
      spawnSync('sync');
      const beside = await rateOf({ subject: control, instances: CONTROL_INSTANCES, parallel: 1 });
      await cell.subject.run(Math.ceil(cell.instances * WARM_UP), cell.parallel);
      const rate = await rateOf(cell);
      if (round === 0) continue;
      controls[at]?.push(beside);
      rates[at]?.push(rate);
    }
  }
  return cells.map((cell, at) => ({ ...cell, rates: rates[at] ?? [], controls: controls[at] ?? [] }));
}

async function rateOf({ subject, instances, parallel }: Cell): Promise<number> {
  const start = performance.now();
  await subject.run(instances, parallel);
  return (instances * STEPS * 1000) / (performance.now() - start);
}

/** How many times as fast the one is as the other: the median of the ratios of each round. */
export function ratio(one: Figures, other: Figures): number {
  return median(one.rates.map((rate, round) => rate / (other.rates[round] ?? Number.NaN)));
}
