import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRecord, RedactedRecord } from '../../../schemas/types.js';
import { canonicalize, digest, digestText } from '../state/canonical.js';
import { type ChainReason, GENESIS, headOf, verifyChain } from './chain.js';
import { pending } from './drafts.fixture.js';
import { verifyText } from './interchange.js';
import { linkRecord, type PreparedDraft, prepareDraft } from './linked-record.js';
import type { Head, RecordDraft } from './log.js';

const START = Date.parse('2026-03-01T23:59:59.000Z');

/** A gate record is the smallest that takes free text; approval and trust ones vary the members around it. */
function draft(n: number, text: string, kind: 'gate' | 'approval' | 'trust'): RecordDraft {
  const common = { execution_id: `e${n}`, context_id: `e${n}`, agent_id: 'agent' };
  switch (kind) {
    case 'gate':
      return {
        ...common,
        record_type: 'gate',
        status: 'denied',
        gate: 'governance',
        reasons: [{ code: 'NO', message: text }],
        trust_after: 'UNTRUSTED',
      };
    case 'approval':
      return {
        ...common,
        record_type: 'approval',
        status: 'resolved',
        verdict: 'absent',
        refers_to: [`r${text.length}`],
      };
    default:
      return {
        ...common,
        record_type: 'trust',
        status: 'changed',
        trust_after: 'TRUSTED',
        refers_to: [`r-${n}`],
      };
  }
}

function chain(drafts: readonly RecordDraft[]): string[] {
  let head: Head = GENESIS;
  return drafts.map((next, i) => {
    const { record, text } = linkRecord(prepareDraft(next), head, 1, new Date(START + i * 250).toISOString());
    head = headOf(record);
    return text;
  });
}

/** The line with other members, its hash made right again where that is wanted. */
function forge(line: string, members: Record<string, unknown>, rehash = true): string {
  const { hash, ...content } = { ...JSON.parse(line), ...members } as Record<string, unknown>;
  return canonicalize({ ...content, hash: rehash ? digest(content) : hash });
}

function stub(line: string): RedactedRecord {
  const { sequence, prev_hash, hash } = JSON.parse(line) as AuditRecord;
  return { sequence, prev_hash, hash, redacted: true };
}

const kind = fc.constantFrom('gate' as const, 'approval' as const, 'trust' as const);
const drafts = fc
  .array(fc.tuple(fc.string({ unit: 'grapheme' }), kind), { minLength: 1, maxLength: 6 })
  .map(list => list.map(([text, k], n) => draft(n, text, k)));

describe('linkRecord', () => {
  it('writes the canonical form, and the hash of that form without hash', () => {
    fc.assert(
      fc.property(drafts, list => {
        for (const line of chain(list)) {
          const { hash, ...content } = JSON.parse(line) as AuditRecord;
          expect(canonicalize({ hash, ...content })).toBe(line);
          expect(hash).toBe(digest(content));
        }
      }),
    );
  });

  it('refuses a draft that places itself', () => {
    const forged = { ...draft(1, '', 'gate'), sequence: 9 } as RecordDraft;
    expect(() => prepareDraft(forged)).toThrow(
      expect.objectContaining({ code: 'invalid_document', details: { pointer: '/sequence' } }),
    );
  });
});

