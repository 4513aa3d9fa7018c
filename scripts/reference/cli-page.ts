import type { Argument, Command, Option } from 'commander';
import { pageStart, table } from './markdown.js';

/** Gives `reference/cli.md`: the commands of both programs with their arguments and options, from their own definitions. */
export function cliPage(programs: readonly Command[]): string {
  const index = programs.flatMap(program =>
    leavesOf(program).map(({ name, command }) => [
      `[\`${name}\`](#${name.replaceAll(' ', '-')})`,
      command.description(),
    ]),
  );
  return `${pageStart('Command line', 'the definitions of the commands')}
After \`npm install\` and \`npm run build\`, \`npx ars\` and \`npx ars-compliance\` are there; \`--help\` after any command prints what stands here.

${table(['command', 'it is there to'], index)}

${programs.map(programSection).join('\n')}`;
}

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

/** The commands of a program that can be called, each with its whole name. */
function leavesOf(program: Command): Leaf[] {
  const found: Leaf[] = [];
  const waiting: Leaf[] = [{ name: program.name(), command: program }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, command } = next;
    if (command.commands.length === 0) found.push(next);
    else waiting.unshift(...command.commands.map(child => ({ name: `${name} ${child.name()}`, command: child })));
  }
  return found;
}

function programSection(program: Command): string {
  const sections = leavesOf(program).map(({ name, command }) => leafSection(name, command));
  return `## \`${program.name()}\`\n\n${program.description()}\n\n${sections.join('\n')}`;
}

function leafSection(name: string, command: Command): string {
  const description = command.description();
  const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}${description.endsWith('.') ? '' : '.'}`;
  const given = command.registeredArguments.map(argument => [argumentName(argument), meaningOf(argument)]);
  const options = command.options
    .filter(option => !option.hidden)
    .map(option => [`\`${option.flags}\``, meaningOf(option)]);
  const parts = [
    `### \`${name}\``,
    sentence,
    `\`\`\`text\n${name} ${command.usage()}\n\`\`\``,
    ...(given.length === 0 ? [] : [table(['argument', 'meaning'], given)]),
    ...(options.length === 0 ? [] : [table(['option', 'meaning'], options)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function argumentName(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `\`<${name}>\`` : `\`[${name}]\``;
}

function meaningOf({ description, defaultValue, defaultValueDescription, argChoices }: Argument | Option): string {
  const plain = description === '' ? '–' : description;
  const choices = argChoices === undefined ? '' : `; one of ${argChoices.map(choice => `\`${choice}\``).join(', ')}`;
  const isSaid = !defaultValue || String(defaultValue) === '' || /\bdefault\b/.test(description);
  return `${plain}${choices}${isSaid ? '' : `; by default ${defaultValueDescription ?? `\`${String(defaultValue)}\``}`}`;
}
