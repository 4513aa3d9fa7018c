import { describe, expect, it } from 'vitest';
import type { SafetyLevel } from '../../../schemas/types.js';
import type { RecordDraft } from '../audit/log.js';
import {
  action,
  approval,
  changed,
  gate,
  linesOf,
  passage,
  SOUND,
  started,
  terminal,
} from '../verification/consistency/log.fixture.js';
import { checkLines } from './log-check.js';

const OTHER = `sha256:${'b'.repeat(64)}`;

/** The sequence and the execution of each bypass. */
function bypasses(
  drafts: readonly RecordDraft[],
  hidden?: (sequence: number) => boolean,
  level?: SafetyLevel,
): unknown[] {
  const levelOfResolved = () => level;
  return checkLines(linesOf(drafts, hidden), { levelOfResolved })
    .filter(({ requirement }) => requirement === 'EG5')
    .map(({ sequence, execution_id }) => [sequence, execution_id]);
}

describe('bypasses of the gates', () => {
  it('are not in a sound log, with or without hidden records', () => {
    expect(bypasses(SOUND)).toEqual([]);
    for (let one = 1; one <= SOUND.length; one++) expect([one, bypasses(SOUND, at => at <= one)]).toEqual([one, []]);
    for (const rest of [0, 1]) expect(bypasses(SOUND, at => at % 2 === rest)).toEqual([]);
  });

  it.each([
    ['no gates', changed(5, 4), 5],
    ['a gate left out', changed(7, 1), 8],
    ['gates in another order', changed(5, 2, gate('governance'), gate('verification')), 9],
    ['gates after the start', changed(5, 5, started(), ...passage()), 5],
    ['a gate that denied', changed(8, 1, gate('execution', 'i1', { status: 'denied' })), 9],
    ['a gate twice', changed(6, 0, gate('verification')), 10],
    ['gates of another start', changed(5, 4, ...passage('i9')), 9],
    ['a confirmation that nobody granted', changed(4, 1), 8],
    ['a confirmation that comes later', [...changed(4, 1).slice(0, 8), approval(), ...SOUND.slice(9)], 8],
    ['a confirmation by the agent itself', changed(4, 1, approval('c1', { agent_id: 'ada' })), 9],
    ['a confirmation for another agent', changed(4, 1, approval('c1', { granted_to: 'eve' })), 9],
    ['a confirmation for other documents', changed(4, 1, approval('c1', { resolved_digest: OTHER })), 9],
    ['a confirmation for other inputs', changed(4, 1, approval('c1', { inputs_digest: OTHER })), 9],
  ] as [string, RecordDraft[], number][])('begin with %s', (_what, drafts, sequence) => {
    expect(bypasses(drafts)).toEqual([[sequence, 'i1']]);
  });

  it.each([
    [
      'a second start with one confirmation',
      [...SOUND, ...passage('i3'), started('i3', { confirmation_id: 'c1', refers_to: ['c1'] })],
      30,
      'i3',
    ],
    [
      'a child of what never started',
      changed(12, 1, started('i2', { context_id: 'i1', parent_execution_id: 'i9', node_id: 'skill' })),
      12,
      'i2',
    ],
    [
      'a child of what has ended',
      [...SOUND, started('i3', { context_id: 'i1', parent_execution_id: 'i1', node_id: 'skill' })],
      26,
      'i3',
    ],
    [
      'an execution without an instance',
      changed(5, 0, action('pending', 'e9', { parent_execution_id: 'i9' })),
      5,
      'e9',
    ],
    [
      'an execution below a denied start',
      [
        ...SOUND,
        gate('verification', 'i3', { status: 'denied' }),
        action('pending', 'e9', { parent_execution_id: 'i3', context_id: 'i3' }),
        terminal('t9', { parent_execution_id: 'i3', context_id: 'i3' }),
      ],
      27,
      'e9',
    ],
  ] as [string, RecordDraft[], number, string][])('are also %s', (_what, drafts, sequence, execution_id) => {
    expect(bypasses(drafts)[0]).toEqual([sequence, execution_id]);
  });

  it('are seen by the level where the resolved documents are at hand', () => {
    expect(bypasses(SOUND, undefined, 'IRREVERSIBLE')).toEqual([]);
    expect(bypasses(changed(1, 3), undefined, 'IRREVERSIBLE')).toEqual([[6, 'i1']]);
    expect(bypasses(changed(1, 3), undefined, 'RISKY')).toEqual([]);
    expect(bypasses(changed(9, 1, started()), undefined, 'RISKY')).toEqual([[9, 'i1']]);
    expect(bypasses(changed(9, 1, started()), undefined, 'CONDITIONALLY_SAFE')).toEqual([]);
  });

  it('are each told, and one of one instance once', () => {
    const two = [
      started('i3'),
      started('i4'),
      action('pending', 'e8', { parent_execution_id: 'i3', context_id: 'i3' }),
    ];
    expect(bypasses([...SOUND, ...two])).toEqual([
      [26, 'i3'],
      [27, 'i4'],
    ]);
  });

  it('that hidden records could have made lawful are not told, those that are plain are', () => {
    expect(bypasses(changed(5, 1), at => at === 1)).toEqual([]);
    expect(bypasses(changed(6, 0, gate('verification')), at => at === 1)).toEqual([[10, 'i1']]);
    expect(bypasses(changed(4, 1, approval('c1', { granted_to: 'eve' })), at => at === 1)).toEqual([[9, 'i1']]);
  });
});
