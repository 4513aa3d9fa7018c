import { createInterface } from 'node:readline/promises';
import type { Agent, DryRun, Permission } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { RiskCause } from '../governance/safety.js';
import { OWNER, type Runtime } from '../runtime.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';
import { withHint } from './output.js';

/** On whose behalf the command line runs workflows, so that the person at it can approve as `owner`. */
export const CLI_AGENT = 'cli';

/** The agent of the command line as it is registered, and what it may do. */
export const CLI_REGISTERED: Agent = { agent_id: CLI_AGENT, trust: 'TRUSTED', description: 'What ars run starts.' };
export const CLI_PERMISSION: Permission & { permission_id: string } = {
  permission_id: 'cli-execute',
  domain: 'execution',
  actions: ['execute'],
  granted_to: CLI_AGENT,
  granted_by: OWNER,
};

/** How long a confirmation that was just given can wait for its start, in milliseconds. */
const LASTING_MS = 600_000;
const MOST_CAUSES = 10;

/** Registers the agent of the command line in a workspace that does not know it; what an operator made of it stays. */
export async function registerCli(runtime: Runtime): Promise<void> {
  if (runtime.agent(CLI_AGENT) !== undefined) return;
  try {
    await runtime.grant(CLI_PERMISSION);
  } catch (error) {
    // An earlier run was interrupted between this and the next step.
    if (!(error instanceof ArsError) || error.code !== 'conflict') throw error;
  }
  await runtime.registerAgent(CLI_REGISTERED, OWNER);
}

/** What is to be confirmed, for a person. */
export interface Question {
  /** The name of the workflow. */
  readonly name: string;
  readonly agent_id: string;
  readonly risk: DryRun;
  readonly causes: readonly RiskCause[];
  /** Whether a policy asks for a confirmation, whatever the level. */
  readonly by_policy?: boolean;
}

/**
 * Has the person at the command line confirm a start, as `owner`, and gives the confirmation_id; undefined where neither
 * the level nor a policy needs one. `answer` is what --confirm was given: `yes`, or true for a question on the terminal.
 *
 * Throws `usage` where nobody can be asked or the agent is `owner` itself, and `denied` where the person does not agree.
 */
export async function askConsent(
  runtime: Runtime,
  question: Question,
  answer: 'yes' | true,
): Promise<string | undefined> {
  const { risk, agent_id, name, by_policy } = question;
  if (!needsConsent(risk) && by_policy !== true) return undefined;
  if (agent_id === OWNER)
    throw new ArsError(
      'usage',
      `whoever starts cannot approve: you approve as "${OWNER}", so leave --agent ${OWNER} out`,
    );
  process.stderr.write(riskText(question));
  if (by_policy === true) process.stderr.write('a policy asks for a confirmation\n');
  if (answer !== 'yes') await askPerson(risk, name);
  const { resolved_digest, inputs_digest } = risk;
  const expires_at = new Date(Date.now() + LASTING_MS).toISOString();
  return runtime.approve({ resolved_digest, inputs_digest, agent_id, approver: OWNER, expires_at });
}

/** Whether a start of this level needs a confirmation. */
export function needsConsent({ safety_level }: DryRun): boolean {
  return safety_level === 'RISKY' || safety_level === 'IRREVERSIBLE';
}

/** The level, and the nodes that cause it. */
export function riskText({ name, risk, causes }: Pick<Question, 'name' | 'risk' | 'causes'>): string {
  const level = needsConsent(risk) ? errorColors().yellow(risk.safety_level) : errorColors().green(risk.safety_level);
  const lines = causes.slice(0, MOST_CAUSES).map(({ node_id, action_id }) => `  ${visible(node_id)} (${action_id})`);
  if (causes.length > MOST_CAUSES) lines.push(`  and ${causes.length - MOST_CAUSES} more`);
  const by = lines.length === 0 ? '' : ', because of';
  return `${name} is ${level}${by}\n${lines.map(line => `${line}\n`).join('')}`;
}

/** What a denied start has to be confirmed for; undefined for any other error and where no confirmation would help. */
export function riskToConfirm(error: unknown): DryRun | undefined {
  return error instanceof ArsError && error.code === 'denied' ? (error.details.dry_run as DryRun) : undefined;
}

/** What to do about a start that was denied for want of a confirmation; undefined for any other error. */
export function consentAdvice(error: unknown, again: string, resumed = false): string | undefined {
  if (riskToConfirm(error) === undefined) return undefined;
  return [
    ...(resumed ? [] : [`to see what is risky about it, without running anything:  ${again} --dry-run`]),
    `to run it, after a question on the terminal:              ${again} --confirm`,
    `to run it where nobody can be asked:                      ${again} --confirm=yes`,
    '',
  ].join('\n');
}

/** The result, or the error with what can be done about it; what is resumed has no dry run. */
export async function advised<T>(work: Promise<T>, again: string, how: 'started' | 'resumed'): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw withHint(error, consentAdvice(error, again, how === 'resumed'));
  }
}

async function askPerson({ safety_level }: DryRun, name: string): Promise<void> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new ArsError('usage', 'there is no terminal to ask on; if you agree to the risk, say --confirm=yes');
  const wanted = safety_level === 'IRREVERSIBLE' ? name : 'yes';
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await lines.question(`Type ${errorColors().bold(wanted)} to run it: `);
    if (typed.trim() !== wanted) throw new ArsError('denied', 'not confirmed; nothing was run');
  } finally {
    lines.close();
  }
}
