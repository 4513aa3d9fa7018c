import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GENESIS } from '../audit/chain.js';
import type { Step } from '../audit/log.js';
import { makeDurable, openDatabase, type SqlDatabase } from './driver.js';
import { GroupCommit } from './group-commit.js';
import { createLayout, EPOCH } from './layout.js';
import { openReads, readHead } from './read.js';
import { openWrites } from './write.js';

let folder: string;
let db: SqlDatabase;
let commits: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ars-commit-'));
  db = openDatabase(join(folder, 'ars.db'));
  makeDurable(db, folder);
  createLayout(db);
  commits = 0;
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function start(clock = () => 1000): GroupCommit {
  let begun = false;
  const counting: SqlDatabase = {
    ...{ exec: sql => db.exec(sql), close: () => db.close() },
    prepare: sql => {
      const statement = db.prepare(sql);
      const run: typeof statement.run = (...values) => {
        if (sql === 'BEGIN IMMEDIATE') begun = true;
        else if (sql === 'COMMIT' || !begun) commits += 1;
        if (sql === 'COMMIT') begun = false;
        statement.run(...values);
      };
      return { run, get: (...values) => statement.get(...values), all: (...values) => statement.all(...values) };
    },
  };
  const parts = { db: counting, reads: openReads(counting), writes: openWrites(counting) };
  return new GroupCommit({ ...parts, incarnation: 1, clock, fault: undefined, head: GENESIS, timestamp: EPOCH });
}

const step = (n: number, text = ''): Step => ({
  records: [
    {
      record_type: 'gate',
      execution_id: `e${n}`,
      context_id: `e${n}`,
      agent_id: 'agent',
      status: 'denied',
      gate: 'governance',
      reasons: [{ code: 'NO', message: text }],
    },
  ],
});

describe('GroupCommit', () => {
  it('writes the steps of one turn of the event loop in one transaction, in the order of the calls', async () => {
    const group = start();
    const written = await Promise.all(Array.from({ length: 32 }, (_, n) => group.append(step(n))));
    expect(commits).toBe(1);
    expect(written.map(([record]) => [record?.head.sequence, record?.facts.execution_id])).toEqual(
      written.map((_, n) => [n + 1, `e${n}`]),
    );
    await group.append(step(99));
    expect(commits).toBe(2);
  });

  it('shares transactions among callers that go on when their step is durable', async () => {
    const group = start();
    const caller = async (n: number): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        await group.append(step(n * 100 + i));
        for (let hop = 0; hop < n; hop++) {
          await undefined;
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, n) => caller(n)));
    expect(group.head.sequence).toBe(160);
    expect(commits).toBe(10);
  });

  it('leaves no transaction open after a step that writes more than records, and after one that writes none', async () => {
    const group = start();
    await group.append({ records: [], documents: [{ kind: 'job', id: 'j', value: { n: 1 } }] });
    await group.append({ records: [] });
    await group.append(step(1));
    await group.append({ records: [], removals: [{ kind: 'job', id: 'j' }] });
    expect(commits).toBe(3);
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    expect([[...openReads(db).lines()].length, openReads(db).document('job', 'j')]).toEqual([1, undefined]);
  });

  it('commits nothing where nothing was accepted', async () => {
    const group = start();
    const refused = step(1);
    await expect(
      group.append({ records: [{ ...refused.records[0], status: 'pending' } as never] }),
    ).rejects.toMatchObject({
      code: 'invalid_document',
    });
    expect([commits, group.head]).toEqual([0, GENESIS]);
  });

  it('stops for good when the database is full, and has written nothing of the step', async () => {
    const group = start();
    await group.append(step(1));
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.exec(`PRAGMA max_page_count=${pages + 2}`);
    const outcomes = await Promise.allSettled([group.append(step(2)), group.append(step(3, 'x'.repeat(100_000)))]);
    expect(outcomes.map(o => o.status === 'rejected' && o.reason.code)).toEqual(['storage_failed', 'storage_failed']);
    db.exec('PRAGMA max_page_count=1000000');
    await expect(group.append(step(4))).rejects.toMatchObject({ code: 'storage_failed' });
    expect([...openReads(db).lines()]).toHaveLength(1);
    expect(readHead(db).head).toEqual(group.head);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e15])(
    'does not write under a time that no timestamp can say: %d',
    async time => {
      const group = start(() => time);
      await expect(group.append(step(1))).rejects.toMatchObject({ code: 'storage_failed' });
      expect(group.head).toEqual(GENESIS);
    },
  );
});
