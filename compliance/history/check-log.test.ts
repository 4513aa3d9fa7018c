import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import type { LedgerEntry } from '../program.js';
import { checkLog } from './check-log.js';
import { resemblesLog } from './read-lines.js';
import { type DrawnRecord, logOf, STARTED, textOf } from './sample.js';

const action = (execution_id: string, status: AuditRecord['status'], more: Partial<AuditRecord> = {}): DrawnRecord => ({
  record_type: 'action',
  status,
  execution_id,
  ...more,
});

const decision = (
  execution_id: string,
  status: AuditRecord['status'],
  more: Partial<AuditRecord> = {},
): DrawnRecord => ({
  record_type: 'recovery',
  status,
  execution_id,
  ...more,
});

const END: DrawnRecord = { record_type: 'workflow', status: 'workflow_completed', execution_id: 'i1' };

function broken(drawn: readonly DrawnRecord[], witness = {}): string[] {
  return [...new Set(checkLog(textOf(logOf([...STARTED, ...drawn])), witness).map(({ requirement }) => requirement))];
}

function invoked(execution_id: string, more: Partial<LedgerEntry> = {}): LedgerEntry {
  const base = {
    kind: 'invoke',
    incarnation: 1,
    ordinal: 1,
    idempotency_key: 'k1',
    action_id: 'act',
    version: '1.0.0',
  } as const;
  return { ...base, execution_id, inputs: {}, effect: true, received_at: 1, ...more };
}

describe('the log of the audit chapter', () => {
  const chapter = readFileSync(new URL('../../spec/v1.0/06-audit.md', import.meta.url), 'utf8');
  const records = [...chapter.matchAll(/```json audit-record\n([\s\S]*?)```/g)].map(([, text]) =>
    JSON.parse(text ?? ''),
  );
  const text = textOf(records);

  it('holds, as text and as records, down to its size', () => {
    expect(records.length).toBeGreaterThan(0);
    expect(chapter).toContain(`| bytes of the interchange form | ${Buffer.byteLength(text)} |`);
    expect(checkLog(text)).toEqual([]);
    expect(checkLog(records)).toEqual([]);
  });

  it('holds with its State and a ledger, and with earlier exports', () => {
    const state = { note: { value: 'hello' as never, version: 1, writer: 'e1' } };
    const ledger = [invoked('e1', { idempotency_key: 'i1/save/0', action_id: 'note.put', inputs: { text: 'hello' } })];
    const exports = ['', textOf(records.slice(0, 4)), textOf(records.slice(0, 7))];
    expect(checkLog(text, { state, ledger, exports })).toEqual([]);
  });

  it('breaks at a changed byte, a missing record, a stub with a wrong link', () => {
    const requirements = (changed: string) => checkLog(changed).map(({ requirement }) => requirement);
    expect(requirements(text.replace('"size":5', '"size":6'))).toEqual(['AW6']);
    expect(requirements(textOf(records.filter(({ sequence }) => sequence !== 7)))).toContain('AW5');
    const { sequence, prev_hash, hash } = records[6];
    const stub = { sequence, prev_hash, hash, redacted: true };
    expect(checkLog(textOf(records.toSpliced(6, 1, stub)))).toEqual([]);
    expect(requirements(textOf(records.toSpliced(6, 1, { ...stub, hash: records[5].hash })))).toContain('AW6');
  });
});

