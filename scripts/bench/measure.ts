import { digest } from '../../implementations/typescript/state/canonical.js';
import { createContext } from '../../implementations/typescript/verification/context.js';
import { applyRules } from '../../implementations/typescript/verification/index.js';
import { readInput } from '../../implementations/typescript/verification/input.js';
import { RULES } from '../../implementations/typescript/verification/rules/index.js';
import { safetyOf } from '../../implementations/typescript/verification/safety.js';
import { documentOf, type Shape } from './documents.js';
import { median } from './figures.js';

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
  readonly digest: number;
  /** The levels of safety and the zones, which the report has beside what the rules say. */
  readonly safety: number;
  /** The most memory that the process held after parsing, and in all, in bytes. */
  readonly memoryOfParse: number;
  readonly memory: number;
  /** The part of each rule; what several share counts for the first that asks for it. */
  readonly byRule: Readonly<Record<string, number>>;
}

/** Runs everything on one document again and again, in turns and after a warm-up, each time parsed anew. */
export function measure(shape: Shape, size: number, repetitions: number, warmUp: number): Measurement {
  const { text, nodes, edges } = textOf(shape, size);
  const timed = stopwatch(size);
  const times = {
    parse: [] as number[],
    schema: [] as number[],
    rules: [] as number[],
    digest: [] as number[],
    safety: [] as number[],
  };
  const byRule = new Map<string, number[]>();
  let memoryOfParse = 0;
  let report = { findings: 0, verdict: '' };
  for (let run = -warmUp; run < repetitions; run++) {
    const [document, parse] = timed(() => JSON.parse(text) as unknown);
    if (memoryOfParse === 0) memoryOfParse = peakMemory();
    const [input, schema] = timed(() => readInput(document));
    const [judged, rules] = timed(() => applyRules(createContext(input, {})));
    const [, digesting] = timed(() => digest(document));
    report = { findings: judged.findings.length, verdict: judged.verdict };
    if (run < 0) continue;
    times.parse.push(parse);
    times.schema.push(schema);
    times.rules.push(rules);
    times.digest.push(digesting);
    const [context, building] = timed(() => createContext(input, {}));
    note(byRule, 'graph', building);
    for (const rule of RULES) note(byRule, rule.id, timed(() => rule.check(context))[1]);
    times.safety.push(timed(() => safetyOf(context))[1]);
  }
  return {
    nodes,
    edges,
    bytes: text.length,
    ...report,
    repetitions,
    parse: median(times.parse),
    schema: median(times.schema),
    rules: median(times.rules),
    ratio: median(times.rules.map((time, run) => time / (times.parse[run] ?? Number.NaN))),
    digest: median(times.digest),
    safety: median(times.safety),
    memoryOfParse,
    memory: peakMemory(),
    byRule: Object.fromEntries([...byRule].map(([id, all]) => [id, median(all)])),
  };
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

function stopwatch(size: number): <T>(run: () => T) => [T, number] {
  return run => {
    if (size >= CLEANED_FROM) globalThis.gc?.();
    const start = performance.now();
    const result = run();
    return [result, performance.now() - start];
  };
}
function note(times: Map<string, number[]>, id: string, time: number): void {
  const known = times.get(id);
  if (known === undefined) times.set(id, [time]);
  else known.push(time);
}

function peakMemory(): number {
  return process.resourceUsage().maxRSS * 1024;
}
