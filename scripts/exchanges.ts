import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withWorkspace } from '../compliance/harness/case.js';
import { Session } from '../compliance/harness/session.js';
import { startParams } from '../compliance/harness/setup.js';
import type { TranscriptEntry } from '../compliance/harness/transcript.js';
import { DEFAULT_AGENT, OWNER, type Program } from '../compliance/program.js';
import { chain, doubtful, draw, FAILS, gives, undoable } from '../compliance/properties/drawn.js';
import { METHODS } from '../compliance/wire/methods.js';
import type { AuditRecord } from '../schemas/types.js';
import { ROOT } from './project.js';

/** Where the exchanges are written. */
const PAGE = 'compliance/adapter/EXCHANGES.md';
/** The longest string that is shown whole, in characters. */
const STRING_KEPT = 240;

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

interface Exchange {
  readonly asked: Message;
  readonly answer?: Message;
}

/** Runs a few programs by the reference runtime and writes one exchange of each method; ends with 1 where one never came. */
async function main(): Promise<number> {
  const entries: TranscriptEntry[] = [];
  const adapter = join(ROOT, 'dist/implementations/typescript/adapter.js');
  const session = await Session.start({ command: process.execPath, args: [adapter] });
  try {
    await session.touch();
    entries.push(...session.transcript.entries());
    for (const program of PROGRAMS) {
      await session.observe(program);
      entries.push(...session.transcript.entries());
    }
    await tellStory(session);
  } finally {
    await session.close();
  }
  entries.push(...session.transcript.entries());
  const found = exchangesIn(entries);
  const missing = Object.keys(METHODS).filter(method => !found.has(method));
  writeFileSync(join(ROOT, PAGE), page(found));
  process.stdout.write(`wrote ${PAGE}: ${found.size} methods\n`);
  if (missing.length > 0) process.stderr.write(`never seen: ${missing.join(', ')}\n`);
  return missing.length > 0 ? 1 : 0;
}

/** A chain whose values go on, a kill at a point inside a probed action, an action that does not answer in time. */
const PROGRAMS: readonly Program[] = [
  chain(2),
  undoable(2, [{ at: 'point', point: 'invoked', occurrence: 2 }], 'ledger'),
  draw({
    edges: ['a success b', 'a failure over', 'b success done'],
    nodes: { a: { timeout_ms: 30 }, over: { type: 'error', handling: 'fail' } },
    script: { a: [{}], b: [gives(1)] },
  }),
];

/** What a program does not come to: an action with evidence undone, what is in doubt resolved, an ended instance resumed, a job, a snapshot. */
async function tellStory(session: Session): Promise<void> {
  const evidence = { receipt: 'r-1', scan: 'page '.repeat(3000) };
  const failing = draw({ edges: ['f success done'], script: { f: [FAILS] } });
  const inDoubt = doubtful('unknown');
  const undone = undoable(1, []);
  const nodes = {
    ...{ ...failing.script.nodes, ...inDoubt.script.nodes },
    n1: [{ reply: { outputs: { value: 1 }, evidence } }],
  };
  const script = { nodes, actions: { undo: [{ reply: { outputs: {} } }, FAILS] } };
  const by = OWNER;
  await withWorkspace(session, { ...undone, script }, async () => {
    const run = async (started: Program) => {
      const { execution_id } = await session.request('workflow/start', startParams(started));
      await session.request('workflow/wait', { execution_id, budget_ms: 4000 });
      return execution_id;
    };
    await run(undone);
    const { records } = await session.request('audit/query', { agent_id: by });
    const committed = (records as readonly AuditRecord[]).find(({ status }) => status === 'committed');
    await session.request('evidence/get', { reference: committed?.evidence_ref ?? '', agent_id: by });
    await session.request('execution/rollback', {
      execution_id: committed?.execution_id ?? '',
      agent_id: DEFAULT_AGENT,
      evidence: 'ordered twice',
    });
    const failed = await run(failing);
    await session.request('workflow/resume', { execution_id: failed, agent_id: DEFAULT_AGENT });
    await session.request('workflow/cancel', { execution_id: failed, agent_id: DEFAULT_AGENT });
    await run(inDoubt);
    const doubts = await session.request('audit/query', { agent_id: by });
    const doubt = (doubts.records as readonly AuditRecord[]).find(({ status }) => status === 'in_doubt');
    await session.request('recovery/resolve', {
      execution_id: doubt?.execution_id ?? '',
      verdict: 'absent',
      approver: by,
    });
    const snapshot = await session.request('state/snapshot', { agent_id: by });
    await session.request('state/reconstruct', { snapshot, agent_id: by });
    const workflow = chain(1).workflow;
    await session.request('registry/put', { workflows: [workflow] });
    const workflow_id = `${workflow.workflow.name}@${workflow.workflow.version}`;
    await session.request('governance/check', { workflow_id, inputs: {}, agent_id: by });
    const job = { job_id: 'nightly', workflow_id, agent_id: by, at: '2030-01-01T00:00:00.000Z' };
    await session.request('schedule/put', { job, by });
    await session.request('schedule/get', { job_id: 'nightly', agent_id: by });
    const granted = await session.request('governance/grant', {
      permission: { domain: 'state', actions: ['read'], granted_to: DEFAULT_AGENT, granted_by: by },
    });
    await session.request('governance/revoke', { permission_id: granted.permission_id, by });
  });
}

