import { Command, InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { ArsError } from '../error.js';
import type { SourceDocument } from '../workspace/document.js';
import { readRegistries } from './registries.js';
import { readSource } from './sources.js';
import { findingText, inOrderOfPlace, reportOnAll, summaryText } from './verify-report.js';

interface VerifyOptions {
  readonly format: 'text' | 'json';
  readonly maxWarnings?: number;
  readonly registry?: readonly string[];
}

/** Where the command writes and reads; tests put their own in place. */
export interface VerifyStreams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly stdin: NodeJS.ReadableStream;
  readonly colored: boolean;
}

const EXAMPLES = `
Examples:
  $ ars verify workflow.yaml
  $ ars verify workflows/*.yaml --max-warnings 0
  $ ars verify workflow.yaml --registry registry.yaml
  $ cat workflow.json | ars verify - --format json

Exit status: 0 no blocking finding, 1 findings, 2 usage or unreadable input. "ars explain S1" tells more about a rule.`;

/** Returns the sub-command `ars verify`. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('check workflows before anything runs')
    .argument('[files...]', 'YAML or JSON files, or - for standard input')
    .addOption(new Option('--format <format>', 'how to print the reports').choices(['text', 'json']).default('text'))
    .option(
      '--registry <file>',
      'a registry of actions and workflows that is there too; can be given several times',
      (file: string, files: readonly string[] = []) => [...files, file],
    )
    .option('--max-warnings <count>', 'fail with more warnings than this', parseCount)
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: VerifyOptions) => {
      const colored = pc.isColorSupported && process.stdout.isTTY === true && !process.env.NO_COLOR;
      process.exitCode = await runVerify(files, options, {
        out: text => process.stdout.write(text),
        err: text => process.stderr.write(text),
        stdin: process.stdin,
        colored,
      });
    });
}

function parseCount(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 0 on.');
  return Number(text);
}

/**
 * Verifies the documents of files and prints what was found; returns the exit code: 0 no blocking finding and not too
 * many warnings, 1 findings, 2 where a file cannot be read or none is named.
 */
export async function runVerify(
  files: readonly string[],
  options: VerifyOptions,
  streams: VerifyStreams,
): Promise<0 | 1 | 2> {
  const colors = pc.createColors(streams.colored);
  if (files.length === 0) {
    streams.err('ars verify: name at least one file, or - for standard input\n');
    return 2;
  }
  const documents: SourceDocument[] = [];
  let unreadable = 0;
  for (const file of new Set(files)) {
    try {
      for (const document of await readSource(file, streams.stdin)) documents.push(document);
    } catch (error) {
      if (!(error instanceof ArsError && error.code === 'usage')) throw error;
      unreadable++;
      streams.err(`ars verify: ${error.message}\n`);
    }
  }
  const registry = await readRegistries(options.registry, streams);
  if (registry === 'unreadable') return 2;
  const reports = reportOnAll(documents, registry);
  if (options.format === 'json') streams.out(`${JSON.stringify({ reports }, null, 2)}\n`);
  else if (reports.length > 0) {
    for (const [index, { report }] of reports.entries()) {
      for (const finding of inOrderOfPlace(report.findings))
        streams.out(`${findingText(documents[index] as SourceDocument, finding, colors)}\n\n`);
    }
    streams.out(`${summaryText(reports, colors)}\n`);
  }
  if (unreadable > 0) return 2;
  const warnings = reports.reduce((sum, { report }) => sum + report.counts.warning, 0);
  const failed = reports.some(({ report }) => report.verdict === 'FAIL');
  return failed || warnings > (options.maxWarnings ?? Number.POSITIVE_INFINITY) ? 1 : 0;
}
