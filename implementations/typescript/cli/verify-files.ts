import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import pc from 'picocolors';
import { ArsError } from '../error.js';
import type { SourceDocument } from '../workspace/document.js';
import { visible } from './code-frame.js';
import { collect, type SkippedFile } from './collect.js';
import { wantsColor } from './color.js';
import { ConfigFinder } from './config.js';
import { counted } from './counted.js';
import { linesOf } from './error-text.js';
import type { FormatOptions } from './format/format.js';
import { FORMATS } from './format/index.js';
import { pathBase } from './format/source-uri.js';
import { exitCodeOf, type JudgedReport, judge, limitsExceeded, type Outcome } from './judged.js';
import { levelsOf } from './levels.js';
import { LiveLine } from './live-line.js';
import { findTargets, type Target } from './targets.js';
import type { VerifyOptions } from './verify-options.js';
import { type DocumentReport, reportOnAll } from './verify-report.js';
import { writePieces, writePiecesToFile } from './write-pieces.js';

const require = createRequire(import.meta.url);

/** Where the command writes and reads; tests put their own in place. */
export interface VerifyStreams {
  /** Takes a text, and gives a promise where the reader is slower. */
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => void;
  readonly stdin: NodeJS.ReadableStream;
  readonly colored: boolean;
  /** How many columns the window has that the output goes to. */
  readonly columns?: number | undefined;
  /** Whether what is under way can be shown on the error stream. */
  readonly live?: boolean;
  readonly cwd?: string;
  /** The environment, which says whether a GitHub Action runs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told the exit code before anything is printed, since a reader may go away amid the output. */
  readonly onExitCode?: (code: 0 | 1 | 2) => void;
}

/** Runs the command for the process: its streams, its folder, its exit code. */
export async function verifyAtTerminal(files: readonly string[], options: VerifyOptions): Promise<void> {
  const { stdout, stderr, stdin, env } = process;
  process.exitCode = await runVerify(files, options, {
    out: text => stdout.write(text) || new Promise<void>(resolve => stdout.once('drain', resolve)),
    err: text => void stderr.write(text),
    stdin,
    env,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    colored: wantsColor(options.color, { isTTY: stdout.isTTY === true, env }),
    live: stderr.isTTY === true && options.quiet !== true,
    onExitCode: code => {
      process.exitCode = code;
    },
  });
}

/**
 * Verifies the documents of files and prints what was found; returns the exit code: 0 no error and not too many warnings,
 * 1 findings, 2 where something cannot be read or there is nothing to verify.
 */
export async function runVerify(
  files: readonly string[],
  options: VerifyOptions,
  streams: VerifyStreams,
): Promise<0 | 1 | 2> {
  if (files.length === 0) {
    streams.err('ars verify: name at least one file or folder, or - for standard input\n');
    return 2;
  }
  const both = options.rule?.find(id => options.skipRule?.includes(id));
  if (both !== undefined) {
    streams.err(`ars verify: ${both} is named by --rule and by --skip-rule\n`);
    return 2;
  }
  const live = new LiveLine(streams.live === true ? streams.err : undefined);
  const cwd = streams.cwd ?? process.cwd();
  try {
    const outcome = await findOut(files, options, { ...streams, cwd }, live);
    live.clear();
    for (const problem of outcome.problems) streams.err(`ars verify: ${problem}\n`);
    streams.onExitCode?.(outcome.exitCode);
    await print(outcome, options, { ...streams, cwd });
    return outcome.exitCode;
  } catch (error) {
    live.clear();
    if (!(error instanceof ArsError && error.code === 'usage')) throw error;
    for (const line of linesOf(error)) streams.err(`ars verify: ${line}\n`);
    return 2;
  }
}

