import { digest } from '../../implementations/typescript/state/canonical.js';
import { createContext } from '../../implementations/typescript/verification/context.js';
import { applyRules } from '../../implementations/typescript/verification/index.js';
import { readInput } from '../../implementations/typescript/verification/input.js';
import { RULES } from '../../implementations/typescript/verification/rules/index.js';
import { safetyOf } from '../../implementations/typescript/verification/safety.js';
import { documentOf, type Shape } from './documents.js';
import { median, spread } from './figures.js';

/** What was measured of one shape and size; times are medians in milliseconds. */
export interface Measurement {
  readonly nodes: number;
  readonly edges: number;
  readonly bytes: number;
  readonly findings: number;
  readonly verdict: string;
  readonly repetitions: number;
  readonly parse: number;
  readonly schema: number;
  readonly rules: number;
  /** The median of the ratios of neighbouring runs of rules and parse. */
  readonly ratio: number;
  /** How far the middle half of these ratios lies apart, as a part of their median. */
  readonly noise: number;
  /** The same ratio of the processor's time, which other processes disturb less; it counts all threads. */
  readonly cpuRatio: number;
  /** The processor's time of parse and rules. */
  readonly parseCpu: number;
  readonly rulesCpu: number;
  readonly digest: number;
  /** The levels of safety and the zones, which the report has beside what the rules say. */
  readonly safety: number;
  /** The most memory that the process held after parsing, and in all, in bytes. */
  readonly memoryOfParse: number;
  readonly memory: number;
  /** The part of each rule; what several share counts for the first that asks for it. */
  readonly byRule: Readonly<Record<string, number>>;
}

/** How the parts of a document are measured. */
export interface Effort {
  readonly repetitions: number;
  /** Runs that do not count, on the document itself, and on a small one of the same shape. */
  readonly warmUp: number;
  readonly smallWarmUp: number;
  /** Whether each rule is also run by itself. */
  readonly byRule: boolean;
}

/** In how many runs digest and safety are measured, which are no part of the ratio. */
const RUNS_OF_OTHERS = 5;
const SMALL = 1000;

/** Runs everything on one document again and again, in turns and after a warm-up, each time parsed anew. */
export function measure(shape: Shape, size: number, effort: Effort): Measurement {
  const { text, nodes, edges } = textOf(shape, size);
  warmUp(shape, effort.smallWarmUp);
  const timed = stopwatch(size);
  const times = new Map<string, Time[]>();
  const byRule = new Map<string, Time[]>();
  let memoryOfParse = 0;
  let report = { findings: 0, verdict: '' };
  for (let run = -effort.warmUp; run < effort.repetitions; run++) runOnce(run);
  const of = (part: string): number => median((times.get(part) ?? []).map(({ wall }) => wall));
  const cpuOf = (part: string): number => median((times.get(part) ?? []).map(({ cpu }) => cpu));
  const ratios = ratiosOf(times, ({ wall }) => wall);
  return {
    nodes,
    edges,
    bytes: text.length,
    ...report,
    repetitions: effort.repetitions,
    parse: of('parse'),
    schema: of('schema'),
    rules: of('rules'),
    ratio: median(ratios),
    noise: spread(ratios),
    cpuRatio: median(ratiosOf(times, ({ cpu }) => cpu)),
    parseCpu: cpuOf('parse'),
    rulesCpu: cpuOf('rules'),
    digest: of('digest'),
    safety: of('safety'),
    memoryOfParse,
    memory: peakMemory(),
    byRule: Object.fromEntries([...byRule].map(([id, all]) => [id, median(all.map(({ wall }) => wall))])),
  };

  /** A function, so that nothing of one run is still there in the next one. */
  function runOnce(run: number): void {
    const [document, parse] = timed(() => JSON.parse(text) as unknown);
    if (memoryOfParse === 0) memoryOfParse = peakMemory();
    const [input, schema] = timed(() => readInput(document));
    const [judged, rules] = timed(() => applyRules(createContext(input, {})));
    report = { findings: judged.findings.length, verdict: judged.verdict };
    if (run < 0) return;
    note(times, 'parse', parse);
    note(times, 'schema', schema);
    note(times, 'rules', rules);
    if (run < RUNS_OF_OTHERS && (run === 0 || size < CLEANED_FROM)) {
      note(times, 'digest', timed(() => digest(document))[1]);
      note(times, 'safety', timed(() => safetyOf(createContext(input, {})))[1]);
    }
    if (!effort.byRule) return;
    const [context, building] = timed(() => createContext(input, {}));
    note(byRule, 'graph', building);
    for (const rule of RULES) note(byRule, rule.id, timed(() => rule.check(context), false)[1]);
  }
}

/** A time of the clock and of the processor, in milliseconds. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

function ratiosOf(times: ReadonlyMap<string, readonly Time[]>, time: (measured: Time) => number): number[] {
  const parse = times.get('parse') ?? [];
  return (times.get('rules') ?? []).map((rules, run) => time(rules) / time(parse[run] as Time));
}

/** Runs the rules on a small document, so that their code is compiled as it is in a process that has verified before. */
function warmUp(shape: Shape, runs: number): void {
  if (runs === 0) return;
  const { text } = textOf(shape, SMALL);
  for (let run = 0; run < runs; run++) applyRules(createContext(readInput(JSON.parse(text)), {}));
}

/** The text of a document; the values that it was made of can be collected afterwards. */
function textOf(shape: Shape, size: number): { text: string; nodes: number; edges: number } {
  const { nodes, edges, ...rest } = documentOf(shape, size);
  const list = (values: readonly unknown[]): string => values.map(value => JSON.stringify(value)).join(',');
  const head = JSON.stringify(rest).slice(0, -1);
  const joined = `${head},"nodes":[${list(nodes)}],"edges":[${list(edges)}]}`;
  return { text: Buffer.from(joined, 'latin1').toString('latin1'), nodes: nodes.length, edges: edges.length };
}

/** From this size on the heap is cleaned before each part, where Node lets us, so that each pays for its own garbage. */
const CLEANED_FROM = 20_000;

function stopwatch(size: number): <T>(run: () => T, cleaned?: boolean) => [T, Time] {
  return (run, cleaned = size >= CLEANED_FROM) => {
    if (cleaned) globalThis.gc?.();
    const before = process.cpuUsage();
    const start = performance.now();
    const result = run();
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    return [result, { wall, cpu: (user + system) / 1000 }];
  };
}

function note(times: Map<string, Time[]>, id: string, time: Time): void {
  const known = times.get(id);
  if (known === undefined) times.set(id, [time]);
  else known.push(time);
}

function peakMemory(): number {
  return process.resourceUsage().maxRSS * 1024;
}
