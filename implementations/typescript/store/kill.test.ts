import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord, Snapshot } from '../../../schemas/types.js';
import { GENESIS, verifyChain } from '../audit/chain.js';
import { committed, EXECUTION, pending, put } from '../audit/drafts.fixture.js';
import { checkLifecycle } from '../audit/lifecycle.js';
import { snapshotFault } from '../state/snapshot.js';
import { foldState, toState } from '../state/state.js';
import { openDatabase } from './driver.js';
import { EARLIER_LAYOUTS } from './earlier-layouts.fixture.js';
import { layoutOf } from './layout.js';
import { storePaths } from './paths.js';
import { openReader, openStore, type Store } from './store.js';

const KILLS = 24;
const ROOT = resolve(import.meta.dirname, '../../..');
const FIXTURE = join(import.meta.dirname, 'writer.fixture.mjs');
const UPGRADER = join(import.meta.dirname, 'upgrader.fixture.mjs');
const compiled = join(ROOT, 'out', `kill-${process.pid}`);
const module = pathToFileURL(join(compiled, 'implementations/typescript/store/store.js')).href;

let workspace_dir: string;
let writers = 0;

/** Compiles what the child needs, and nothing else; types are another check's work. */
beforeAll(() => {
  const program = ts.createProgram([join(import.meta.dirname, 'store.ts')], {
    rootDir: ROOT,
    outDir: compiled,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    noCheck: true,
    skipLibCheck: true,
  });
  program.emit();
  for (const folder of ['schemas/v1.0', 'schemas/validators'])
    cpSync(join(ROOT, folder), join(compiled, folder), { recursive: true });
});

afterAll(() => {
  rmSync(compiled, { recursive: true });
});

beforeEach(() => {
  workspace_dir = mkdtempSync(join(tmpdir(), 'ars-kill-'));
});

afterEach(() => {
  rmSync(workspace_dir, { recursive: true });
});

interface Writer {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  /** Resolves when it has said that so many steps are durable. */
  acknowledges(steps: number): Promise<void>;
  /** The last sequence of which it said that it is durable. */
  acknowledged(): number;
  errors(): string;
}

function startWriter(concurrency: number): Writer {
  const file = join(workspace_dir, `acknowledged-${writers++}`);
  const child = spawn(process.execPath, [
    FIXTURE,
    module,
    workspace_dir,
    String(concurrency),
    file,
    JSON.stringify(EXECUTION),
  ]);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const said = (): number[] => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [''];
    return lines.slice(0, -1).map(Number);
  };
  return {
    process: child,
    exited: once(child, 'close'),
    acknowledges: async steps => {
      while (said().length < steps) {
        await setTimeout(2);
        if (child.exitCode !== null) {
          throw new Error(`the writer ended by itself: ${errors}`);
        }
      }
    },
    acknowledged: () => said().reduce((most, sequence) => Math.max(most, sequence), 0),
    errors: () => errors,
  };
}

describe('a writer that is killed', () => {
  it(`leaves, ${KILLS} times at any instant, a whole log, the State that it says, and the lock free`, async () => {
    let sequence = 0;
    let bytes = '';
    let interrupted = 0;
    let snapshots = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = startWriter(kill % 2 === 0 ? 1 : 8);
      if (kill % 6 !== 5) {
        await writer.acknowledges(1 + Math.floor(Math.random() * 40));
        await setTimeout(Math.random() * 10);
      } else {
        await setTimeout(Math.random() * 400);
      }
      writer.process.kill('SIGKILL');
      await writer.exited;
      expect(writer.errors()).toBe('');

      const store = openStore({ workspace_dir, clock: Date.now });
      const records = [...store.records()];
      expect(verifyChain(store.lines())).toEqual({ ok: true, head: store.head() });
      expect(checkLifecycle(records)).toEqual({ ok: true });
      expect(records.map(r => r.sequence)).toEqual(records.map((_, i) => i + 1));
      expect(store.state()).toEqual(toState(foldState(records)));
      expect(stepsAreWhole(records)).toBe(true);
      snapshots += expectSnapshots(store, records);
      expect(store.head().sequence).toBeGreaterThanOrEqual(Math.max(sequence, writer.acknowledged()));
      const text = [...store.lines()].join('\n');
      expect(text.startsWith(bytes)).toBe(true);
      expect([...store.records({ incomplete: true })].map(r => r.sequence)).toEqual(openExecutions(records));
      interrupted += openExecutions(records).length;
      sequence = store.head().sequence;
      bytes = text;
      await store.close();
    }
    expect(sequence).toBeGreaterThan(KILLS);
    expect(interrupted).toBeGreaterThan(0);
    expect(snapshots).toBeGreaterThan(KILLS);
  }, 120_000);

  it('kept the workspace from a second writer and not from readers, until it died', async () => {
    const writer = startWriter(2);
    await writer.acknowledges(1);
    expect(() => openStore({ workspace_dir, clock: Date.now })).toThrow(
      expect.objectContaining({
        code: 'workspace_locked',
        details: { workspace_dir, pid: writer.process.pid, host: hostname() },
      }),
    );
    for (let reads = 0, last = -1; reads < 5; reads++) {
      const reader = openReader(workspace_dir);
      const verdict = verifyChain(reader.lines());
      expect(verdict).toMatchObject({ ok: true });
      expect(verdict.ok && verdict.head.sequence).toBeGreaterThanOrEqual(last);
      last = reader.head().sequence;
      reader.close();
      await setTimeout(10);
    }
    expect([writer.process.exitCode, writer.errors()]).toEqual([null, '']);
    writer.process.kill('SIGKILL');
    await writer.exited;
    const store = openStore({ workspace_dir, clock: Date.now });
    expect(store.incarnation).toBe(2);
    await store.close();
  });

  it('may be stopped where a reader alone looks next', async () => {
    const writer = startWriter(4);
    await writer.acknowledges(20);
    writer.process.kill('SIGKILL');
    await writer.exited;
    const reader = openReader(workspace_dir);
    expect(verifyChain(reader.lines())).toEqual({ ok: true, head: reader.head() });
    expect(reader.head().sequence).toBeGreaterThanOrEqual(writer.acknowledged());
    expect(reader.state()).toEqual(toState(foldState(reader.records())));
    reader.close();
  });
});