/** Everything up to the exit code. Throws `usage` where a configuration has a defect. */
async function findOut(
  files: readonly string[],
  options: VerifyOptions,
  { stdin, cwd }: VerifyStreams & { readonly cwd: string },
  live: LiveLine,
): Promise<Outcome> {
  const { targets, problems: unknown } = await findTargets(files, cwd);
  refuseToOverwrite(options, [...targets.map(({ file }) => file), ...(options.registry ?? [])], cwd);
  const { kept, ignored } = await withoutIgnored(targets, options, cwd);
  const { documents, skipped, registry, registries, problems } = await collect(kept, {
    stdin,
    cwd,
    skipForeign: options.skipForeign === true,
    registries: options.registry ?? [],
    onFile: index => live.show(`reading file ${index + 1} of ${kept.length}`),
  });
  live.show(
    `verifying ${documents.length === 1 ? visible(documents[0]?.file ?? '') : `${documents.length} documents`}`,
    true,
  );
  const verified = reportOnAll(documents, registry);
  const reports = await judgeAll(documents, verified, options, cwd);
  const told = [...unknown, ...problems];
  if (reports.length === 0 && told.length === 0 && options.skipForeign !== true) {
    const others = registries === 0 ? '' : `, only ${counted(registries, 'registry', 'registries')}`;
    told.push(`There is no ARS workflow in ${counted(targets.length, 'file')}${others}`);
  }
  const exceeded = limitsExceeded(reports, options);
  return {
    reports,
    skipped: [...ignored, ...skipped],
    registries,
    problems: told,
    exceeded,
    exitCode: exitCodeOf({ reports, problems: told, exceeded }),
  };
}

/**
 * Parts off what a configuration ignores: of files that were named only with --skip-foreign. Throws `usage` for the defects
 * of all configurations.
 */
async function withoutIgnored(
  targets: readonly Target[],
  { config = true, skipForeign = false }: VerifyOptions,
  cwd: string,
): Promise<{ kept: Target[]; ignored: SkippedFile[] }> {
  const finder = new ConfigFinder(config === true ? undefined : config, cwd);
  await finder.demandSound(targets.map(({ file }) => file));
  const kept: Target[] = [];
  const ignored: SkippedFile[] = [];
  for (const target of targets) {
    const origin = target.named && !skipForeign ? undefined : await finder.ignoredBy(target.file);
    if (origin === undefined) kept.push(target);
    else ignored.push({ file: target.file, reason: `being ignored by ${origin}` });
  }
  return { kept, ignored };
}

/** Throws `usage` where a format would go to a file that is read, or that another format goes to. */
function refuseToOverwrite({ format = [], config }: VerifyOptions, read: readonly string[], cwd: string): void {
  const taken = new Set([...read, ...(typeof config === 'string' ? [config] : [])].map(file => resolve(cwd, file)));
  for (const { name, file } of format) {
    if (file === undefined) continue;
    const path = resolve(cwd, file);
    if (taken.has(path))
      throw new ArsError('usage', `--format ${name}=${visible(file)} names a file that is used already`, {
        details: { file },
      });
    taken.add(path);
  }
}

async function judgeAll(
  documents: readonly SourceDocument[],
  verified: readonly DocumentReport[],
  options: VerifyOptions,
  cwd: string,
): Promise<JudgedReport[]> {
  const { config = true, preset, rule, skipRule } = options;
  const finder = new ConfigFinder(config === true ? undefined : config, cwd);
  const chosen = {
    ...(preset === undefined ? {} : { preset }),
    ...(rule === undefined ? {} : { only: new Set(rule) }),
    ...(skipRule === undefined ? {} : { skip: new Set(skipRule) }),
  };
  const reports: JudgedReport[] = [];
  for (const [index, report] of verified.entries()) {
    const settings = { ...(await finder.settingsOf(report.file)), ...chosen };
    reports.push(judge(documents[index] as SourceDocument, report, levelsOf(settings), settings.preset));
  }
  return reports;
}

async function print(
  outcome: Outcome,
  { format = [{ name: 'text' }], all, quiet }: VerifyOptions,
  { out, colored, columns, cwd, env = {} }: VerifyStreams & { readonly cwd: string },
): Promise<void> {
  const { version } = require('agent-runtime-spec/package.json') as { version: string };
  for (const { name, file } of format) {
    const options: FormatOptions = {
      colors: pc.createColors(colored && file === undefined),
      all: all === true,
      quiet: quiet === true,
      paths: pathBase(cwd, env),
      ...(columns === undefined || file !== undefined ? {} : { columns }),
      version,
    };
    const pieces = (await FORMATS[name]())(outcome, options);
    if (file === undefined) await writePieces(pieces, out);
    else await writePiecesToFile(pieces, file, cwd);
  }
}
