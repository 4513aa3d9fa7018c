import { Command } from 'commander';
import type { Workflow } from '../../../schemas/types.js';
import type { Log, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import { actionKey } from '../execution/contract.js';
import { previewStart, type StartPreview } from '../preview.js';
import { canonicalize } from '../state/canonical.js';
import { holdingOf, nameOfHolder } from '../store/lock.js';
import { storePaths } from '../store/paths.js';
import { readingLog, withDocuments } from '../store/reading-log.js';
import { workflowKey } from '../workflow/resolve.js';
import { readManifest } from '../workspace/manifest.js';
import { openReaderIfAny, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { errorColors, outputColors } from './color.js';
import { CLI_AGENT, CLI_PERMISSION, CLI_REGISTERED, needsConsent } from './consent.js';
import { counted } from './counted.js';
import { boundInputs, readInputs } from './inputs.js';
import { nextCommand } from './next-command.js';
import { formatOption } from './operator.js';
import { writeLine } from './output.js';
import { registerAdvice } from './register-advice.js';
import { conflictOf, type RunDocuments, readRunFiles } from './run-files.js';
import { repeated } from './run-options.js';

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

Nothing is recorded, no trust changes, and nothing is held: it reads beside whatever runs there. Whether there is code for
the actions is seen by the start itself. Exit status: 0 where a start would be allowed, once it is confirmed where the
safety level or a policy asks for that; 1 where it would be denied.`;

/** Returns the sub-command `ars check`. */
export function checkStartCommand(): Command {
  return new Command('check')
    .description('say what the gates would answer to a start')
    .argument('<files...>', 'YAML or JSON workflows of which the first is meant, and registries')
    .addOption(repeated('-i, --input <name=value>', 'an input; may be repeated'))
    .option('--inputs <file>', 'a JSON object of inputs')
    .addOption(repeated('--registry <file>', 'a file to look actions and skills up in; may be repeated'))
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
  readManifest(workspace);
  const log = readingLog(openReaderIfAny(workspace));
  try {
    const now = new Date().toISOString();
    const preview = previewStart(withGiven(log, documents, workspace), { workflow, inputs, agent_id }, now);
    const answers = answersOf(preview, workflow, inputs);
    if (format === 'json') await writeLine(JSON.stringify(answers));
    else for (const one of answers) await writeLine(lineOf(one));
    const note = unjudged(log, workspace);
    process.stderr.write(registerAdvice(preview.said.reasons, agent_id) ?? '');
    if (note !== undefined) process.stderr.write(`${errorColors().yellow('!')} ${note}\n`);
    return answers.some(({ answer }) => answer === 'denied') ? 1 : 0;
  } finally {
    await log.close();
  }
}

/** The log with what a start from the command line puts there first: what was given with the workflow, and its own agent. */
function withGiven(log: Log, { definitions }: RunDocuments, workspace: string): Log {
  const given: StoredDocument[] = [
    ...definitions.actions.map(value => ({ kind: 'action' as const, id: actionKey(value), value })),
    ...definitions.workflows.map(value => ({ kind: 'workflow' as const, id: workflowKey(value), value })),
  ];
  for (const { kind, id, value } of given) {
    const stored = log.document(kind, id);
    if (stored !== undefined && canonicalize(stored) !== canonicalize(value)) throw conflictOf(id, workspace);
  }
  if (log.document('agent', CLI_AGENT) === undefined) {
    given.push({ kind: 'agent', id: CLI_AGENT, value: CLI_REGISTERED });
    const { permission_id } = CLI_PERMISSION;
    // One that is stored stays what an operator made of it, here as at the start.
    if (log.document('permission', permission_id) === undefined)
      given.push({ kind: 'permission', id: permission_id, value: CLI_PERMISSION });
  }
  return withDocuments(log, given);
}

function answersOf(
  { said, risk }: StartPreview,
  workflow: Workflow,
  inputs: Readonly<Record<string, unknown>>,
): Answer[] {
  const why = said.reasons.map(({ message }) => message);
  if (risk === undefined) return [{ gate: 'verification', answer: 'denied', why }];
  const by_policy = said.reasons.some(({ code }) => code === 'CONFIRMATION_NEEDED');
  const answer = by_policy ? 'confirmation needed' : said.decision;
  const verified: Answer = { gate: 'verification', answer: 'allowed', why: [] };
  const governed: Answer = { gate: 'governance', answer, why };
  if (answer === 'denied') return [verified, governed];
  const safe: Answer = {
    gate: 'safety',
    answer: needsConsent(risk) ? 'confirmation needed' : 'allowed',
    why: [`The safety level is ${risk.safety_level}.`],
  };
  return [verified, governed, safe, execution(workflow, inputs)];
}

/** What a look at the log cannot know: what is done beside it, and what recovery will do first. */
function unjudged(log: Log, workspace: string): string | undefined {
  const { held, holder } = holdingOf(storePaths(workspace));
  if (held)
    return `"${visible(workspace)}" is held by ${nameOfHolder(holder)}: this is as of record ${log.head().sequence}, and what is written after it was not judged`;
  const interrupted = [...log.records({ incomplete: true })].filter(({ status }) => status === 'pending').length;
  if (interrupted === 0) return undefined;
  return `${counted(interrupted, 'interrupted action')} will be decided before the start (${nextCommand('recover', '--dry-run')}); what that changes was not judged`;
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
