import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord, Workflow } from '../../../schemas/types.js';
import { OWNER, Runtime } from '../runtime.js';
import { lockExport } from '../store/lock.js';
import { storePaths } from '../store/paths.js';
import type { InstanceHistory, RunSummary } from '../workflow/history.js';
import { rememberModule } from './action-module.js';
import { arsOrThrow } from './ars.fixture.js';
import { CLI_AGENT, registerCli } from './consent.js';
import { cutTo } from './runs.js';
import { namesText } from './show.js';

const base = { version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable', side_effects: [] } as const;
const workflow: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'keep', version: '1.0.0' },
  inputs: { fail: { schema: { type: 'boolean' }, default: false } },
  actions: [
    { ...base, side_effects: [], action_id: 'put' },
    { ...base, side_effects: [], action_id: 'flaky' },
  ],
  nodes: [
    { node_id: 'save', type: 'action', action_def: 'put@1' },
    { node_id: 'send', type: 'action', action_def: 'flaky@1', input_mapping: { fail: '$' + '{inputs.fail}' } },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [
    { from_node: 'save', to_node: 'send', label: 'success' },
    { from_node: 'send', to_node: 'done', label: 'success' },
  ],
};
/** A label that would colour a terminal. */
const KEPT = 'kept\u001b[31m';
const joined: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'joined', version: '1.0.0' },
  actions: [
    { ...base, side_effects: [], action_id: 'put' },
    {
      ...base,
      action_id: 'hold',
      rollback: 'irreversible',
      side_effects: ['external_service'],
      modifies_existing: true,
    },
  ],
  nodes: [
    { node_id: 'begin', type: 'action', action_def: 'put@1', fan_out: 'parallel' },
    { node_id: 'hold', type: 'action', action_def: 'hold@1', irreversible: 'acknowledged' },
    { node_id: 'beside', type: 'action', action_def: 'put@1' },
    { node_id: 'join', type: 'action', action_def: 'put@1', join_type: 'AND' },
    { node_id: 'ask', type: 'condition', expression: `nodes.join.outputs.kept ? "${KEPT}" : "no"` },
    { node_id: 'done', type: 'terminal', status: 'completed' },
    { node_id: 'other', type: 'terminal', status: 'failed' },
  ],
  edges: [
    { from_node: 'begin', to_node: 'hold', label: 'success' },
    { from_node: 'begin', to_node: 'beside', label: 'success' },
    { from_node: 'hold', to_node: 'join', label: 'success' },
    { from_node: 'beside', to_node: 'join', label: 'success' },
    { from_node: 'join', to_node: 'ask', label: 'success' },
    { from_node: 'ask', to_node: 'done', label: KEPT },
    { from_node: 'ask', to_node: 'other', label: 'default' },
  ],
};
let release: () => void = () => undefined;
const released = new Promise<void>(resolve => {
  release = resolve;
});
const actions = {
  hold: async () => {
    await released;
    return { outputs: {} };
  },
  put: () => ({ outputs: { kept: true }, state_changes: [{ key: 'note', op: 'put' as const, value: 1 }] }),
  flaky: ({ inputs, attempt }: { inputs: Readonly<Record<string, unknown>>; attempt: number }) =>
    attempt > 1
      ? { outputs: {} }
      : { error: { error_class: inputs.fail === true ? ('E2' as const) : ('E1' as const), detail: 'lost' } },
};

const workspace = mkdtempSync(join(tmpdir(), 'ars-history-'));
const ids: string[] = [];
let runtime: Runtime;

/** What a command prints to stdout. */
const ars = async (...args: string[]) => (await arsOrThrow(...args, '--workspace', workspace)).stdout;

async function started(fail: boolean): Promise<string> {
  const id = await runtime.start({ workflow, inputs: { fail }, agent_id: CLI_AGENT });
  await runtime.wait(id, 10_000);
  return id;
}

