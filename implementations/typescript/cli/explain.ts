import { Command } from 'commander';

const EXAMPLES = `
Examples:
  $ ars explain S9                 a rule of verification, with an example that fails and one that passes
  $ ars explain S9/too-often       one way in which it can be broken, with a whole workflow
  $ ars explain AII3               a requirement
  $ ars explain version_conflict   a code of an error or of a gate
  $ ars explain E3                 an error class, a safety level, or another term
  $ ars explain AND join           a word of a finding
  $ ars explain side_effects       a field of a document, or a value of one
  $ ars explain S6 S15 E3          several, one after the other
  $ ars explain                    the rules, and what else can be explained

Exit status: 0 explained, 2 where something is not known.`;

/** Returns the sub-command `ars explain`. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('tell what a rule, a requirement, a code or a term means')
    .argument('[id...]', 'ids of rules or requirements, codes, or terms, in one word or more; without any, a list')
    .option('--color', 'use colours, also where the output is no terminal')
    .option('--no-color', 'use no colours')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], { color }: { readonly color?: boolean }) => {
      const { explainAtTerminal } = await import('./explanation.js');
      process.exitCode = explainAtTerminal(words, color);
    });
}
