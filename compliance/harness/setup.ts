import type { Agent, AuditRecord, Permission, WorkflowStartParams } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { DEFAULT_AGENT, OWNER, type Program } from '../program.js';
import { isDeeper } from '../wire/nesting.js';
import type { Session } from './session.js';

const DEFAULT_AGENTS: readonly Agent[] = [{ agent_id: DEFAULT_AGENT, trust: 'TRUSTED' }];

const DEFAULT_PERMISSIONS: readonly Permission[] = [
  permit('execution', ['execute', 'read', 'cancel', 'undo']),
  permit('audit', ['read']),
  permit('state', ['read']),
  permit('verification', ['read']),
];

function permit(domain: Permission['domain'], actions: Permission['actions']): Permission {
  return { domain, actions, granted_to: DEFAULT_AGENT, granted_by: OWNER };
}

/** Makes a program's agents, permissions, actions and workflows known to the open workspace. */
export async function setUp(session: Session, program: Program): Promise<void> {
  if (session.has('governance')) {
    for (const agent of program.agents ?? DEFAULT_AGENTS)
      await session.request('governance/register_agent', { agent, by: OWNER });
    const granted = program.permissions ?? (program.agents === undefined ? DEFAULT_PERMISSIONS : []);
    for (const permission of granted) await session.request('governance/grant', { permission });
  }
  const { actions = [], workflows = [] } = program.registry ?? {};
  if (actions.length > 0 || workflows.length > 0)
    await session.request('registry/put', { actions: [...actions], workflows: [...workflows] });
}

/** The request that starts a program's workflow, under a key and with a confirmation where they are given. */
export function startParams(
  program: Program,
  more: Pick<WorkflowStartParams, 'request_key' | 'confirmation_id'> = {},
): WorkflowStartParams {
  return {
    workflow: program.workflow,
    inputs: { ...program.inputs },
    agent_id: program.agent_id ?? DEFAULT_AGENT,
    ...more,
    ...(program.context === undefined ? {} : { context: { ...program.context } }),
    ...(program.max_parallel === undefined ? {} : { max_parallel: program.max_parallel }),
  };
}

/** How much text a log may have, in characters; more than any case leads to. */
const LONGEST_LOG = 128 * 1024 * 1024;

/** The log in the interchange form, all pages of it. Rejects with `protocol` where its pages do not come to an end. */
export async function exportLog(session: Session): Promise<string> {
  const pages: string[] = [];
  let length = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await session.request('audit/export', {
      agent_id: OWNER,
      ...(cursor === undefined ? {} : { cursor }),
    });
    pages.push(page.text);
    length += page.text.length;
    if (length > LONGEST_LOG || (page.next !== undefined && page.next === cursor))
      throw new SuiteError(
        'protocol',
        'audit/export comes to no end: each page has to begin where the last one ended.',
      );
    if (page.next === undefined) return pages.join('');
    cursor = page.next;
  }
}

/** The records of a log in the interchange form; a line that is no JSON object is told to the violations. */
export function recordsOf(text: string, violations: string[]): AuditRecord[] {
  const records: AuditRecord[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const record = isDeeper(line) ? undefined : objectOf(line);
    if (record === undefined) violations.push(`audit/export gave a line that is no JSON object: ${line.slice(0, 120)}`);
    else records.push(record as AuditRecord);
  }
  return records;
}

function objectOf(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
