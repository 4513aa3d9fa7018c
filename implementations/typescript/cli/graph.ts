import { Command, Option } from 'commander';

const EXAMPLES = `
Examples:
  $ ars graph workflow.yaml                              Mermaid, for a Markdown file
  $ ars graph workflow.yaml --format svg --out flow.svg
  $ ars graph workflow.yaml --format dot | dot -Tpdf > flow.pdf

What verification finds is marked on the nodes and edges. Exit status: 0 drawn, 2 usage or nothing that can be drawn.`;

/** Returns the sub-command `ars graph`. */
export function graphCommand(): Command {
  return new Command('graph')
    .description('draw a workflow, with its findings')
    .argument('<file>', 'a YAML or JSON workflow, or - for standard input')
    .addOption(
      new Option('--format <format>', 'what to draw it as').choices(['mermaid', 'dot', 'svg']).default('mermaid'),
    )
    .option('--out <file>', 'where to write it; absent means standard output')
    .option(
      '--document <number>',
      'which document of the file, from 1 (in ars verify --format json they count from 0)',
      '1',
    )
    .option(
      '--registry <file>',
      'a registry, in which actions and workflows are looked up too; may be repeated',
      (file: string, files: readonly string[] = []) => [...files, file],
    )
    .option('--config <file>', 'a configuration, instead of the nearest one above the file')
    .option('--no-config', 'read no configuration: rules have the levels that the specification gives')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: Record<string, unknown>) => {
      const { drawFile } = await import('./graph/draw-file.js');
      process.exitCode = await drawFile(file, options);
    });
}
