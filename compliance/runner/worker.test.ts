import { describe, expect, it } from 'vitest';
import type { InitializeResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { fakeConnection } from './connection.fixture.js';
import { type Connect, type Connection, Worker } from './worker.js';

const identity: InitializeResult = {
  runtime: { name: 'fake', version: '1.0.0' },
  spec_version: '1.0',
  capabilities: ['core'],
  durable_scope: 'process',
};

describe('Worker', () => {
  it('gives up a start that is under way when it is closed', async () => {
    const mute: Connect = signal =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const worker = new Worker(mute);
    const opening = expect(worker.open()).rejects.toMatchObject({ code: 'adapter_start' });
    await worker.close();
    await opening;
  });

  it('closes a runtime that has started nevertheless, and starts none any more', async () => {
    let [starts, closes] = [0, 0];
    let arrive: (connection: Connection) => void = () => undefined;
    const worker = new Worker(() => {
      starts += 1;
      return new Promise(resolve => {
        arrive = resolve;
      });
    });
    const opening = worker.open();
    const closing = worker.close();
    arrive(
      fakeConnection(identity, {
        close: async () => {
          closes += 1;
        },
      }),
    );
    await Promise.all([opening, closing]);
    expect(closes).toBe(1);
    await expect(worker.open()).rejects.toMatchObject({ code: 'suite_bug' });
    expect(starts).toBe(1);
  });

  it('starts a runtime anew where its last start failed', async () => {
    let starts = 0;
    const worker = new Worker(async () => {
      starts += 1;
      if (starts === 1) throw new SuiteError('adapter_start', 'busy');
      return fakeConnection(identity);
    });
    await expect(worker.open()).rejects.toMatchObject({ code: 'adapter_start' });
    expect(await worker.open()).toBe(identity);
  });
});