describe('an upgrade that is killed', () => {
  const STEPS = 5_000;
  const SAID = { begins: 'begins\n', open: 'begins\nopen\n' };

  /** A closed store of the first layout, which is long enough for its upgrade to be hit. */
  async function makeEarlier(): Promise<readonly string[]> {
    const store = openStore({ workspace_dir, clock: Date.now });
    for (let step = 0; step < STEPS; step += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, at) => {
          const id = `e${step + at}`;
          return store.append({ records: [pending(id), committed(id, put(`k${at}`, id))] });
        }),
      );
    const lines = [...store.lines()];
    await store.close();
    const db = openDatabase(storePaths(workspace_dir).database);
    db.exec(`${EARLIER_LAYOUTS[0]}; PRAGMA wal_checkpoint(TRUNCATE)`);
    db.close();
    return lines;
  }

  function startUpgrade(folder: string, file: string) {
    const child = spawn(process.execPath, [UPGRADER, module, folder, file]);
    const exited = once(child, 'close');
    const said = async (text: string): Promise<number> => {
      while (child.exitCode === null && !(existsSync(file) && readFileSync(file, 'utf8').startsWith(text)))
        await setTimeout(1);
      return performance.now();
    };
    return { child, exited, said };
  }

  it('leaves at any instant the store as it was, which is read as it is and brought on by the next writer', async () => {
    const lines = await makeEarlier();
    const copy = (name: string): string => {
      const folder = join(workspace_dir, name);
      cpSync(storePaths(workspace_dir).folder, storePaths(folder).folder, { recursive: true });
      return folder;
    };
    const whole = startUpgrade(copy('whole'), join(workspace_dir, 'said'));
    const took = -(await whole.said(SAID.begins)) + (await whole.said(SAID.open));
    await whole.exited;
    let amid = 0;
    for (let kill = 0; kill < 5; kill++) {
      const folder = copy(`killed-${kill}`);
      const { child, exited, said } = startUpgrade(folder, join(folder, 'said'));
      await said(SAID.begins);
      await setTimeout((took * (kill + 0.5)) / 5);
      child.kill('SIGKILL');
      await exited;
      const { database } = storePaths(folder);
      const reader = openReader(folder);
      expect([...reader.lines()]).toEqual(lines);
      expect(reader.derivedFault()).toBeUndefined();
      reader.close();
      const db = openDatabase(database);
      if (layoutOf(db) === 1 && readFileSync(join(folder, 'said'), 'utf8') === SAID.begins) amid += 1;
      db.close();
      const store = openStore({ workspace_dir: folder, clock: Date.now });
      expect(verifyChain(store.lines())).toEqual({ ok: true, head: store.head() });
      expect([...store.writesBefore('k7', STEPS * 2)].length).toBe(STEPS / 500);
      await store.append({ records: [pending('after')] });
      await store.close();
      const after = openReader(folder);
      expect([after.derivedFault(), [...after.lines()].slice(0, -1)]).toEqual([undefined, lines]);
      after.close();
      rmSync(folder, { recursive: true });
    }
    expect(amid).toBeGreaterThan(0);
  }, 240_000);
});

/** A committed record and the trust record after it are one step of the fixture. */
function stepsAreWhole(records: readonly AuditRecord[]): boolean {
  return records.every(
    (record, i) =>
      record.status !== 'committed' ||
      (records[i + 1]?.record_type === 'trust' && records[i + 1]?.execution_id === record.execution_id),
  );
}

/** The newest snapshots that a killed writer left are whole, each State as of its record; gives how many there are. */
function expectSnapshots(store: Store, records: readonly AuditRecord[]): number {
  const kept = [...store.snapshots(store.head().sequence)] as Snapshot[];
  for (const snapshot of kept.slice(0, 3)) {
    expect(snapshotFault(snapshot)).toBeUndefined();
    expect(snapshot.head_hash).toBe(records[snapshot.sequence - 1]?.hash ?? GENESIS.hash);
    expect(snapshot.state).toEqual(toState(foldState(records.slice(0, snapshot.sequence))));
  }
  return kept.length;
}

function openExecutions(records: readonly AuditRecord[]): number[] {
  const ended = new Set(records.filter(r => r.status === 'committed').map(r => r.execution_id));
  return records.filter(r => r.status === 'pending' && !ended.has(r.execution_id)).map(r => r.sequence);
}
