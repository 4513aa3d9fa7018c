import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import { verifyChain } from '../audit/chain.js';
import { checkLifecycle } from '../audit/lifecycle.js';
import type { LinkedRecord } from '../audit/linked-record.js';
import { foldState, toState } from '../state/state.js';
import { openStore, type Store, type StoreOptions } from './store.js';

/** Stores in a folder of each test, by a clock of its own; what is open at its end is closed, and the folder removed. */
export function storesOfTests() {
  let open: Store[] = [];
  const stores = {
    workspace_dir: '',
    now: 0,
    start(options: Partial<StoreOptions> = {}): Store {
      const store = openStore({ workspace_dir: stores.workspace_dir, clock: () => stores.now, ...options });
      open.push(store);
      return store;
    },
  };
  beforeEach(() => {
    stores.workspace_dir = mkdtempSync(join(tmpdir(), 'ars-store-'));
    stores.now = Date.parse('2026-03-01T12:00:00.000Z');
    open = [];
  });
  afterEach(async () => {
    for (const store of open) await store.close();
    rmSync(stores.workspace_dir, { recursive: true });
  });
  return stores;
}

/** The code of what is thrown, or 'accepted'. */
export async function codeOf(attempt: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof attempt === 'function' ? attempt() : attempt);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
}

/** The log is a chain of whole life cycles, and State is what it says. */
export function expectWhole(store: Store): void {
  const records = [...store.records()];
  expect(verifyChain(store.lines())).toEqual({ ok: true, head: store.head() });
  expect(checkLifecycle(records)).toEqual({ ok: true });
  expect(store.state()).toEqual(toState(foldState(records)));
}

/** The records of what was written. */
export const recordsOf = (written: readonly LinkedRecord[]): AuditRecord[] => written.map(({ record }) => record);
