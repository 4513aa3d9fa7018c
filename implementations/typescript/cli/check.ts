import { Command } from 'commander';
import { ArsError } from '../error.js';
import { workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { outputColors } from './color.js';
import { CLI_AGENT, needsConsent } from './consent.js';
import { boundInputs, readInputs } from './inputs.js';
import { formatOption, withOperator } from './operator.js';
import { writeLine } from './output.js';
import { readRunFiles } from './run-files.js';

interface CheckOptions {
  readonly workspace: string;
  readonly agent: string;
  readonly input: readonly string[];
  readonly inputs?: string;
  readonly registry: readonly string[];
  readonly workflow?: string;
  readonly format: 'text' | 'json';
}

/** What one gate would say. */
interface Answer {
  readonly gate: 'verification' | 'governance' | 'safety' | 'execution';
  readonly answer: 'allowed' | 'denied' | 'confirmation needed';
  readonly why: readonly string[];
}

const EXAMPLES = `
Examples:
  $ ars check workflow.yaml --input name=Ada --agent planner

Nothing is recorded and no trust changes. Exit status: 0 where a start would be allowed, once it is confirmed where the
safety level or a policy asks for that; 1 where it would be denied.`;

/** Returns the sub-command `ars check`. */
export function checkStartCommand(): Command {
  const gather = (value: string, all: string[]) => [...all, value];
  return new Command('check')
    .description('say what the gates would answer to a start')
    .argument('<files...>', 'YAML or JSON workflows of which the first is meant, and registries')
    .option('-i, --input <name=value>', 'an input; may be repeated', gather, [])
    .option('--inputs <file>', 'a JSON object of inputs')
    .option('--registry <file>', 'a file to look actions and skills up in; may be repeated', gather, [])
    .option('--workflow <name>', 'which workflow of the files is meant, where it is not the first')
    .option('--agent <agent_id>', 'who would start it', CLI_AGENT)
    .addOption(workspaceOption())
    .addOption(formatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: CheckOptions) => {
      process.exitCode = await check(files, options);
    });
}

async function check(files: readonly string[], options: CheckOptions): Promise<number> {
  const { registry: registries, workflow: name, workspace, agent: agent_id, format } = options;
  const documents = await readRunFiles({ files, registries, name, workspace });
  if (documents === undefined) return 1;
  const { workflow } = documents;
  const inputs = readInputs(workflow, options.input, options.inputs);
  const answers = await withOperator(workspace, async (runtime): Promise<Answer[]> => {
    const said = runtime.check({ workflow, inputs, agent_id });
    const why = said.reasons.map(({ message }) => message);
    if (said.gate === 'verification') return [{ gate: 'verification', answer: 'denied', why }];
    const by_policy = said.reasons.some(({ code }) => code === 'CONFIRMATION_NEEDED');
    const answer = by_policy ? 'confirmation needed' : said.decision;
    const verified: Answer = { gate: 'verification', answer: 'allowed', why: [] };
    const governed: Answer = { gate: 'governance', answer, why };
    if (answer === 'denied') return [verified, governed];
    const risk = runtime.risk({ workflow, inputs });
    const safe: Answer = {
      gate: 'safety',
      answer: needsConsent(risk) ? 'confirmation needed' : 'allowed',
      why: [`The safety level is ${risk.safety_level}.`],
    };
    return [verified, governed, safe, execution(workflow, inputs)];
  });
  if (format === 'json') await writeLine(JSON.stringify(answers));
  else for (const one of answers) await writeLine(lineOf(one));
  return answers.some(({ answer }) => answer === 'denied') ? 1 : 0;
}

function execution(workflow: Parameters<typeof boundInputs>[0], inputs: Readonly<Record<string, unknown>>): Answer {
  try {
    boundInputs(workflow, inputs);
    return { gate: 'execution', answer: 'allowed', why: [] };
  } catch (error) {
    if (!(error instanceof ArsError) || error.code !== 'invalid_document') throw error;
    return { gate: 'execution', answer: 'denied', why: [error.message] };
  }
}

function lineOf({ gate, answer, why }: Answer): string {
  const { green, red, yellow } = outputColors();
  const paint = { allowed: green, denied: red, 'confirmation needed': yellow }[answer];
  return `${gate.padEnd(12)}  ${paint(answer.padEnd(19))}  ${visible(why.join(' '))}`.trimEnd();
}