describe('each check, with a log that breaks its requirement alone', () => {
  const cases: [string, readonly DrawnRecord[], readonly string[]][] = [
    ['a committed execution', [action('e1', 'pending'), action('e1', 'committed'), END], []],
    ['a failed one that was never invoked', [action('e1', 'failed')], []],
    [
      'a rolled back one',
      [
        action('e1', 'pending'),
        action('e1', 'committed'),
        action('u1', 'pending', { purpose: 'revert', refers_to: ['e1'], action_id: 'undo' }),
        action('u1', 'committed', { purpose: 'revert', action_id: 'undo' }),
        action('e1', 'rolled_back', { refers_to: ['u1'] }),
      ],
      [],
    ],
    [
      'a redo',
      [
        action('e1', 'pending'),
        decision('e1', 'redo', { new_execution_id: 'e2' }),
        action('e1', 'failed'),
        action('e2', 'pending', { refers_to: ['e1'] }),
        action('e2', 'committed'),
      ],
      [],
    ],
    [
      'an operator decision',
      [
        action('e1', 'pending'),
        decision('e1', 'in_doubt'),
        action('e1', 'in_doubt'),
        { record_type: 'approval', status: 'resolved', execution_id: 'a1', context_id: 'a1', refers_to: ['e1'] },
        action('e1', 'committed', { refers_to: ['a1'] }),
      ],
      [],
    ],
    ['two commits', [action('e1', 'pending'), action('e1', 'committed'), action('e1', 'committed')], ['AII1']],
    ['a commit without pending', [action('e1', 'committed')], ['AII3']],
    ['a commit taken back', [action('e1', 'pending'), action('e1', 'committed'), action('e1', 'failed')], ['AII7']],
    ['a commit after a failure', [action('e1', 'pending'), action('e1', 'failed'), action('e1', 'committed')], ['CC3']],
    ['an id used twice', [action('e1', 'pending'), action('e1', 'failed'), action('e1', 'pending')], ['EX1']],
    [
      'in doubt decided by nobody',
      [action('e1', 'pending'), action('e1', 'in_doubt'), action('e1', 'failed')],
      ['CRC2'],
    ],
    [
      'rolled back what never committed',
      [action('e1', 'pending'), action('e1', 'rolled_back', { refers_to: ['u'] })],
      ['CC3', 'AII2'],
    ],
    ['an undo of nothing', [action('e1', 'pending'), action('e1', 'committed'), action('e1', 'compensated')], ['AII2']],
    [
      'another action under the same id',
      [action('e1', 'pending'), action('e1', 'committed', { action_id: 'b' })],
      ['CLI2'],
    ],
    ['work after the end', [END, action('e1', 'pending')], ['AM1']],
    ['an end in doubt', [action('e1', 'pending'), action('e1', 'in_doubt'), END], ['FB5']],
    ['two ends', [END, { ...END, status: 'workflow_failed' }], ['AM1']],
    ['a node of no instance', [action('e1', 'failed', { parent_execution_id: 'i2' })], ['WII7']],
    ['a node in another context', [action('e1', 'failed', { context_id: 'i2' })], ['WII7']],
    [
      'no gate',
      [{ record_type: 'workflow', status: 'workflow_started', execution_id: 'i2', context_id: 'i2' }],
      ['G1'],
    ],
    [
      'a start after a denial',
      [
        { record_type: 'gate', status: 'denied', execution_id: 'i2', context_id: 'i2' },
        { record_type: 'workflow', status: 'workflow_started', execution_id: 'i2', context_id: 'i2' },
      ],
      ['G2'],
    ],
    [
      'half a redo',
      [action('e1', 'pending'), decision('e1', 'redo', { new_execution_id: 'e2' }), action('e1', 'failed')],
      ['CRC1'],
    ],
    [
      'a redo under another key',
      [
        action('e1', 'pending'),
        decision('e1', 'redo', { new_execution_id: 'e2' }),
        action('e1', 'failed'),
        action('e2', 'pending', { refers_to: ['e1'], idempotency_key: 'k2' }),
      ],
      ['CRC1'],
    ],
    [
      'four redos',
      [1, 2, 3, 4].flatMap(n => [
        ...(n === 1 ? [action('e1', 'pending')] : []),
        decision(`e${n}`, 'redo', { new_execution_id: `e${n + 1}` }),
        action(`e${n}`, 'failed'),
        action(`e${n + 1}`, 'pending', { refers_to: [`e${n}`] }),
      ]),
      ['CRC2'],
    ],
    ['a time that falls', [action('e1', 'failed', { timestamp: '2026-02-28T12:00:00.000Z' })], ['AW3']],
    ['an incarnation that falls', [action('e1', 'pending', { incarnation: 2 }), action('e1', 'failed')], ['AW3']],
    [
      'a second creation',
      ['e1', 'e2'].flatMap(id => [
        action(id, 'pending'),
        action(id, 'committed', { state_changes: [{ key: 'k', op: 'put', value: {}, expected_version: 0 }] }),
      ]),
      ['I1'],
    ],
    ['a status of another type', [action('e1', 'allowed')], ['AW2']],
  ];
  for (const [name, drawn, requirements] of cases) it(name, () => expect(broken(drawn)).toEqual(requirements));

  it('a record without execution', () => {
    expect(broken([{ ...END, execution_id: undefined as never }])).toContain('PC5');
  });

  it('a line that is not canonical, or not ended', () => {
    const text = textOf(logOf(STARTED));
    const requirements = (changed: string) => checkLog(changed).map(({ requirement }) => requirement);
    expect(requirements(text.slice(0, -1))).toEqual(['AW2']);
    expect(requirements(text.replace(/\n$/, '\r\n'))).toEqual(['AW2']);
    expect(requirements(text.replace('"agent_id"', ' "agent_id"'))).toEqual(['AW2']);
    expect(requirements(`${text}{"x":\n`)).toContain('AW2');
  });
});

