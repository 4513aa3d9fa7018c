import { describe, expect, it } from 'vitest';
import type { TraceEntry } from '../../schemas/types.js';
import type { LedgerEntry, Observation, Program } from '../program.js';
import { judge } from './judge.js';
import { fails, gives, type Sketch, sketch } from './testing/sketch.js';
import { ToyRuntime } from './testing/toy-runtime.js';

const put = (key: string) => gives({ x: 1 }, { state_changes: [{ key, op: 'put', value: 1 }] });
const diamond: Sketch = {
  edges: ['a success b', 'a success c', 'b success j', 'c success j', 'j success done'],
  nodes: { a: { fan_out: 'parallel' }, j: { join_type: 'AND' } },
  script: { a: [put('k')], b: [gives({ x: 2 })] },
};
const choice: Sketch = {
  edges: ['c true a', 'c false b', 'a success j', 'b success j', 'j success done'],
  nodes: { c: { type: 'condition', action_def: undefined, expression: 'inputs.go' }, j: { join_type: 'OR' } },
  rest: { inputs: { go: true } },
};

type Change = (seen: Observation) => Observation;

function blamed(drawn: Sketch, change: Change, kills: number[] = []): string[] {
  const program: Program = sketch(drawn);
  const seen = new ToyRuntime(program, kills).observe();
  expect(judge(program, seen)).toEqual([]);
  return [...new Set(judge(program, change(seen)).map(({ requirement }) => requirement))];
}

const trace =
  (node_id: string, more: Partial<TraceEntry>): Change =>
  seen => ({
    ...seen,
    wait: {
      ...waitOf(seen),
      trace: waitOf(seen).trace.map(entry => (entry.node_id === node_id ? { ...entry, ...more } : entry)),
    },
  });

const ledger =
  (node_id: string, more: (entry: LedgerEntry) => Partial<LedgerEntry>): Change =>
  seen => ({
    ...seen,
    ledger: seen.ledger.map(entry => (entry.node_id === node_id ? { ...entry, ...more(entry) } : entry)),
  });

const core: Change = ({ log: _, exports: __, ...seen }) => seen;
const then =
  (...changes: Change[]): Change =>
  seen =>
    changes.reduce((at, change) => change(at), seen);

function waitOf(seen: Observation): NonNullable<Observation['wait']> {
  if (seen.wait === undefined) throw new Error('the run was not waited for');
  return seen.wait;
}

function without(seen: Observation, node_id: string): Observation {
  return { ...seen, wait: { ...waitOf(seen), trace: waitOf(seen).trace.filter(entry => entry.node_id !== node_id) } };
}

describe('an instance that the runtime lost', () => {
  it('is not blamed on the nodes that were executed before', () => {
    const lose: Change = ({ wait: _, ...seen }) => seen;
    expect(blamed({ edges: ['a success b', 'b success done'] }, then(core, lose))).not.toContain('CF6');
  });
});

describe('what is wrong is blamed on the requirement that it breaks', () => {
  const cases: [string, Sketch, Change, readonly string[]][] = [
    ['an AND join skipped', diamond, trace('j', { outcome: 'skipped', attempts: 0 }), ['CF4']],
    ['an OR join skipped', choice, trace('j', { outcome: 'skipped', attempts: 0 }), ['CF5']],
    ['the other branch taken', choice, trace('c', { outcome: 'false' }), ['CN1']],
    ['a skipped node executed', choice, then(core, trace('b', { outcome: 'success', attempts: 1 })), ['CF2']],
    [
      'a fan-out not followed',
      { ...diamond, edges: ['a success b', 'a success c', 'b success done', 'c success done'] },
      trace('c', { outcome: 'skipped' }),
      ['CF3'],
    ],
    ['a terminal of another status', diamond, trace('done', { outcome: 'failed' }), ['TN1']],
    ['a node left out', diamond, seen => without(seen, 'done'), ['CF8']],
    ['a success that was none', diamond, trace('b', { outcome: 'failure' }), ['AN2']],
    ['too many attempts counted', diamond, trace('b', { attempts: 2 }), ['CF10']],
    ['other inputs', diamond, ledger('b', () => ({ inputs: { y: 1 } })), ['EB2']],
    ['another version', diamond, ledger('b', () => ({ version: '9.0.0' })), ['AN1']],
    [
      'a start before the predecessor ended',
      diamond,
      then(
        core,
        ledger('j', entry => ({ received_at: entry.received_at - 3 })),
      ),
      ['CF1', 'CF6'],
    ],
    ['one key for two nodes', diamond, ledger('c', () => ({ idempotency_key: 'i1/b' })), ['ID1']],
    [
      'one execution twice',
      diamond,
      then(
        core,
        ledger('c', () => ({ execution_id: 'e1' })),
      ),
      ['EX1'],
    ],
    ['another status', diamond, seen => ({ ...seen, wait: { ...waitOf(seen), status: 'compensated' } }), ['TN2']],
    ['outputs of nowhere', diamond, seen => ({ ...seen, wait: { ...waitOf(seen), outputs: { z: 1 } } }), ['EB3']],
    ['a write lost', diamond, seen => ({ ...seen, state: {} }), ['CC1']],
    [
      'a write repeated',
      diamond,
      seen => ({ ...seen, state: { k: { value: 1 as never, version: 2, writer: 'e1' } } }),
      ['CI2'],
    ],
    [
      'another value',
      diamond,
      seen => ({ ...seen, state: { k: { value: 2 as never, version: 1, writer: 'e1' } } }),
      ['AII4'],
    ],
    ['another instance', diamond, ledger('b', () => ({ instance_id: 'i9' })), ['IR4']],
    [
      'a refusal of what is valid',
      diamond,
      seen => ({ ...seen, start: { error: { kind: 'denied', gate: 'verification' } }, ledger: [] }),
      ['VII4'],
    ],
    [
      'a refusal of who may',
      diamond,
      seen => ({ ...seen, start: { error: { kind: 'denied', gate: 'governance' } }, ledger: [] }),
      ['PR1'],
    ],
    [
      'success without a commit',
      diamond,
      seen => ({ ...seen, log: (seen.log ?? []).filter(record => record.node_id !== 'b') }),
      ['PC3'],
    ],
    [
      'an unhandled failure passed over',
      { ...choice, script: { a: [fails('E2')] } },
      seen => ({ ...seen, wait: { ...waitOf(seen), status: 'completed' } }),
      ['FB2'],
    ],
    [
      'a path behind an unhandled failure',
      { edges: ['a success b', 'b success done'], script: { a: [fails('E2')] } },
      then(core, trace('b', { outcome: 'success', attempts: 1 })),
      ['FB2'],
    ],
    [
      'a path behind E5',
      { edges: ['a always b', 'b success done'], script: { a: [fails('E5')] } },
      then(core, trace('b', { outcome: 'success', attempts: 1 })),
      ['FB3'],
    ],
    [
      'a retry that is not allowed',
      { ...diamond, script: { b: [fails('E2')] } },
      then(core, seen => repeat(seen, 'b', 2, 1)),
      ['CF9'],
    ],
    ['a second invocation after success', diamond, then(core, seen => repeat(seen, 'b', 2, 1)), ['AN5']],
  ];
  for (const [name, drawn, change, requirements] of cases) {
    it(name, () => expect(blamed(drawn, change)).toEqual(expect.arrayContaining([...requirements])));
  }

  it('a program that may not start, and did', () => {
    const program = { ...sketch(diamond), agents: [], permissions: [] };
    const seen = new ToyRuntime(sketch(diamond)).observe();
    expect(judge(program, seen).map(({ requirement }) => requirement)).toEqual(['G2']);
    const denied: Observation = {
      start: { error: { kind: 'denied', gate: 'governance' } },
      ledger: [],
      recoveries: [null],
      kills: 0,
    };
    expect(judge(program, denied)).toEqual([]);
    expect(judge(program, { ...denied, ledger: seen.ledger })).toMatchObject([{ requirement: 'G2' }]);
  });
});