describe('verifyChain', () => {
  it('accepts every chain, as lines, as records and with any of them redacted', () => {
    fc.assert(
      fc.property(drafts, fc.array(fc.boolean()), (list, hidden) => {
        const lines = chain(list);
        const head = headOf(JSON.parse(lines.at(-1) as string) as AuditRecord);
        expect(verifyChain(lines)).toEqual({ ok: true, head });
        const records = lines.map(line => JSON.parse(line) as AuditRecord);
        expect(verifyChain(records)).toEqual({ ok: true, head });
        expect(verifyChain(lines.map((line, i) => (hidden[i] ? stub(line) : line)))).toEqual({ ok: true, head });
        const cut = Math.floor(lines.length / 2);
        const middle = cut === 0 ? GENESIS : headOf(records[cut - 1] as AuditRecord);
        expect(verifyChain(lines.slice(cut), middle)).toEqual({ ok: true, head });
      }),
    );
  });

  it('accepts nothing but the empty log for no lines', () => {
    expect(verifyChain([])).toEqual({ ok: true, head: { sequence: 0, hash: digestText('') } });
  });

  it('names the first bad sequence and why', () => {
    const lines = chain([0, 1, 2, 3].map(n => draft(n, 'a', 'gate')));
    const at = (i: number): string => lines[i] as string;
    const replaced = (i: number, line: string): string[] => lines.with(i, line);
    const cases: [string, (string | AuditRecord)[], number, ChainReason][] = [
      ['half a line', replaced(1, at(1).slice(0, 50)), 2, 'not_json'],
      ['an empty line', replaced(1, ''), 2, 'not_json'],
      ['white space', replaced(1, `${at(1)} `), 2, 'not_canonical'],
      ['a duplicate key', replaced(1, at(1).replace('{', '{"agent_id":"x",')), 2, 'not_canonical'],
      [
        'an inexact integer',
        replaced(1, at(1).replace('"sequence":2', '"sequence":9007199254740993')),
        2,
        'not_canonical',
      ],
      ['a record with NaN', [at(0), { ...JSON.parse(at(1)), sequence: Number.NaN } as AuditRecord], 2, 'not_canonical'],
      ['an unknown member', replaced(1, forge(at(1), { extra: 1 })), 2, 'schema'],
      ['a stub with content', replaced(1, canonicalize({ ...stub(at(1)), agent_id: 'a' })), 2, 'schema'],
      ['a gap', [at(0), at(2), at(3)], 2, 'sequence'],
      ['a repetition', [at(0), at(0)], 2, 'sequence'],
      ['another content', replaced(2, forge(at(2), { agent_id: 'x' }, false)), 3, 'hash'],
      ['another content with its hash', replaced(2, forge(at(2), { agent_id: 'x' })), 4, 'prev_hash'],
      ['another link', replaced(2, forge(at(2), { prev_hash: digestText('x') })), 3, 'prev_hash'],
      ['an earlier time', replaced(3, forge(at(3), { timestamp: '2020-01-01T00:00:00.000Z' })), 4, 'timestamp'],
      [
        'a stub of another record',
        [at(0), canonicalize({ ...stub(at(1)), hash: digestText('x') }), at(2)],
        3,
        'prev_hash',
      ],
    ];
    const found = cases.map(([name, changed]) => {
      const verdict = verifyChain(changed);
      return [name, verdict.ok ? 'ok' : verdict.first_bad_sequence, verdict.ok ? 'ok' : verdict.reason];
    });
    expect(found).toEqual(cases.map(([name, , sequence, reason]) => [name, sequence, reason]));
  });

  it.each([
    ['not_canonical', 'CR LF', (line: string) => `${line}\r`],
    ['not_json', 'byte order mark', (line: string) => `\ufeff${line}`],
  ])('says of a line that is %s where a %s is why', (reason, why, changed) => {
    const [line = ''] = chain([draft(0, 'x', 'gate')]);
    expect(verifyChain([changed(line)])).toMatchObject({ ok: false, reason, message: expect.stringContaining(why) });
  });

  it('finds an incarnation that falls', () => {
    const [a, b] = [draft(1, '', 'gate'), draft(2, '', 'gate')].map(prepareDraft);
    const first = linkRecord(a as PreparedDraft, GENESIS, 5, '2026-01-01T00:00:00.000Z');
    const second = linkRecord(b as PreparedDraft, headOf(first.record), 4, '2026-01-01T00:00:00.000Z');
    expect(verifyChain([first.text, second.text])).toMatchObject({ first_bad_sequence: 2, reason: 'incarnation' });
  });

  it('judges a chain of a hundred thousand stubs', () => {
    function* stubs(): Generator<RedactedRecord> {
      for (let sequence = 1, prev_hash = GENESIS.hash; sequence <= 100_000; sequence++) {
        const hash = digestText(prev_hash);
        yield { sequence, prev_hash, hash, redacted: true };
        prev_hash = hash;
      }
    }
    expect(verifyChain(stubs())).toMatchObject({ ok: true, head: { sequence: 100_000 } });
  });
});

describe('the interchange text', () => {
  const text = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

  it('does not survive the change of a single byte', () => {
    fc.assert(
      fc.property(drafts, fc.nat(), fc.integer({ min: 1, max: 127 }), (list, place, flip) => {
        const bytes = Buffer.from(text(chain(list)));
        const at = place % bytes.length;
        bytes[at] = (bytes[at] as number) ^ flip;
        expect(verifyText(bytes.toString('utf8')).ok).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('does not survive any one flipped bit of a small log', () => {
    const whole = Buffer.from(text(chain([draft(0, 'é', 'gate'), draft(1, 'x', 'approval')])));
    const survivors: number[] = [];
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bytes = Buffer.from(whole);
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      if (verifyText(bytes.toString('utf8')).ok) {
        survivors.push(bit);
      }
    }
    expect(survivors).toEqual([]);
  });

  it('does not survive a line dropped before the end, doubled, swapped or moved in from another log', () => {
    fc.assert(
      fc.property(drafts, fc.nat(), fc.nat(), (list, i, j) => {
        const lines = chain(list);
        const a = i % lines.length;
        const b = j % lines.length;
        expect(verifyText(text(lines.toSpliced(a, 0, lines[a] as string))).ok).toBe(false);
        if (a < lines.length - 1) {
          expect(verifyText(text(lines.toSpliced(a, 1)))).toMatchObject({ ok: false, first_bad_sequence: a + 1 });
        }
        if (a !== b) {
          const swapped = lines.with(a, lines[b] as string).with(b, lines[a] as string);
          expect(verifyText(text(swapped))).toMatchObject({ ok: false, first_bad_sequence: Math.min(a, b) + 1 });
        }
        if (lines.length > 1) {
          const other = chain(list.with(0, draft(99, 'another log', 'gate')));
          expect(verifyText(text(lines.with(lines.length - 1, other.at(-1) as string))).ok).toBe(false);
        }
      }),
    );
  });

  it('is torn where its end is cut inside a line; a cut between lines shows only against a head kept elsewhere', () => {
    fc.assert(
      fc.property(drafts, fc.nat(), (list, place) => {
        const lines = chain(list);
        const whole = text(lines);
        const cut = whole.slice(0, place % whole.length);
        const verdict = verifyText(cut);
        if (cut === '' || cut.endsWith('\n')) {
          const kept = headOf(JSON.parse(lines.at(-1) as string) as AuditRecord);
          expect(verdict.ok).toBe(true);
          expect(verdict.ok && verdict.head).not.toEqual(kept);
        } else {
          expect(verdict).toMatchObject({ ok: false, reason: 'torn', first_bad_sequence: cut.split('\n').length });
        }
      }),
    );
  });
});

it('a member named hash inside a record is a part of its content', () => {
  const other = `sha256:${'a'.repeat(64)}`;
  const [line = ''] = chain([pending('e', { hash: other, z: 1 })]);
  expect(verifyChain([line]).ok).toBe(true);
  const { hash } = JSON.parse(line) as AuditRecord;
  const forged = line.replace(`"hash":"${hash}"`, `"hash":"${other}"`);
  expect(verifyChain([forged])).toMatchObject({ ok: false, reason: 'hash' });
});