describe('with a witness', () => {
  const run = [action('e1', 'pending'), action('e1', 'committed')];

  it('compares State', () => {
    const put = action('e1', 'committed', { state_changes: [{ key: '__proto__', op: 'put', value: 1 as never }] });
    const state = JSON.parse('{"__proto__":{"value":1,"version":1,"writer":"e1"}}');
    expect(broken([action('e1', 'pending'), put], { state })).toEqual([]);
    expect(broken([action('e1', 'pending'), put], { state: {} })).toEqual(['AII4']);
    expect(broken(run, { state })).toEqual(['AII4']);
  });

  it('wants each invocation in the log as it was, and each commit in the ledger', () => {
    expect(broken(run, { ledger: [invoked('e1')] })).toEqual([]);
    expect(broken(run, { ledger: [] })).toEqual(['WII2']);
    expect(broken(run, { ledger: [invoked('e1'), invoked('e9')] })).toEqual(['WII2', 'CLI1']);
    expect(broken(run, { ledger: [invoked('e1'), invoked('e1')] })).toEqual(['EX1']);
    expect(broken(run, { ledger: [invoked('e1', { inputs: { x: 1 } })] })).toEqual(['EC1']);
    const recovered = [action('e1', 'pending'), decision('e1', 'commit'), action('e1', 'committed')];
    expect(broken(recovered, { ledger: [] })).toEqual([]);
  });

  it('wants earlier exports to stay', () => {
    const text = textOf(logOf(STARTED));
    expect(broken(run, { exports: [text] })).toEqual([]);
    expect(broken(run, { exports: [text.replace('agent', 'Agent')] })).toEqual(['AII6']);
    expect(broken([], { exports: [`${text}x`] })).toEqual(['AII6']);
  });
});

it('checks fifty thousand records', () => {
  const drawn = Array.from({ length: 25_000 }, (_, n) => [
    action(`e${n}`, 'pending', { node_id: `n${n}` }),
    action(`e${n}`, 'committed', { node_id: `n${n}` }),
  ]).flat();
  expect(broken(drawn)).toEqual([]);
});

describe('resemblesLog', () => {
  it.each([
    ['a log', textOf(logOf(STARTED)), true],
    ['a log of which all but a beginning is lost', textOf(logOf(STARTED)).slice(0, 40), true],
    ['a log whose first line is damaged', `x${textOf(logOf(STARTED))}`, true],
    ['an empty log', '', true],
    ['a program', 'import json\n\nprint(json)\n', false],
    ['one JSON text over several lines', JSON.stringify({ a: [1, 2] }, null, 2), false],
    ['a list of records', JSON.stringify(logOf(STARTED)), false],
  ])('knows %s', (_what, text, is) => expect(resemblesLog(text)).toBe(is));
});
