import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ProbedAction } from '../execution/functions.js';
import { withDraft } from './drafts.js';
import { fileActions } from './files.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-drafts-'));
const root = join(folder, 'root');
const SOURCES = [
  'audit/turns',
  'error',
  'builtin/files',
  'builtin/file-contracts',
  'builtin/drafts',
  'builtin/place',
  'builtin/builtin',
];
/** Calls an action in a process that is killed as soon as it wants to rename or link for the n-th time. */
const KILLED = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const [, , module, root, name, text, at] = process.argv;
  let passed = 0;
  for (const change of ['rename', 'link']) {
    const real = fs.promises[change];
    fs.promises[change] = (...paths) => {
      passed += 1;
      if (passed === Number(at)) process.kill(process.pid, 'SIGKILL');
      return real(...paths);
    };
  }
  syncBuiltinESMExports();
  const { fileActions } = await import(module);
  await fileActions({ root }).functions[name + '@1.0.0'].invoke(JSON.parse(text));
`;

beforeAll(() => {
  for (const name of ['audit', 'builtin']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'killed.mjs'), KILLED);
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  for (const name of SOURCES) {
    const source = readFileSync(join(import.meta.dirname, '..', `${name}.ts`), 'utf8');
    writeFileSync(join(folder, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText);
  }
});
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  writeFileSync(join(root, 'a'), 'old');
});
afterAll(() => rmSync(folder, { recursive: true }));

const signal = new AbortController().signal;
const own = fileActions({ root });
const code = (name: string) => own.functions[`${name}@1.0.0`] as ProbedAction;
const call = (inputs: Record<string, unknown>, idempotency_key = 'k') =>
  ({ execution_id: 'e', idempotency_key, action_id: 'a', version: '1.0.0', attempt: 1, inputs, context: {} }) as never;
const undoing = () => call({ execution_id: 'e', idempotency_key: 'k', inputs: {} }, 'undo/k');
/** The names of what was begun and not finished, below the root. */
const drafts = () => readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.new'));

function killedAt(passage: number, name: string, params: unknown): void {
  const module = pathToFileURL(join(folder, 'builtin/files.js')).href;
  const args = [join(folder, 'killed.mjs'), module, root, name, JSON.stringify(params), String(passage)];
  const { signal: end, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([end, stderr]).toEqual(['SIGKILL', '']);
}

it.each([
  ['file.write', 'a', 1],
  ['file.write', 'a', 2],
  ['file.write', 'a', 3],
  ['file.create', 'b', 2],
] as const)(
  'nothing stays of what %s of %s had begun when it was killed at its change %i',
  async (name, path, passage) => {
    const params = call({ path, text: 'new' });
    killedAt(passage, name, params);
    expect(drafts()).toHaveLength(1);
    expect(await code(name).probe(params, signal)).toEqual({ verdict: 'absent' });
    expect(drafts()).toEqual([]);
    expect(await code(name).invoke(params, signal)).toMatchObject({ outputs: { bytes: 3 } });
    expect(readFileSync(join(root, path), 'utf8')).toBe('new');
  },
);

it('nothing stays of an undo that was killed', async () => {
  await code('file.write').invoke(call({ path: 'a', text: 'new' }), signal);
  killedAt(1, 'file.restore', undoing());
  expect(drafts()).toHaveLength(1);
  expect(await code('file.restore').probe(undoing(), signal)).toEqual({ verdict: 'unknown' });
  expect(drafts()).toEqual([]);
  await code('file.restore').invoke(undoing(), signal);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
});

it('what is of another key, of a living process or of somebody else stays', async () => {
  const params = call({ path: 'a', text: 'new' });
  killedAt(3, 'file.write', params);
  const [draft = ''] = drafts();
  const kept = [
    draft.replace(/-[0-9]+-/, `-${process.ppid}-`),
    draft.replace(/ars-./, word => `ars-${word.endsWith('0') ? '1' : '0'}`),
    '.ars-1-1.new',
  ];
  for (const name of kept) writeFileSync(join(root, name), '');
  const of_own_name = draft.replace(/-[0-9]+-[0-9]+\.new$/, `-${process.pid}-999999.new`);
  writeFileSync(join(root, of_own_name), 'by a process that had the number of this one');
  await code('file.write').probe(params, signal);
  expect(drafts().sort()).toEqual(kept.sort());
});

it('nothing stays of a draft that could not be put in its place', async () => {
  const draft = { folder: root, owner: 'abc', bytes: Buffer.from('x') };
  const refused = withDraft(draft, () => Promise.reject(new Error('no')));
  await expect(refused).rejects.toThrow('no');
  expect(drafts()).toEqual([]);
});
