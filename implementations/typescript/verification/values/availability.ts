import type { Path } from '../../workflow/mapping.js';
import type { VerificationContext } from '../context.js';
import { joinToWaitAt } from '../exclusive-edges.js';
import { atNode, compareNames, type FindingDraft } from '../rule.js';
import type { Question } from './batched-answers.js';
import { type Certainty, nearestErrorNodes } from './certainty.js';
import { findingAt, readText } from './judge-read.js';
import { pathText } from './path-text.js';
import type { Read } from './reads.js';
import { offerDefault, standInFor } from './stand-in.js';
import { ToldPaths } from './told-paths.js';

/** Whether what is read is there when it is read. */
export interface Availability {
  readonly findings: readonly FindingDraft[];
  /** Why that was not found out of everything. */
  readonly notEvaluated?: string;
}

/**
 * Returns a finding for each read of an optional input without a default, of a node that is no ancestor or may not have
 * committed, and of an error that there may not be. The paths themselves were judged before.
 */
export function judgeAvailability(
  context: VerificationContext,
  reads: readonly Read[],
  certainty: Certainty | undefined,
): Availability {
  const findings: FindingDraft[] = [];
  const told = new ToldPaths();
  const ofErrors: Read[] = [];
  const ofNodes: Read[] = [];
  for (const read of reads) {
    if (read.action !== undefined) continue;
    const [root] = read.path;
    const other = read.fallback?.[0];
    if (root === 'nodes') ofNodes.push(read);
    else if (root === 'error') ofErrors.push(read);
    else if (mayLackInput(context, read.path) && !isSafe(context, read) && told.isNew(read, read.path))
      findings.push(optionalInput(context, read));
    if (other === 'nodes' && root !== 'nodes') ofNodes.push(read);
    if (other === 'error' && root !== 'error') ofErrors.push(read);
  }
  const { orderDoubt } = context;
  if (orderDoubt !== undefined || certainty === undefined) {
    return ofNodes.length + ofErrors.length === 0
      ? { findings }
      : { findings, notEvaluated: `which node comes before which is not known: ${orderDoubt}` };
  }
  if (ofErrors.length > 0) {
    const nearest = nearestErrorNodes(context);
    for (const read of ofErrors) {
      const path = read.path[0] === 'error' ? read.path : (read.fallback ?? []);
      if ((nearest[read.reader] as number) < 0 && told.isNew(read, path))
        findings.push(withoutError(context, read, path));
    }
  }
  if (ofNodes.length === 0) return { findings };
  const judge = new NodeReads(context, certainty, ofNodes, told);
  for (const read of ofNodes) {
    const finding = judge.judge(read);
    if (finding !== undefined) findings.push(finding);
  }
  return judge.gaveUp
    ? { findings, notEvaluated: 'the joins between some references and their nodes are too many to search' }
    : { findings };
}

/** Whether an input may be absent although nothing stands in for it. */
function mayLackInput(context: VerificationContext, [root, name = '']: Path): boolean {
  if (root !== 'inputs') return false;
  const { inputs } = context.input;
  const input = inputs !== undefined && Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return input !== undefined && input.required === false && !Object.hasOwn(input, 'default');
}

function isSafe(context: VerificationContext, { defaulted, fallback }: Read): boolean {
  return defaulted || (fallback !== undefined && !mayLackInput(context, fallback));
}

function optionalInput(context: VerificationContext, read: Read): FindingDraft {
  const name = read.path[1] ?? '';
  const help =
    read.place === 'expression'
      ? `Ask first: has(${pathText(['inputs', name], read.place)}) && …, or give the input a default.`
      : `Write \${inputs.${name} ?? ${standInFor(context, read)}}, or give the input a default.`;
  return findingAt(context, read, `The input "${name}" may not be given, and nothing stands in for it`, help);
}

function withoutError(context: VerificationContext, read: Read, path: Path): FindingDraft {
  const message = `${readText(read, path)} is read where there may be no error: not every path here leads through an error node`;
  return findingAt(
    context,
    read,
    message,
    'Read error in an error node, or in a node that only an error node leads to.',
  );
}

/** The paths of a reference that lead into nodes. */
function nodePathsOf({ path, fallback }: Read): Path[] {
  return [path, ...(fallback === undefined ? [] : [fallback])].filter(([root]) => root === 'nodes');
}

/** Judges what is read of nodes. */
class NodeReads {
  gaveUp = false;
  readonly #context: VerificationContext;
  readonly #certainty: Certainty;
  readonly #told: ToldPaths;
  readonly #ends: readonly number[];

  constructor(context: VerificationContext, certainty: Certainty, reads: readonly Read[], told: ToldPaths) {
    this.#context = context;
    this.#certainty = certainty;
    this.#told = told;
    const ends: number[] = [];
    for (let node = 0; node < context.graph.nodeCount; node++) {
      if (context.columns.completes[node] === 1 && context.reachable[node] === 1) ends.push(node);
    }
    this.#ends = ends.sort((a, b) => compareNames(this.#name(a), this.#name(b)));
    this.#certainty.prepare(this.#questions(reads));
  }

