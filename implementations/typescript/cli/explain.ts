import { Command } from 'commander';
import pc from 'picocolors';
import { nearest } from '../../../schemas/index.js';
import { RULE_IDS, RULES } from '../verification/rules/index.js';
import { type Colors, visible } from './code-frame.js';

/** Returns the sub-command `ars explain`. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('tell what a verification rule means, with an example')
    .argument('<id>', `the id of a rule: ${RULES.map(rule => rule.id).join(', ')}`)
    .action((id: string) => {
      const colored = pc.isColorSupported && process.stdout.isTTY === true && !process.env.NO_COLOR;
      const text = explain(id, pc.createColors(colored));
      if (text !== undefined) process.stdout.write(`${text}\n`);
      else {
        process.stderr.write(`ars explain: ${visible(unknownRule(id))}\n`);
        process.exitCode = 2;
      }
    });
}

/** What a finding under the id SCHEMA means, which is no rule of chapter 8. */
const SCHEMA_TEXT = [
  'SCHEMA (blocking)  The document can be read and has the form that its schema describes.',
  '',
  'Why:  What cannot be read or does not have the form has no meaning that a rule could be applied to.',
  'Help: Mend these findings first; rules that need the parts in question are evaluated after that.',
  '      The fields of a workflow are listed in spec/v1.0/07-workflow.md, in full in schemas/v1.0/workflow.schema.json.',
].join('\n');

/** Returns what a rule means, for a reader; undefined where this verifier has no such rule. */
export function explain(id: string, colors: Colors): string | undefined {
  if (id.toUpperCase() === 'SCHEMA') return SCHEMA_TEXT;
  const rule = RULES.find(candidate => candidate.id === id.toUpperCase());
  if (rule === undefined) return undefined;
  const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, '    ');
  return [
    `${colors.bold(rule.id)} (${rule.severity})  ${rule.requirement}`,
    '',
    `${colors.cyan('Why:')}  ${rule.why}`,
    `${colors.cyan('Help:')} ${rule.help}`,
    '',
    colors.red('Fails:'),
    indent(rule.failing),
    '',
    colors.green('Passes:'),
    indent(rule.passing),
  ].join('\n');
}

function unknownRule(id: string): string {
  const known = RULES.map(rule => rule.id);
  if (RULE_IDS.includes(id.toUpperCase()))
    return `this verifier does not evaluate ${id.toUpperCase()} yet; it evaluates ${known.join(', ')}`;
  const meant = nearest(id.toUpperCase(), known);
  return `there is no rule "${id}"${meant === undefined ? '' : `; did you mean ${meant}?`}; there are ${known.join(', ')}`;
}
