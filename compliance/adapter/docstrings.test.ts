import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Adapter } from './index.js';
import { AdapterError, serve } from './index.js';

/** The examples of the docstrings, compiled and run: each region here is one of them word for word, as `npm run docs` holds. */

it('answers with an error of a kind', () => {
  const agent_id = 'mallory';
  const refuse = (execution_id: string): never => {
    // #region AdapterError
    throw new AdapterError('denied', `'${agent_id}' is not registered`, { gate: 'governance', execution_id });
    // #endregion
  };
  expect(() => refuse('e')).toThrow(
    expect.objectContaining({ kind: 'denied', data: { gate: 'governance', execution_id: 'e' } }),
  );
});

it('serves a runtime until the suite is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-docstrings-'));
  const [asked, answered] = [join(folder, 'asked'), join(folder, 'answered')];
  const params = { protocol: '1.0', suite_version: '0.1.0' };
  writeFileSync(asked, `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const descriptors = [openSync(asked, 'r'), openSync(answered, 'w')];
  const own = process.argv;
  const ended = new Promise<number | undefined>(resolve => {
    vi.spyOn(process, 'exit').mockImplementation(code => resolve(Number(code)) as never);
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  process.argv = [...own, '--fd', descriptors.join(',')];
  const open: Adapter['core']['open'] = () => ({ recovery: null });
  const close: Adapter['core']['close'] = () => ({});
  const start: Adapter['core']['start'] = () => ({ execution_id: 'e' });
  const wait: Adapter['core']['wait'] = () => ({ status: 'running', trace: [] });
  try {
    // #region serve
    serve({ runtime: { name: 'my-runtime', version: '1.0.0' }, core: { open, close, start, wait } });
    // #endregion
    expect(await ended).toBe(0);
  } finally {
    process.argv = own;
    stderr.mockRestore();
    vi.restoreAllMocks();
  }
  expect(JSON.parse(readFileSync(answered, 'utf8'))).toMatchObject({
    id: 1,
    result: { runtime: { name: 'my-runtime' }, capabilities: ['core'] },
  });
  closeSync(descriptors[1] as number);
  rmSync(folder, { recursive: true, force: true });
});