/** The observation with one more invocation of a node, in an incarnation. */
function repeat(seen: Observation, node_id: string, attempt: number, incarnation: number): Observation {
  const last = seen.ledger.findLast(entry => entry.node_id === node_id);
  if (last === undefined) throw new Error(`${node_id} was not invoked`);
  const at = last.replied_at ?? last.received_at;
  const again = { ...last, attempt, incarnation, execution_id: 'again', received_at: at + 0.1, replied_at: at + 0.2 };
  return { ...seen, ledger: seen.ledger.toSpliced(seen.ledger.indexOf(last) + 1, 0, again) };
}

describe('after a kill', () => {
  const chain: Sketch = { edges: ['a success b', 'b success done'] };
  const irreversible: Sketch = { ...chain, action: { rollback: 'irreversible', side_effects: ['external_service'] } };
  /** Steps of the toy up to the reply of the first invocation: gate, start, pending, receipt. */
  const INSIDE = 7;

  it('what has no effect is redone and completes', () => {
    const program = sketch(chain);
    const seen = new ToyRuntime(program, [INSIDE]).observe();
    expect(seen.ledger.filter(entry => entry.node_id === 'a')).toHaveLength(2);
    expect(judge(program, seen)).toEqual([]);
  });

  it('what is irreversible stays in doubt; a redo breaks CRC2, a verdict of its own CRC1', () => {
    const program = sketch(irreversible);
    const seen = new ToyRuntime(program, [INSIDE]).observe();
    expect(seen.wait?.status).toBe('in_doubt');
    expect(judge(program, seen)).toEqual([]);
    const redone = judge(program, repeat(core(seen), 'a', 1, 2)).map(({ requirement }) => requirement);
    expect(redone).toContain('CRC2');
    const closed = judge(program, core(trace('a', { outcome: 'failure' })(seen))).map(({ requirement }) => requirement);
    expect(closed).toContain('CRC1');
  });

  it('a decision taken twice breaks CRC3, one that the table does not name CRC1', () => {
    const program = sketch(irreversible);
    const seen = new ToyRuntime(program, [INSIDE]).observe();
    const twice = { ...seen, recoveries: [...seen.recoveries, ...seen.recoveries] };
    expect(judge(program, twice).map(({ requirement }) => requirement)).toEqual(['CRC3']);
    const log = (seen.log ?? []).map(record =>
      record.record_type === 'recovery' ? { ...record, status: 'close' as const } : record,
    );
    expect(judge(program, { ...seen, log }).map(({ requirement }) => requirement)).toContain('CRC1');
  });

  it('what stays pending breaks CRC1', () => {
    const program = sketch(chain);
    const seen = new ToyRuntime(program, [INSIDE]).observe();
    const log = (seen.log ?? []).filter(record => !(record.execution_id === 'e1' && record.status !== 'pending'));
    expect(judge(program, { ...seen, log }).map(({ requirement }) => requirement)).toContain('CRC1');
  });
});
