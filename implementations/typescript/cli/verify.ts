import { Command, InvalidArgumentError, Option } from 'commander';
import { FORMAT_NAMES } from './format/index.js';
import { formatRequest, parseRules } from './verify-options.js';

const EXAMPLES = `
Examples:
  $ ars verify workflow.yaml
  $ ars verify workflows/ 'more/**/*.yaml' registry.yaml --max-warnings 0
  $ ars verify . --skip-rule S15,S17 --preset strict
  $ cat workflow.json | ars verify - --format json
  $ ars verify . --format github --format sarif=ars.sarif

A folder means every YAML and JSON file below it, a pattern every file that it matches; of these, what is no ARS workflow
is skipped and counted. Registries among the files are where actions and skills are looked up; skills are found in the
other files as well. How much each rule counts is taken from the nearest ars.config.yaml or ars.config.json.
"ars explain" lists the rules, "ars explain S1" tells what one means, with examples.

Exit status: 0 no error, 1 errors, or too many warnings or rules not evaluated, 2 usage, or input that cannot be read.`;

/** Returns the sub-command `ars verify`. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('check workflows before anything runs')
    .argument('[files...]', 'files, folders, patterns in quotes, or - for standard input')
    .addOption(
      new Option('--format <format[=file]>', `${FORMAT_NAMES.join(', ')}; =FILE writes it there; may be repeated`)
        .argParser(formatRequest)
        .default(undefined, 'text'),
    )
    .option(
      '--registry <file>',
      'a registry, in which actions and workflows are looked up too; may be repeated',
      repeated,
    )
    .option('--rule <ids>', 'only these rules, as in S1,S2; may be repeated', parseRules)
    .option('--skip-rule <ids>', 'all rules but these; may be repeated', parseRules)
    .addOption(
      new Option(
        '--preset <preset>',
        'the levels of rules: strict makes warnings errors and wants every rule evaluated, minimal leaves warnings out',
      ).choices(['recommended', 'strict', 'minimal']),
    )
    .option('--config <file>', 'a configuration for all files, instead of the nearest one above each')
    .option('--no-config', 'read no configuration: only the options of this call count')
    .option('--max-warnings <count>', 'fail with more warnings than this', parseCount)
    .option(
      '--max-unevaluated <count>',
      'fail with more rules not evaluated than this; without it, strict allows none and the other presets any number',
      parseCount,
    )
    .option('--skip-foreign', 'skip files that are no ARS workflow, also those that are named')
    .option('--all', 'print long lists in full')
    .option('--quiet', 'print errors only')
    .option('--color', 'use colours, also where the output is no terminal')
    .option('--no-color', 'use no colours')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: Record<string, unknown>) => {
      const { verifyAtTerminal } = await import('./verify-files.js');
      await verifyAtTerminal(files, options);
    });
}

function repeated(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

function parseCount(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 0 on.');
  return Number(text);
}
