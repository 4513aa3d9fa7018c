import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionInvokeParams, ActionProbeParams, Workflow } from '../../../schemas/types.js';
import { MemoryWorkspace } from '../audit/memory-log.fixture.js';
import type { ProbedAction } from '../execution/functions.js';
import { OWNER, Runtime } from '../runtime.js';
import { verify } from '../verification/index.js';
import { fileActions } from './files.js';
import { httpActions } from './http.js';
import { processActions } from './process.js';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ars-files-'));
  root = join(folder, 'root');
  mkdirSync(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;
const call = (inputs: Record<string, unknown>, key = 'k') =>
  ({
    execution_id: 'e',
    idempotency_key: key,
    action_id: 'a',
    version: '1.0.0',
    attempt: 1,
    inputs,
    context: {},
  }) as ActionInvokeParams & ActionProbeParams;
const original = (inputs: Record<string, unknown>, key = 'k') =>
  call({ execution_id: 'e', idempotency_key: key, inputs }, `undo/${key}`);
const code = (name: string) => fileActions({ root }).functions[`file.${name}@1.0.0`] as ProbedAction;
const invoke = (name: string, params: ActionInvokeParams) => {
  const found = code(name);
  return (typeof found === 'function' ? (found as ProbedAction['invoke']) : found.invoke)(params, signal);
};
const probe = (name: string, params: ActionProbeParams) => code(name).probe(params, signal);
const text = (name: string) => readFileSync(join(root, name), 'utf8');

describe('file actions', () => {
  it('have contracts that pass verification', () => {
    const { definitions } = fileActions({ root });
    for (const { action_id } of definitions) {
      const report = verify(
        { ...writing('fail'), nodes: nodes(action_id), edges: [] as never },
        {
          schema_version: '1.0',
          actions: [...definitions],
        },
      );
      expect(report.findings.filter(({ rule }) => ['SCHEMA', 'S7', 'S10', 'S11', 'S16', 'S17'].includes(rule))).toEqual(
        [],
      );
    }
  });

  it('of every family let verification find a misspelt output, and refuse an option that there is not', () => {
    for (const { definitions } of [fileActions({ root }), httpActions(), processActions()])
      for (const { action_id, output_schema } of definitions)
        if (output_schema !== undefined)
          expect([action_id, output_schema]).toEqual([
            action_id,
            expect.objectContaining({ additionalProperties: false }),
          ]);
    const misspelt = { allow: ['example.org'] } as object;
    for (const make of [
      () => fileActions({ root, ...misspelt }),
      () => httpActions(misspelt),
      () => processActions(misspelt),
    ])
      expect(make).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('write, tell what became of it, and give back what was there', async () => {
    writeFileSync(join(root, 'note.txt'), 'old');
    expect(await probe('write', call({ path: 'note.txt', text: 'new' }))).toEqual({ verdict: 'absent' });
    const result = await invoke('write', call({ path: 'note.txt', text: 'new' }));
    expect(result).toMatchObject({ outputs: { bytes: 3 } });
    expect(await invoke('read', call({ path: 'note.txt' }))).toMatchObject({ outputs: { text: 'new', bytes: 3 } });
    expect(await probe('write', call({ path: 'note.txt', text: 'new' }))).toEqual({ verdict: 'applied', ...result });
    expect(await invoke('write', call({ path: 'note.txt', text: 'new' }))).toEqual(result);
    expect(await invoke('restore', original({ path: 'note.txt', text: 'new' }))).toEqual({ outputs: {} });
    expect(text('note.txt')).toBe('old');
    expect(await probe('restore', original({}))).toEqual({ verdict: 'applied', outputs: {} });
    expect(await invoke('restore', original({}))).toEqual({ outputs: {} });
    expect(await invoke('write', call({ path: 'note.txt', text: 'new' }))).toMatchObject({ error: { effect: 'none' } });
    expect(text('note.txt')).toBe('old');
  });

  it('make a file once, and remove what they made', async () => {
    expect(await invoke('create', call({ path: 'a', text: 'x' }))).toMatchObject({ outputs: { bytes: 1 } });
    const second = await invoke('create', call({ path: 'a', text: 'x' }, 'other'));
    expect(second).toMatchObject({ error: { error_class: 'E4', effect: 'none' } });
    expect(await invoke('remove', original({ path: 'a' }, 'other'))).toEqual({ outputs: {} });
    expect(text('a')).toBe('x');
    await invoke('remove', original({ path: 'a' }));
    expect(existsSync(join(root, 'a'))).toBe(false);
  });

  it('leave alone what somebody else has changed since', async () => {
    await invoke('write', call({ path: 'a', text: 'mine' }));
    writeFileSync(join(root, 'a'), 'theirs');
    expect(await probe('write', call({ path: 'a', text: 'mine' }))).toEqual({ verdict: 'unknown' });
    for (const undo of ['restore', 'restore'])
      expect(await invoke(undo, original({ path: 'a' }))).toMatchObject({
        error: { error_class: 'E4', effect: 'none' },
      });
    expect(text('a')).toBe('theirs');
  });

  it('make an undone request that comes late ineffective, even where it never came before', async () => {
    expect(await invoke('restore', original({ path: 'a', text: 'x' }))).toEqual({ outputs: {} });
    expect(await invoke('write', call({ path: 'a', text: 'x' }))).toMatchObject({ error: { effect: 'none' } });
    expect(await probe('write', call({ path: 'a', text: 'x' }))).toEqual({ verdict: 'absent' });
    expect(existsSync(join(root, 'a'))).toBe(false);
  });

  it('never leave their folder', async () => {
    writeFileSync(join(folder, 'outside'), 'secret');
    symlinkSync(join(folder, 'outside'), join(root, 'link'));
    symlinkSync(folder, join(root, 'up'));
    mkdirSync(join(root, 'sub'));
    for (const path of ['../outside', join(folder, 'outside'), 'link', 'up/outside', 'sub', 'none/x', '.', 'a\0b'])
      for (const action of ['read', 'write', 'create'])
        expect([path, await invoke(action, call({ path, text: 'x' }, path))]).toMatchObject([
          path,
          { error: { error_class: 'E4', effect: 'none' } },
        ]);
    expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('secret');
  });

  it('touch nothing of what they keep for undoing', async () => {
    await invoke('write', call({ path: 'a', text: 'x' }));
    for (const name of readdirSync(join(root, '.ars-files')))
      for (const action of ['read', 'write'])
        expect(await invoke(action, call({ path: `sub/../.ars-files/${name}`, text: '{}' }, name))).toMatchObject({
          error: { error_class: 'E4', effect: 'none' },
        });
    expect(await invoke('restore', original({ path: 'a' }))).toEqual({ outputs: {} });
    expect(existsSync(join(root, 'a'))).toBe(false);
  });

  it('let nobody read what was not for everyone, and leave a program one', async () => {
    for (const mode of [0o600, 0o755]) {
      const path = `mode-${mode}`;
      writeFileSync(join(root, path), 'old', { mode });
      await invoke('write', call({ path, text: 'new' }, path));
      expect(statSync(join(root, path)).mode & 0o777).toBe(mode);
      await invoke('restore', original({ path }, path));
      expect([text(path), statSync(join(root, path)).mode & 0o777]).toEqual(['old', mode]);
    }
    for (const name of readdirSync(join(root, '.ars-files')))
      expect(statSync(join(root, '.ars-files', name)).mode & 0o777).toBe(0o600);
  });

  it('write one file one after the other, so that each undo gives back what its write found', async () => {
    writeFileSync(join(root, 'a'), 'old');
    await Promise.all(['1', '2', '3'].map(key => invoke('write', call({ path: 'a', text: key }, key))));
    const order = [text('a')];
    while (text('a') !== 'old') {
      expect(await invoke('restore', original({ path: 'a' }, text('a')))).toEqual({ outputs: {} });
      order.push(text('a'));
    }
    expect(order.sort()).toEqual(['1', '2', '3', 'old']);
  });

  it('write a name as long as a name may be, and refuse a longer one and a file that is too large', async () => {
    expect(await invoke('write', call({ path: 'x'.repeat(255), text: '' }))).toMatchObject({ outputs: { bytes: 0 } });
    writeFileSync(join(root, 'large'), '');
    truncateSync(join(root, 'large'), 11 * 1024 * 1024);
    for (const path of ['x'.repeat(256), 'large'])
      expect(await invoke('write', call({ path, text: '' }, 'other'))).toMatchObject({
        error: { error_class: 'E4', effect: 'none' },
      });
  });

  it('are undone by a workflow that fails behind them', async () => {
    writeFileSync(join(root, 'note.txt'), 'old');
    const files = fileActions({ root });
    const memory = new MemoryWorkspace();
    const runtime = await Runtime.open({ workspace: '', log: memory.open(), actions: { ...files.functions, fail } });
    await runtime.putRegistry({ actions: [...files.definitions] });
    const id = await runtime.start({ workflow: writing('fail'), inputs: {}, agent_id: OWNER });
    expect((await runtime.wait(id, 10_000)).status).toBe('compensated');
    expect(text('note.txt')).toBe('old');
    await runtime.close();
  });
});

function fail() {
  return { error: { error_class: 'E4', detail: 'no', effect: 'none' } } as const;
}

function nodes(action: string): Workflow['nodes'] {
  const mapping = { path: 'note.txt', text: 'new' };
  const irrelevant = action === 'fail' ? { input_mapping: {} } : { input_mapping: mapping };
  return [{ node_id: 'b', type: 'action', action_def: `${action}@1`, ...irrelevant }];
}

/** Writes a file, then does something, and undoes all where that fails. */
function writing(action: string): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name: 'writing', version: '1.0.0' },
    actions: [
      { action_id: 'fail', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable', side_effects: [] },
    ],
    nodes: [
      { node_id: 'a', type: 'action', action_def: 'file.write@1', input_mapping: { path: 'note.txt', text: 'new' } },
      ...nodes(action),
      { node_id: 'undo', type: 'error', handling: 'compensate', join_type: 'OR' },
      { node_id: 'done', type: 'terminal', status: 'completed' },
      { node_id: 'undone', type: 'terminal', status: 'compensated' },
    ],
    edges: [
      { from_node: 'a', to_node: 'b', label: 'success' },
      { from_node: 'a', to_node: 'undo', label: 'failure' },
      { from_node: 'b', to_node: 'done', label: 'success' },
      { from_node: 'b', to_node: 'undo', label: 'failure' },
      { from_node: 'undo', to_node: 'undone', label: 'success' },
    ],
  };
}
