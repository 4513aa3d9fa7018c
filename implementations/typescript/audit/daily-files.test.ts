import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import { GENESIS, headOf, verifyChain } from './chain.js';
import { fileLines, listDailyFiles, verifyFiles, writeDailyFiles } from './daily-files.js';
import { exportPage, type LineSource, MAX_PAGE_BYTES, verifyText } from './interchange.js';
import { linkRecord, prepareDraft } from './linked-record.js';
import type { Head } from './log.js';

const HOUR_MS = 3_600_000;
let workspace_dir: string;

beforeEach(() => {
  workspace_dir = mkdtempSync(join(tmpdir(), 'ars-daily-'));
});

afterEach(() => {
  rmSync(workspace_dir, { recursive: true });
});

/** A log with a record every seven hours, hence three or four a day. */
function log(count: number, text: (n: number) => string = n => `€${n}`): string[] {
  let head: Head = GENESIS;
  return Array.from({ length: count }, (_, n) => {
    const draft = prepareDraft({
      record_type: 'gate',
      execution_id: `e${n}`,
      context_id: `e${n}`,
      agent_id: 'agent',
      status: 'denied',
      gate: 'governance',
      reasons: [{ code: 'NO', message: `"timestamp":"9999-12-31T ${text(n)}` }],
      refers_to: ['w-timestamp'],
    });
    const linked = linkRecord(
      draft,
      head,
      1,
      new Date(Date.parse('2026-02-27T01:00:00Z') + n * 7 * HOUR_MS).toISOString(),
    );
    head = headOf(linked.record);
    return linked.text;
  });
}

const source = (lines: readonly string[]): LineSource => ({ lines: (after = 0) => lines.slice(after).values() });
const content = (files: readonly string[]): string => files.map(file => readFileSync(file, 'utf8')).join('');
const text = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

describe('writeDailyFiles', () => {
  it('writes a file for each UTC day, which together are the log (AW2)', async () => {
    const lines = log(20);
    const written = await writeDailyFiles(source(lines), workspace_dir);
    const files = await listDailyFiles(workspace_dir);
    expect(written).toEqual({ files, records: 20 });
    expect(files.map(file => file.slice(workspace_dir.length).replaceAll('\\', '/'))).toEqual([
      '/infrastructure/audit/2026/02/27.jsonl',
      '/infrastructure/audit/2026/02/28.jsonl',
      '/infrastructure/audit/2026/03/01.jsonl',
      '/infrastructure/audit/2026/03/02.jsonl',
      '/infrastructure/audit/2026/03/03.jsonl',
      '/infrastructure/audit/2026/03/04.jsonl',
    ]);
    expect(content(files)).toBe(text(lines));
    expect(await verifyFiles(files)).toEqual(verifyChain(lines));
  });

  it('continues wherever an earlier export stopped, torn lines included, and changes no whole line', async () => {
    const lines = log(9);
    const whole = text(lines);
    await writeDailyFiles(source(lines), workspace_dir);
    const files = await listDailyFiles(workspace_dir);
    const last = files.at(-1) as string;
    const size = Buffer.byteLength(readFileSync(last));
    for (let kept = size; kept >= 0; kept -= 97) {
      truncateSync(last, kept);
      await writeDailyFiles(source(lines), workspace_dir);
      expect(content(await listDailyFiles(workspace_dir))).toBe(whole);
    }
    const again = await writeDailyFiles(source(lines), workspace_dir);
    expect(again).toEqual({ files: [], records: 0 });
  });

  it('follows a log as it grows', async () => {
    const lines = log(12, n => 'x'.repeat(n * 20_000));
    for (const count of [0, 1, 1, 5, 12]) {
      await writeDailyFiles(source(lines.slice(0, count)), workspace_dir);
      expect(content(await listDailyFiles(workspace_dir))).toBe(text(lines.slice(0, count)));
    }
  });

  it.each(['{"sequence":1}\n', 'garbage\n', '{"sequence":99}\n'])(
    'refuses to continue files of another log: %s',
    async line => {
      const lines = log(3);
      await writeDailyFiles(source(lines.slice(0, 1)), workspace_dir);
      const [file = ''] = await listDailyFiles(workspace_dir);
      appendFileSync(file, line);
      const before = content([file]);
      await expect(writeDailyFiles(source(lines), workspace_dir)).rejects.toMatchObject({ code: 'log_corrupt' });
      expect(content([file])).toBe(before);
    },
  );
});

