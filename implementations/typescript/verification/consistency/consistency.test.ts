import { describe, expect, it } from 'vitest';
import { GENESIS } from '../../audit/chain.js';
import type { RecordDraft } from '../../audit/log.js';
import { startConsistencyCheck } from './index.js';
import {
  action,
  approval,
  changed,
  dryRun,
  ended,
  gate,
  linesOf,
  passage,
  recovery,
  SOUND,
  started,
  terminal,
} from './log.fixture.js';

/** The requirement, the sequence and the execution of each finding. */
function found(lines: readonly string[], from = GENESIS): [string, number, string | undefined][] {
  const check = startConsistencyCheck(from);
  return lines
    .flatMap(line => check.accept(line).findings)
    .map(({ requirement, sequence, execution_id }) => [requirement, sequence, execution_id]);
}

const judged = (drafts: readonly RecordDraft[]) => found(linesOf(drafts));

describe('a sound log', () => {
  it('has no finding, whole or with any record hidden', () => {
    expect(judged(SOUND)).toEqual([]);
    for (let one = 1; one <= SOUND.length; one++)
      expect([one, found(linesOf(SOUND, sequence => sequence === one))]).toEqual([one, []]);
  });

  it('has none with every other or every earlier record hidden, nor from any place on', () => {
    for (const rest of [0, 1]) expect(found(linesOf(SOUND, sequence => sequence % 2 === rest))).toEqual([]);
    const lines = linesOf(SOUND);
    for (let cut = 1; cut <= lines.length; cut++) {
      expect([cut, found(linesOf(SOUND, sequence => sequence <= cut))]).toEqual([cut, []]);
      const { sequence, hash } = JSON.parse(lines[cut - 1] as string);
      expect([cut, found(lines.slice(cut), { sequence, hash })]).toEqual([cut, []]);
    }
  });
});

describe('AC1', () => {
  it('is reported where the first bad line stands, and nothing behind it', () => {
    const lines = linesOf(changed(10, 1));
    expect(found(lines)[0]).toEqual(['AC2', 10, 'e1']);
    const flipped = lines.map((line, at) => (at === 8 ? line.replace('"i1"', '"i0"') : line));
    expect(found(flipped)).toEqual([['AC1', 9, undefined]]);
    expect(found([...lines.slice(0, 4), ...lines.slice(5)])).toEqual([['AC1', 5, undefined]]);
    expect(found(['not a line'])).toEqual([['AC1', 1, undefined]]);
    expect(found(lines.slice(3))).toEqual([['AC1', 1, undefined]]);
  });
});