  *#questions(reads: readonly Read[]): Generator<Question> {
    for (const read of reads) {
      const sources = this.#sourcesOf(read);
      if (sources.some(source => !this.#isClear(source))) continue;
      if (read.place === 'outputs') {
        for (const reader of this.#ends) yield { asks: 'commit', sources, reader };
        continue;
      }
      const { reader } = read;
      for (const source of sources) {
        yield { asks: 'commit', sources: [source], reader };
        yield { asks: 'path', sources: [source], reader };
      }
      if (sources.length > 1) yield { asks: 'commit', sources, reader };
    }
  }

  #sourcesOf(read: Read): number[] {
    return nodePathsOf(read).map(([, name = '']) => this.#context.graph.indexOf(name));
  }

  /** Whether nothing was said yet of the path to one of the sources at this place. */
  #isNew(read: Read, source: number): boolean {
    return this.#told.isNew(read, nodePathsOf(read)[source] ?? []);
  }

  judge(read: Read): FindingDraft | undefined {
    const sources = this.#sourcesOf(read);
    if (sources.some(source => !this.#isClear(source))) return undefined;
    if (read.place === 'outputs') return this.#judgeOutput(read, sources);
    for (const [at, source] of sources.entries()) {
      const certain = this.#certainty.hasCommitted([source], read.reader);
      if (certain === true) continue;
      const ancestor = this.#certainty.isAncestor(source, read.reader);
      if (ancestor === undefined) this.gaveUp = true;
      if (ancestor === false) return this.#isNew(read, at) ? this.#noAncestor(read, source) : undefined;
    }
    const settled = this.#isSettled(read, sources, read.reader);
    if (settled === undefined) this.gaveUp = true;
    return settled === false && this.#isNew(read, 0) ? this.#uncertain(read, sources[0] as number) : undefined;
  }

  /** Whether a node can be judged: what S2, S5 and the schema say of it is said already. */
  #isClear(source: number): boolean {
    const { reachable, ambiguous, input } = this.#context;
    return source >= 0 && reachable[source] === 1 && !ambiguous.has(source) && !input.unclearNodes.has(source);
  }

  /** Whether the path, or what stands in for it, leads to something when the reader runs. */
  #isSettled({ path, defaulted, fallback }: Read, sources: readonly number[], reader: number): boolean | undefined {
    const others = [path, ...(fallback === undefined ? [] : [fallback])].filter(([root]) => root !== 'nodes');
    if (defaulted || others.some(other => !mayLackInput(this.#context, other))) return true;
    return this.#certainty.hasCommitted(sources, reader);
  }

  #judgeOutput(read: Read, sources: readonly number[]): FindingDraft | undefined {
    for (const end of this.#ends) {
      const settled = this.#isSettled(read, sources, end);
      if (settled === undefined) this.gaveUp = true;
      if (settled !== false) continue;
      if (!this.#isNew(read, 0)) return undefined;
      const name = this.#name(sources[0] as number);
      const output = read.pointer.split('/')[2] ?? '';
      const message = `The output "${output}" may lead to nothing: "${name}" need not have committed when the instance completes at "${this.#name(end)}"`;
      const help = `Give it a default: \${${pathText(read.path, read.place)} ?? null}.`;
      return findingAt(this.#context, read, message, help, [
        atNode(this.#context, end, 'a completed end that it need not have committed before'),
      ]);
    }
    return undefined;
  }

  #noAncestor(read: Read, source: number): FindingDraft {
    const name = this.#name(source);
    const own = source === read.reader;
    const message = own
      ? `"${name}" reads its own outputs`
      : `"${this.#name(read.reader)}" reads "${name}", but no path leads from there to it`;
    const help = own
      ? read.place === 'output_mapping'
        ? 'Write ${result.x}: result is what the action gave.'
        : 'Read an output of a node that runs before.'
      : `Read a node that runs before, or add an edge after which "${name}" comes first.`;
    return findingAt(
      this.#context,
      read,
      message,
      help,
      own ? [] : [atNode(this.#context, source, 'this node is read')],
    );
  }

  #uncertain(read: Read, source: number): FindingDraft {
    const name = this.#name(source);
    const message = `"${name}" need not have committed when "${this.#name(read.reader)}" runs, so ${readText(read, read.path)} may lead to nothing`;
    const help =
      read.place === 'expression'
        ? `Ask first: has(${pathText(['nodes', name, 'outputs', ...read.path.slice(3)], read.place)}) && …`
        : offerDefault(this.#context, read, this.#orWait(read, source));
    return findingAt(this.#context, read, message, help, [atNode(this.#context, source, 'this node is read')]);
  }

  /** The join at which waiting for all branches would make a node certain, as an offer. */
  #orWait({ reader }: Read, source: number): string {
    const join = joinToWaitAt(this.#context, reader, source);
    return join < 0 ? '' : `, or give "${this.#name(join)}" join_type: AND where all branches are needed`;
  }

  #name(node: number): string {
    return this.#context.graph.names[node] as string;
  }
}
