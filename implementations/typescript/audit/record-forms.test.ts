import { describe, expect, it } from 'vitest';
import { isValid } from '../../../schemas/index.js';
import type { AuditRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { GENESIS } from './chain.js';
import { committed, pending } from './drafts.fixture.js';
import { linkRecord, prepareDraft } from './linked-record.js';
import type { RecordDraft } from './log.js';
import { RecordForms } from './record-forms.js';

const TIME = '2026-01-01T00:00:00.000Z';
const DRAFTS = [
  pending('e', { a: 1 }),
  { ...committed('e', { key: 'k', op: 'put', value: [1.5, null] }), outputs: { a: 'é\n', hash: 'x' } } as RecordDraft,
];
const RECORDS = DRAFTS.map(draft => linkRecord(prepareDraft(draft), { ...GENESIS, sequence: 16 }, 1, TIME));
/** Texts that a slip, a flipped bit or a forger puts in. */
const PUTS = [
  '',
  ' ',
  ',',
  '"',
  '\\',
  '\u0001',
  '\n',
  '\ud800',
  '0',
  '-',
  '.',
  'e1',
  '{',
  '}',
  '[',
  ']',
  ':',
  'A',
  'é',
  '\u007f',
];
const VALUES = [
  '',
  '0',
  '01',
  '1.0',
  '1e0',
  '-1',
  '9007199254740993',
  'null',
  'true',
  '""',
  '"\u0001"',
  '"\\u0061"',
  '[]',
].concat([
  '{}',
  '{"a": 1}',
  '{"b":1,"a":1}',
  '{"a":1,"a":1}',
  '[1,1]',
  '["x"]',
  '"a","a":1',
  '"a b"',
  '100',
  '"\ud800"',
]);

/** Forms that have learnt those of the records. */
function forms(): RecordForms {
  const known = new RecordForms();
  for (const { record } of RECORDS) known.learn(record);
  return known;
}

/** Whether a line is a record in canonical form, its two hashes aside. */
function isRecord(line: string): boolean {
  try {
    const value = JSON.parse(line) as AuditRecord;
    const { hash } = GENESIS;
    return canonicalize(value) === line && isValid('audit-record', { ...value, hash, prev_hash: hash });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ArsError) return false;
    throw error;
  }
}

/** The line with each text put in at each place, beside what stands there or for a character of it. */
function* slips(line: string): Generator<string> {
  for (let at = 0; at <= line.length; at++)
    for (const put of PUTS) for (const cut of [0, 1]) yield line.slice(0, at) + put + line.slice(at + cut);
}

/** The line with each text for the value of each member. */
function* exchanges(line: string): Generator<string> {
  for (const [name, value] of Object.entries(JSON.parse(line) as object))
    for (const put of VALUES) yield line.replace(`"${name}":${canonicalize(value)}`, () => `"${name}":${put}`);
}

/** The lines that are read though they are no records, and how many are read. */
function misread(lines: Iterable<string>, known: () => RecordForms): { wrong: string[]; read: number } {
  const wrong: string[] = [];
  let read = 0;
  for (const line of lines) {
    if (known().read(line) === undefined) continue;
    read += 1;
    if (!isRecord(line)) wrong.push(line);
  }
  return { wrong, read };
}

describe('RecordForms', () => {
  it('reads the links of records of a form that it has learnt', () => {
    const known = forms();
    for (const { text, record } of [...RECORDS, ...RECORDS.toReversed()]) {
      const { sequence, prev_hash, hash, timestamp, incarnation } = record;
      expect(known.read(text)).toEqual({ sequence, prev_hash, hash, timestamp, incarnation });
    }
  });

  it('knows nothing of another form', () => {
    const known = new RecordForms();
    const [first, second] = RECORDS.map(({ record, text }) => ({ record, text }));
    if (first !== undefined) known.learn(first.record);
    expect([first, second].map(one => known.read(one?.text ?? '') === undefined)).toEqual([false, true]);
  });

  it.each(RECORDS.map(({ text, record }) => [record.status, text]))(
    'reads nothing but canonical records: %s, whatever was put in, and whether or not a text was seen before',
    (_, text) => {
      const known = forms();
      const slipped = misread(slips(text), () => known);
      const exchanged = misread(exchanges(text), forms);
      expect([slipped.wrong, exchanged.wrong]).toEqual([[], []]);
      expect(Math.min(slipped.read, exchanged.read)).toBeGreaterThan(0);
    },
  );
});