describe('AC2', () => {
  const inDoubt = [action('in_doubt', 'e1', { error_class: 'E3', error_detail: 'no' })];
  const resolved: RecordDraft = {
    record_type: 'approval',
    status: 'resolved',
    execution_id: 'a1',
    context_id: 'i1',
    agent_id: 'bob',
    verdict: 'absent',
    refers_to: ['e1'],
  };
  it.each([
    ['a commit without pending', changed(10, 1), 10, 'e1'],
    ['a commit twice', changed(12, 0, action('committed')), 12, 'e1'],
    [
      'a rollback of what is not committed',
      changed(25, 1, action('rolled_back', 'e2', { parent_execution_id: 'i2', refers_to: ['u1'] })),
      25,
      'e2',
    ],
    ['other action fields', changed(11, 1, action('committed', 'e1', { attempt: 2 })), 11, 'e1'],
    ['another purpose', changed(24, 1, action('committed', 'u1', { purpose: 'compensate' })), 24, 'u1'],
    ['a verdict without an approval', changed(11, 1, ...inDoubt, action('failed', 'e1', {})), 12, 'e1'],
    ['an instance that starts twice', changed(10, 0, started('i1')), 10, 'i1'],
    ['an instance that ends twice', changed(23, 0, ended()), 23, 'i1'],
    ['an end without a start', changed(9, 0, ended('i9')), 9, 'i9'],
    ['a node after the end', changed(23, 0, terminal('t2')), 23, 't2'],
    ['a terminal twice', changed(22, 0, terminal('t1')), 22, 't1'],
    ['a recovery of what is not pending', changed(12, 0, recovery('close', 'e1')), 12, 'e1'],
    ['a recovery of nothing', changed(12, 0, recovery('close', 'e9')), 12, 'e9'],
    ['a recovery of a terminal', changed(22, 0, recovery('close', 't1')), 22, 't1'],
    ['two types under one id', changed(22, 0, terminal('e1')), 22, 'e1'],
    ['gates of an action', changed(10, 0, ...passage('e1'), action('pending'), action('committed')), 14, 'e1'],
    ['a gate about an action', changed(12, 0, gate('verification', 'e1', { status: 'denied' })), 12, 'e1'],
    ['an approval twice', changed(5, 0, approval()), 5, 'c1'],
    ['a dry run twice', changed(4, 0, dryRun('d1')), 4, 'd1'],
    ['gates in another order', changed(5, 2, gate('governance'), gate('verification')), 5, 'i1'],
    ['a gate left out', changed(7, 1), 7, 'i1'],
    ['gates that do not stand together', changed(7, 0, approval('c2')), 7, 'c2'],
    ['a passage that ends without a denial', changed(7, 2), 7, 'i1'],
    [
      'a start that is asked again after a denial',
      changed(5, 0, gate('verification', 'i1', { status: 'denied' })),
      6,
      'i1',
    ],
    ['a start that is asked again after it', changed(10, 0, gate('verification')), 10, 'i1'],
    ['a continuation before the start', changed(9, 0, gate('governance')), 9, 'i1'],
    ['a continuation after the end', changed(23, 0, gate('governance')), 23, 'i1'],
    ['a continuation that is asked safety', changed(15, 0, gate('safety')), 15, 'i1'],
  ] as [string, RecordDraft[], number, string][])('finds %s', (_what, drafts, sequence, execution_id) => {
    expect(judged(drafts).find(([requirement]) => requirement === 'AC2')).toEqual(['AC2', sequence, execution_id]);
  });

  it('takes a verdict with an approval, before it or not to be seen', () => {
    const verdict = [...inDoubt, resolved, action('failed', 'e1', { refers_to: ['a1'] })];
    const drafts = changed(11, 1, ...verdict).slice(0, 13);
    expect(judged(drafts)).toEqual([]);
    expect(found(linesOf(drafts, sequence => sequence === 12))).toEqual([]);
  });

  it('takes what hidden records can have led to, and nothing else', () => {
    const hidden = (sequence: number) => sequence === 10;
    expect(found(linesOf(changed(12, 0, action('committed')), hidden))).toEqual([['AC2', 12, 'e1']]);
  });
});

describe('AC3', () => {
  it.each([
    ['a parent that never started', changed(10, 0, terminal('t0', { parent_execution_id: 'i9' })), 10, 't0'],
    ['a parent that has ended', changed(23, 0, terminal('t2')), 23, 't2'],
    ['a context that is not the root', changed(21, 1, terminal('t1', { context_id: 'i2' })), 21, 't1'],
    ['a context that never was', changed(4, 1, approval('c1', { context_id: 'i9' })), 4, 'c1'],
    ['a reference to nothing', changed(25, 1, action('rolled_back', 'e1', { refers_to: ['u9'] })), 25, 'e1'],
    ['a reference to what comes later', changed(4, 1), 8, 'i1'],
  ] as [string, RecordDraft[], number, string][])('finds %s', (_what, drafts, sequence, execution_id) => {
    expect(judged(drafts).find(([requirement]) => requirement === 'AC3')).toEqual(['AC3', sequence, execution_id]);
  });
});

describe('AC4', () => {
  const put = (...versions: number[]) =>
    action('committed', 'e1', {
      state_changes: versions.map(expected_version => ({ key: 'k', op: 'put', value: 1, expected_version })),
    });

  it('finds the first version that does not fit', () => {
    expect(judged(changed(11, 1, put(1)))).toEqual([['AC4', 11, 'e1']]);
    expect(judged(changed(11, 1, action('committed')))).toEqual([['AC4', 18, 'e3']]);
    expect(judged(changed(11, 1, put(0, 0)))).toEqual([['AC4', 11, 'e1']]);
  });

  it('counts several writes of one record, and judges nothing behind what is hidden', () => {
    expect(judged(changed(11, 1, put(0, 1)).slice(0, 11))).toEqual([]);
    expect(found(linesOf(changed(11, 1, put(7)), sequence => sequence === 4))).toEqual([]);
  });
});

describe('AC5', () => {
  it('finds a root instance that governance did not allow', () => {
    expect(judged(changed(5, 4))).toEqual([['AC5', 5, 'i1']]);
    const denied = [gate('verification'), gate('governance', 'i1', { status: 'denied' })];
    expect(judged(changed(5, 4, ...denied))).toEqual([['AC5', 7, 'i1']]);
  });
});