describe('verifyFiles', () => {
  async function written(lines: readonly string[]): Promise<string[]> {
    await writeDailyFiles(source(lines), workspace_dir);
    return listDailyFiles(workspace_dir);
  }

  it('says where a file is torn, not UTF-8, without its neighbour, or in the wrong place', async () => {
    const files = await written(log(12));
    const [first = '', second = '', third = ''] = files;
    expect(await verifyFiles([first, third])).toMatchObject({ first_bad_sequence: 5, reason: 'sequence', file: third });
    const bytes = readFileSync(second);
    writeFileSync(second, bytes.subarray(0, -1));
    expect(await verifyFiles(files)).toMatchObject({ first_bad_sequence: 7, reason: 'torn', file: second });
    writeFileSync(second, Buffer.from(bytes).fill(0xff, 10, 11));
    expect(await verifyFiles(files)).toMatchObject({ first_bad_sequence: 5, reason: 'not_utf8' });
    writeFileSync(second, Buffer.concat([Buffer.from('\ufeff'), bytes]));
    expect(await verifyFiles(files)).toMatchObject({ first_bad_sequence: 5, reason: 'not_json' });
    writeFileSync(second, bytes.toString().replaceAll('\n', '\r\n'));
    expect(await verifyFiles(files)).toMatchObject({ first_bad_sequence: 5, reason: 'not_canonical' });
    writeFileSync(second, Buffer.concat([bytes, readFileSync(third)]));
    expect(await verifyFiles([first, second])).toMatchObject({ first_bad_sequence: 8, reason: 'day' });
  });

  it('reads lines that are longer than a chunk, and several in one chunk', async () => {
    const lines = log(6, n => (n % 2 === 0 ? 'é'.repeat(200_000) : 'short'));
    const one = join(workspace_dir, 'log.jsonl');
    writeFileSync(one, text(lines));
    expect(await verifyFiles([one])).toEqual(verifyChain(lines));
  });

  it('reads no further in a line that is longer than a text can be', async () => {
    const path = join(workspace_dir, 'long.jsonl');
    writeFileSync(path, `${'x'.repeat(300_000)}\nafter\n`);
    const read: unknown[] = [];
    for await (const line of fileLines(path, undefined, 100_000)) read.push(line);
    expect(read).toEqual([{ reason: 'too_long', message: expect.stringContaining('100000 bytes') }]);
  });

  it('needs the workspace to have no log', async () => {
    expect(await verifyFiles(await listDailyFiles(workspace_dir))).toEqual({ ok: true, head: GENESIS });
  });
});

describe('exportPage', () => {
  const pages = (lines: readonly string[], max_bytes?: number): string[] => {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = exportPage(source(lines), cursor, max_bytes);
      found.push(page.text);
      if (page.next === undefined) {
        return found;
      }
      cursor = page.next;
    }
  };

  it('cuts the log into whole lines that fit a page', () => {
    const lines = log(30);
    const most = Buffer.byteLength(`${lines[0]}\n`) * 4;
    const found = pages(lines, most);
    expect(found.join('')).toBe(text(lines));
    expect(found.length).toBeGreaterThan(7);
    expect(found.every(page => page.endsWith('\n') && Buffer.byteLength(page) <= most)).toBe(true);
    expect(verifyText(found.join(''))).toEqual(verifyChain(lines));
  });

  it('keeps to 4 MiB by bytes, and gives a longer record a page of its own', () => {
    const lines = log(5, n => '€'.repeat(n === 3 ? 2_000_000 : 900_000));
    const sizes = pages(lines).map(page => Buffer.byteLength(page));
    expect(sizes.map(size => size <= MAX_PAGE_BYTES)).toEqual([true, true, true, false, true]);
  });

  it('gives an empty page for an empty log and after the end, and refuses a cursor that is none', () => {
    expect(exportPage(source([]))).toEqual({ text: '' });
    expect(exportPage(source(log(2)), '2')).toEqual({ text: '' });
    for (const cursor of ['', '-1', 'x', '1e3', '9'.repeat(16)]) {
      expect(() => exportPage(source([]), cursor)).toThrow(expect.objectContaining({ code: 'usage' }));
    }
  });
});

describe('verifyText', () => {
  it('accepts the empty log', () => {
    expect(verifyText('')).toEqual({ ok: true, head: GENESIS });
    expect(verifyText('\n')).toMatchObject({ ok: false, first_bad_sequence: 1, reason: 'not_json' });
  });

  it('agrees with the records themselves', () => {
    const lines = log(4);
    expect(verifyText(text(lines))).toEqual(verifyChain(lines.map(line => JSON.parse(line) as AuditRecord)));
  });
});
