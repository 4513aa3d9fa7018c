import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { compare, newTally, shrink, type Tally } from '../implementations/typescript/verification/testing/compare.js';
import {
  acyclicGraphs,
  directedGraphs,
  drawFrom,
  drawGraph,
} from '../implementations/typescript/verification/testing/enumerate.js';
import type { Form } from '../implementations/typescript/verification/testing/oracle.js';
import { documentOf, type SmallGraph } from '../implementations/typescript/verification/testing/small-graph.js';
import { drawWide } from '../implementations/typescript/verification/testing/wide.js';

const USAGE = `Compares the rules of the verifier with an oracle that tries every execution of small graphs.

  npm run oracle:verify -- [--size N] [--samples N] [--nodes N] [--seed N]

  --size N     every graph of up to N nodes, 4 by default
  --samples N  how many larger graphs are drawn of each form, 20000 by default
               one in twenty again with a condition of up to 97 labels
  --nodes N    how many nodes these have at most, 7 by default
  --seed N     other graphs are drawn with another seed

Exit status: 0 no disagreement, 1 some, each shown with its smallest graph, 2 usage.
`;
/** How many disagreements are shown. */
const SHOWN = 5;
/** Of so many graphs that are drawn one more has a condition with many labels: as many as these, in turn. */
const WIDE_OF = 20;
const WIDTHS: readonly number[] = [29, 30, 31, 32, 33, 60, 61, 64, 97];
const WIDE_NODES = 6;

/** What an execution has to show of what a rule may miss and never names wrongly. */
const SEARCHED = new Map([
  ['S2 join', 'no execution runs'],
  ['S6 joined', 'some execution enters twice'],
  ['S16', 'some execution brings together'],
]);

interface Part {
  readonly name: string;
  readonly form: Form;
  readonly graphs: Iterable<SmallGraph>;
}

function* upTo(size: number, graphsOf: (size: number) => Iterable<SmallGraph>): Generator<SmallGraph> {
  for (let nodes = 1; nodes <= size; nodes++) for (const graph of graphsOf(nodes)) yield graph;
}

function* drawn(form: 'tame' | 'wild', count: number, nodes: number, seed: number): Generator<SmallGraph> {
  for (let at = 0; at < count; at++) yield drawGraph(drawFrom(seed * count + at), nodes, form);
}

function* drawnWide(count: number, nodes: number, seed: number): Generator<SmallGraph> {
  for (let at = 0; at < count; at++)
    yield drawWide(drawFrom(seed * count + at), nodes, WIDTHS[at % WIDTHS.length] as number);
}

function judge({ name, form, graphs }: Part): Tally {
  const tally = newTally();
  let told = Date.now();
  for (const graph of graphs) {
    compare(tally, graph, form);
    if (!stdout.isTTY || Date.now() - told < 200) continue;
    told = Date.now();
    stdout.write(`\r\u001b[K  ${name}: ${tally.graphs} graphs, ${tally.disagreements.length} disagreements`);
  }
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  return tally;
}

function printPart({ name }: Part, tally: Tally): void {
  stdout.write(`${name}\n`);
  stdout.write(
    `  graphs ${tally.graphs}, executions ${tally.executions}, disagreements ${tally.disagreements.length}\n`,
  );
  for (const [rule, { findings, clean }] of [...tally.rules].sort(([a], [b]) => compareRules(a, b)))
    stdout.write(`  ${rule.padEnd(15)} exact: ${findings} findings, ${clean} graphs without one\n`);
  for (const [rule, { there, named }] of tally.searched)
    stdout.write(`  ${rule.padEnd(15)} never false: ${named} named of the ${there} that ${SEARCHED.get(rule)}\n`);
}

function compareRules(a: string, b: string): number {
  return Number.parseInt(a.slice(1), 10) - Number.parseInt(b.slice(1), 10) || (a < b ? -1 : 1);
}

function printDisagreements({ form }: Part, { disagreements }: Tally): void {
  for (const { graph } of disagreements.slice(0, SHOWN)) {
    const smallest = shrink(graph, form);
    const again = newTally();
    compare(again, smallest, form);
    for (const { what } of again.disagreements) stdout.write(`  ✖ ${what}\n`);
    stdout.write(`    ${JSON.stringify(documentOf(smallest).workflow)}\n`);
  }
}

function numbers(): { size: number; samples: number; nodes: number; seed: number } | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ options: { size: text, samples: text, nodes: text, seed: text } });
    const { size = '4', samples = '20000', nodes = '7', seed = '1' } = values;
    const all = { size: Number(size), samples: Number(samples), nodes: Number(nodes), seed: Number(seed) };
    const fits = Object.values(all).every(number => Number.isSafeInteger(number) && number >= 0);
    return fits && all.size <= 5 && all.nodes >= 2 && all.nodes <= 8 ? all : undefined;
  } catch {
    return undefined;
  }
}

function main(): number {
  const wanted = numbers();
  if (wanted === undefined) {
    stdout.write(USAGE);
    return 2;
  }
  const { size, samples, nodes, seed } = wanted;
  const parts: Part[] = [
    { name: `every directed graph of up to ${size} nodes`, form: 'wild', graphs: upTo(size, directedGraphs) },
    { name: `every acyclic graph of up to ${size} nodes`, form: 'tame', graphs: upTo(size, acyclicGraphs) },
    { name: `acyclic graphs of up to ${nodes} nodes`, form: 'tame', graphs: drawn('tame', samples, nodes, seed) },
    {
      name: `acyclic graphs of up to ${Math.min(nodes, WIDE_NODES)} nodes with up to ${Math.max(...WIDTHS)} labels of one condition`,
      form: 'wide',
      graphs: drawnWide(Math.ceil(samples / WIDE_OF), Math.min(nodes, WIDE_NODES), seed),
    },
    { name: `broken graphs of up to ${nodes} nodes`, form: 'wild', graphs: drawn('wild', samples, nodes, seed) },
  ];
  let graphs = 0;
  let executions = 0;
  let disagreements = 0;
  const began = Date.now();
  for (const part of parts) {
    const tally = judge(part);
    printPart(part, tally);
    printDisagreements(part, tally);
    graphs += tally.graphs;
    executions += tally.executions;
    disagreements += tally.disagreements.length;
  }
  const seconds = Math.round((Date.now() - began) / 1000);
  stdout.write(
    `${disagreements === 0 ? '✔' : '✖'} ${graphs} graphs, ${executions} executions, ${disagreements} disagreements, ${seconds} s\n`,
  );
  return disagreements === 0 ? 0 : 1;
}

process.exitCode = main();