/** One exchange of each method: the first that was answered with a result, else the first. */
function exchangesIn(entries: readonly TranscriptEntry[]): ReadonlyMap<string, Exchange> {
  const found = new Map<string, Exchange>();
  const open = new Map<string, Message>();
  for (const { direction, line } of entries) {
    if (direction !== 'sent' && direction !== 'received') continue;
    const message = read(line);
    if (message === undefined) continue;
    if (message.method !== undefined) {
      if (message.id === undefined) keep(found, { asked: message });
      else open.set(`${direction} ${message.id}`, message);
      continue;
    }
    const key = `${direction === 'sent' ? 'received' : 'sent'} ${message.id}`;
    const asked = open.get(key);
    open.delete(key);
    if (asked !== undefined) keep(found, { asked, answer: message });
  }
  return found;
}

function keep(found: Map<string, Exchange>, exchange: Exchange): void {
  const { method = '' } = exchange.asked;
  const known = found.get(method);
  const better = known?.answer?.result === undefined && exchange.answer?.result !== undefined;
  if (known === undefined || better) found.set(method, exchange);
}

function read(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}

function page(found: ReadonlyMap<string, Exchange>): string {
  const plain = plainer();
  const sections = Object.entries(METHODS).flatMap(([method, { capability, sender }]) => {
    const exchange = found.get(method);
    if (exchange === undefined) return [];
    const who = sender === 'suite' ? ['suite', 'runtime'] : ['runtime', 'suite'];
    const block = (name: string | undefined, message: Message) =>
      `${name}:\n\n\`\`\`text\n${JSON.stringify(shortened(plain(message)), null, 1).replace(/\n\s*/g, ' ')}\n\`\`\`\n`;
    return [
      `## \`${method}\`\n`,
      `Of the capability \`${capability}\`.\n`,
      block(`The ${who[0]} writes`, exchange.asked),
      ...(exchange.answer === undefined ? [] : [block(`The ${who[1]} answers`, exchange.answer)]),
    ];
  });
  return `# One exchange of each method

<!-- Generated from a run of the reference runtime by \`npm run exchanges\`. Do not edit. -->

What went over the wire when the suite ran a few programs by the reference runtime, one exchange of each method, each message on one line.
Identifiers, times and folders are replaced by plain ones, and long strings are cut; otherwise it is what was read and written.
[PROTOCOL.md](PROTOCOL.md) says what it means, and \`schemas/v1.0/adapter/\` what else can stand there.

${sections.join('\n')}`;
}

/** Gives a function that replaces what differs between two runs, the same each time by the same. */
function plainer(): (value: unknown) => unknown {
  const known = new Map<string, string>();
  const id = (uuid: string) => {
    const plain = known.get(uuid) ?? `00000000-0000-7000-8000-${String(known.size + 1).padStart(12, '0')}`;
    known.set(uuid, plain);
    return plain;
  };
  const text = (value: string) =>
    value
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, id)
      .replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-01T00:00:00.000Z')
      .replace(/sha256:[0-9a-f]{64}/g, digest => `sha256:${digest.endsWith('00') ? '0' : '1'}${'0'.repeat(63)}`)
      .replace(/\/[^\s"]*\/ars-[^/"]+\/case-\d+/g, '/workspaces/case-1');
  return value => JSON.parse(text(JSON.stringify(value))) as unknown;
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > STRING_KEPT ? `${value.slice(0, STRING_KEPT)}…` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}

process.exitCode = await main();