beforeAll(async () => {
  const module = join(workspace, 'actions.mjs');
  runtime = await Runtime.open({ workspace, actions });
  writeFileSync(module, 'export const put = () => ({ outputs: {} });\nexport const flaky = () => ({ outputs: {} });\n');
  rememberModule(workspace, module);
  await registerCli(runtime);
  ids.push(await started(false), await started(true));
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe('beside the runtime that holds the workspace', () => {
  it('ars runs lists instances, the latest first, and filters', async () => {
    const runs = async (...args: string[]) =>
      JSON.parse(await ars('runs', '--format', 'json', ...args)) as RunSummary[];
    const all = await runs();
    expect(all.map(({ execution_id, status }) => [execution_id, status])).toEqual([
      [ids[1], 'failed'],
      [ids[0], 'completed'],
    ]);
    expect(all[0]).toMatchObject({ workflow_id: 'keep@1.0.0', error: { error_class: 'E2', node_id: 'send' } });
    expect(all[1]?.duration_ms).toBeGreaterThanOrEqual(0);
    const first = all[1] as RunSummary;
    for (const [args, count] of [
      [['--status', 'failed'], 1],
      [['--workflow', 'keep'], 2],
      [['--workflow', 'kee'], 0],
      [['--limit', '1'], 1],
      [['--agent', OWNER], 0],
      [['--until', first.started_at], 0],
      [['--since', first.started_at], 2],
    ] as const)
      expect([args, (await runs(...args)).length]).toEqual([args, count]);
    await expect(ars('runs', '--since', 'yesterday')).rejects.toMatchObject({ code: 'usage' });
    expect(await ars('runs')).toContain('keep@1.0.0');
  });

  it('ars show tells of nodes, attempts and errors, of an instance or of what is in it', async () => {
    const history = JSON.parse(await ars('show', ids[0] ?? '', '--format', 'json')) as InstanceHistory;
    expect(history).toMatchObject({ status: 'completed', inputs: { fail: false }, outputs: {} });
    expect(history.nodes.map(node => [node.node_id, node.outcome, node.executions.map(x => x.status)])).toEqual([
      ['save', 'committed', ['committed']],
      ['send', 'committed', ['failed', 'committed']],
      ['done', 'completed', []],
    ]);
    expect(history.nodes[0]?.executions[0]).toMatchObject({
      outputs: { kept: true },
      state_changes: [{ key: 'note' }],
    });
    expect(history.nodes[1]?.executions[0]).toMatchObject({ attempt: 1, error: { error_class: 'E1' } });
    const text = await ars('show', history.nodes[1]?.executions[1]?.execution_id ?? '');
    for (const part of [ids[0], 'attempt 2', 'E1: lost', 'put "note" 1']) expect(text).toContain(part);
    await expect(ars('show', 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ars show tells of conditions and skipped nodes, what an open instance waits for, and who confirmed its start', async () => {
    const wanted = { workflow: joined, inputs: {}, agent_id: CLI_AGENT };
    const { dry_run } = await runtime.start({ ...wanted, dry_run: true });
    const { resolved_digest, inputs_digest } = dry_run;
    const expires_at = '2100-01-01T00:00:00.000Z';
    const asked = { resolved_digest, inputs_digest, agent_id: CLI_AGENT, approver: OWNER, expires_at };
    const confirmation_id = await runtime.approve(asked);
    const id = await runtime.start({ ...wanted, confirmation_id });
    const committed = () => [...runtime.records({ parent_execution_id: id, status: 'committed' })];
    while (committed().length < 2) await runtime.wait(id, 1);
    const open = await ars('show', id);
    expect(open).toMatch(/… join {2}waits for hold$/m);
    expect(open).toMatch(new RegExp(`confirmed by owner {2}${confirmation_id}$`, 'm'));
    release();
    await runtime.wait(id, 10_000);
    const ended = await ars('show', id);
    expect(ended).toMatch(/✓ ask {2}condition {2}kept\\u\{1b\}\[31m$/m);
    expect(ended).toMatch(/^ {2}skipped {2}other$/m);
    expect(ended).not.toContain('waits for');
    const { conditions, confirmation } = JSON.parse(await ars('show', id, '--format', 'json'));
    expect([conditions, confirmation]).toEqual([
      [{ node_id: 'ask', label: KEPT }],
      { confirmation_id, approver: OWNER },
    ]);
  });

  it('ars runs cuts a long error to the window of a terminal, and to nothing else', () => {
    const cuts = [20, 5, 4, 1, 0, -30, Number.NaN].map(columns => cutTo('a💥bcd', columns));
    expect(cuts).toEqual(['a💥bcd', 'a💥bc…', 'a💥b…', '', '', '', 'a💥bcd']);
  });

  it('ars show names few of many nodes, unless all are asked for', () => {
    const names = Array.from({ length: 1000 }, (_, at) => `n${at}`);
    expect(namesText(names, false)).toMatch(/^n0, .*, n11 and 988 more$/);
    expect([namesText(names.slice(0, 12), false), namesText(names, true)]).toEqual([
      names.slice(0, 12).join(', '),
      names.join(', '),
    ]);
  });

  it('ars replay, ars snapshot --at and ars audit verify read', async () => {
    expect((await ars('replay')).match(/^agrees/gm)).toHaveLength(3);
    expect(JSON.parse(await ars('replay', ids[0] ?? '', '--format', 'json'))).toMatchObject({ verdict: 'agrees' });
    expect(await ars('snapshot', '--at', '0')).toBe('');
    const { sequence, state } = runtime.state();
    expect(JSON.parse(await ars('snapshot', '--at', String(sequence), '--format', 'json'))).toMatchObject({ state });
    expect(await ars('audit', 'verify')).toContain(`ok: ${sequence} records`);
    await expect(ars('snapshot')).rejects.toMatchObject({ code: 'workspace_locked' });
  });
});

describe('once it has closed', () => {
  it('ars recover says what would be decided, decides it, and lets the instance go on', async () => {
    const never = new Promise<never>(() => undefined);
    await runtime.close();
    runtime = await Runtime.open({ workspace, actions: { ...actions, put: () => never } });
    const id = await runtime.start({ workflow, inputs: {}, agent_id: CLI_AGENT });
    while ([...runtime.records({ parent_execution_id: id })].length === 0) await runtime.wait(id, 1);
    await runtime.close();
    const dry = JSON.parse(await ars('recover', '--dry-run', '--format', 'json'));
    expect(dry).toMatchObject({ level: 'COMPLETE', decisions: [{ node_id: 'save', decision: 'redo' }] });
    expect(JSON.parse(await ars('runs', '--status', 'open', '--format', 'json'))).toHaveLength(1);
    expect(await ars('recover', '--quiet')).toContain('recovery COMPLETE: 1 decided');
    const { nodes, status } = JSON.parse(await ars('show', id, '--format', 'json')) as InstanceHistory;
    expect([status, nodes[0]?.executions[0]?.decisions]).toMatchObject([
      'completed',
      [{ decision: 'redo', probe: 'absent' }],
    ]);
    expect(await ars('recover')).toContain('nothing was interrupted');
  });

  it('ars snapshot keeps State, and --list says so', async () => {
    const kept = await ars('snapshot');
    expect(kept).toMatch(/^snapshot of record [0-9]+: 1 keys/);
    expect(await ars('snapshot', '--list')).toBe(kept);
  });

  it('ars audit export writes the daily files in one process at a time', async () => {
    const lock = lockExport(workspace, storePaths(workspace));
    await expect(ars('audit', 'export')).rejects.toMatchObject({ code: 'workspace_locked' });
    lock.release();
    expect(await ars('audit', 'export')).toMatch(/\.jsonl\n$/);
  });

  it('ars rollback undoes what committed, once, and refuses the rest', async () => {
    const { nodes } = JSON.parse(await ars('show', ids[0] ?? '', '--format', 'json')) as InstanceHistory;
    const id = nodes[0]?.executions[0]?.execution_id ?? '';
    await expect(ars('rollback', ids[1] ?? '', '--evidence', 'x')).rejects.toMatchObject({ code: 'illegal_state' });
    await expect(ars('rollback', id, '--evidence', ' ')).rejects.toMatchObject({ code: 'usage' });
    await expect(ars('rollback', 'nobody', '--evidence', 'x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(ars('rollback', id, '--evidence', 'x', '--agent', OWNER)).rejects.toMatchObject({ code: 'denied' });
    // A later execution has written the key since, so what this one wrote cannot be put back.
    await expect(ars('rollback', id, '--evidence', 'x')).rejects.toMatchObject({ code: 'illegal_state' });
    const last = (await ars('audit', 'show', '--status', 'committed', '--format', 'jsonl'))
      .split('\n')
      .filter(line => line.includes('"note"'))
      .map(line => (JSON.parse(line) as AuditRecord).execution_id)
      .at(-1);
    const undone = JSON.parse(await ars('rollback', last ?? '', '--evidence', '{"why":1}', '--format', 'json'));
    expect(undone).toMatchObject({ execution_id: last, status: 'rolled_back' });
    expect(JSON.parse(await ars('rollback', last ?? '', '--evidence', 'again', '--format', 'json'))).toEqual(undone);
  });
});
