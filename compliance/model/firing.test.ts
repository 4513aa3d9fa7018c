import { describe, expect, it } from 'vitest';
import { expected } from './expected.js';
import { fails, gives, type Sketch, sketch } from './testing/sketch.js';

function outcomes(drawn: Sketch): Record<string, string> {
  const run = expected(sketch(drawn));
  return { ...Object.fromEntries([...run.nodes].map(([id, { outcome }]) => [id, outcome])), status: run.status };
}

const branch = { c: { type: 'condition', action_def: undefined, expression: 'inputs.go' } } as const;
const go = (value: unknown) => ({ inputs: { go: value } });

describe('firing', () => {
  it('runs a sequence to its terminal', () => {
    expect(outcomes({ edges: ['a success b', 'b success done'] })).toEqual({
      a: 'success',
      b: 'success',
      done: 'completed',
      status: 'completed',
    });
  });

  it('takes one branch and skips the other, and an OR join after both runs', () => {
    const drawn = { edges: ['c true a', 'c false b', 'a success j', 'b success j', 'j success done'], nodes: branch };
    expect(outcomes({ ...drawn, rest: go(true) })).toMatchObject({
      c: 'true',
      a: 'success',
      b: 'skipped',
      j: 'success',
    });
    expect(outcomes({ ...drawn, rest: go(false) })).toMatchObject({ c: 'false', a: 'skipped', b: 'success' });
  });

  it('takes default where a string has no label of its own', () => {
    const drawn = { edges: ['c x done', 'c default b', 'b success done'], nodes: branch };
    expect(outcomes({ ...drawn, rest: go('x') })).toMatchObject({ c: 'x', b: 'skipped', done: 'completed' });
    expect(outcomes({ ...drawn, rest: go('toString') })).toMatchObject({ c: 'default', b: 'success' });
  });

  it('takes default for a boolean without its label', () => {
    const drawn = { edges: ['c true done', 'c default b', 'b success done'], nodes: branch };
    expect(outcomes({ ...drawn, rest: go(false) })).toMatchObject({ c: 'default', b: 'success', status: 'completed' });
  });

  it('fails a condition in error, of another type, or without a label, and drains', () => {
    const drawn = { edges: ['c true done', 'c false b', 'b success done'], nodes: branch };
    for (const value of [3, null, 'x', undefined]) {
      const rest = value === undefined ? { inputs: {} } : go(value);
      expect(outcomes({ ...drawn, rest })).toEqual({ c: 'failure', b: 'skipped', done: 'skipped', status: 'failed' });
    }
  });

  it('runs an AND join when all its in-edges are taken', () => {
    const edges = ['a success b', 'a success c', 'b success j', 'c success j', 'j success done'];
    expect(outcomes({ edges, nodes: { j: { join_type: 'AND' } } })).toMatchObject({
      j: 'success',
      status: 'completed',
    });
  });

  it('skips an AND join one of whose in-edges is dead, and everything behind it', () => {
    const edges = ['a success b', 'a success c', 'b success j', 'c success j', 'j success done'];
    const drawn = { edges, nodes: { j: { join_type: 'AND' } } as const, script: { c: [fails('E2')] } };
    expect(outcomes(drawn)).toEqual({
      a: 'success',
      b: 'success',
      c: 'failure',
      j: 'skipped',
      done: 'skipped',
      status: 'failed',
    });
  });

  it('waits with an OR join for a slow branch and runs it once', () => {
    const edges = ['a success b', 'a success c', 'c success d', 'b success j', 'd success j', 'j success done'];
    const run = expected(sketch({ edges }));
    expect(run.nodes.get('j')).toMatchObject({ outcome: 'success', attempts: 1 });
    expect([...run.nodes.keys()].indexOf('j')).toBeGreaterThan([...run.nodes.keys()].indexOf('d'));
  });

  it('runs an OR join with one failed branch, in an instance that is failed all the same', () => {
    const edges = ['a success b', 'a success c', 'b success j', 'c success j', 'j success done'];
    expect(outcomes({ edges, script: { b: [fails('E2')] } })).toMatchObject({
      j: 'success',
      done: 'completed',
      status: 'failed',
    });
  });

  it('skips an OR join all of whose in-edges are dead', () => {
    const edges = ['a success b', 'a success c', 'b success j', 'c success j', 'j success done'];
    expect(outcomes({ edges, script: { b: [fails('E2')], c: [fails('E3')] } })).toMatchObject({ j: 'skipped' });
  });

  it('reads an absent join_type as OR', () => {
    const edges = ['c true a', 'c false b', 'a success j', 'b success j', 'j success done'];
    expect(outcomes({ edges, nodes: branch, rest: go(true) })).toMatchObject({ j: 'success' });
  });

  it('carries a dead path through several nodes to a join', () => {
    const edges = [
      'c true a',
      'c false x',
      'x success y',
      'y always z',
      'z success j',
      'a success j',
      'j success done',
    ];
    expect(outcomes({ edges, nodes: branch, rest: go(true) })).toEqual({
      c: 'true',
      a: 'success',
      x: 'skipped',
      y: 'skipped',
      z: 'skipped',
      j: 'success',
      done: 'completed',
      status: 'completed',
    });
  });

  it('does not let a skipped node take an always edge', () => {
    const edges = ['c true done', 'c false x', 'x always y', 'y success done'];
    expect(outcomes({ edges, nodes: branch, rest: go(true) })).toMatchObject({ x: 'skipped', y: 'skipped' });
  });

  it('takes an always edge after success and after failure, and then the failure is handled', () => {
    const edges = ['a always b', 'b success done'];
    expect(outcomes({ edges })).toMatchObject({ b: 'success', status: 'completed' });
    expect(outcomes({ edges, script: { a: [fails('E2')] } })).toMatchObject({
      a: 'failure',
      b: 'success',
      status: 'completed',
    });
  });

  it('drains at E5 although an always edge leaves', () => {
    const drawn = { edges: ['a always b', 'b success done'], script: { a: [fails('E5')] } };
    expect(outcomes(drawn)).toEqual({ a: 'failure', b: 'skipped', done: 'skipped', status: 'failed' });
  });

  it('drains at an unhandled failure: other branches go on', () => {
    const edges = ['a success b', 'a success c', 'b success done', 'c success d', 'd success t'];
    const nodes = { t: { type: 'terminal', status: 'completed', action_def: undefined } } as const;
    expect(outcomes({ edges, nodes, script: { b: [fails('E4')] } })).toMatchObject({
      b: 'failure',
      d: 'success',
      t: 'completed',
      status: 'failed',
    });
  });

  it('takes a success edge and an always edge of one node together', () => {
    const edges = ['a success b', 'a always c', 'b success j', 'c success j', 'j success done'];
    const nodes = { j: { join_type: 'AND' } } as const;
    expect(outcomes({ edges, nodes })).toMatchObject({ j: 'success', status: 'completed' });
    expect(outcomes({ edges, nodes, script: { a: [fails('E2')] } })).toMatchObject({
      b: 'skipped',
      c: 'success',
      j: 'skipped',
      status: 'failed',
    });
  });

  it('ends with the worst terminal reached', () => {
    const nodes = {
      t: { type: 'terminal', status: 'compensated', action_def: undefined },
      f: { type: 'terminal', status: 'failed', action_def: undefined },
    } as const;
    expect(outcomes({ edges: ['a success done', 'a success t'], nodes }).status).toBe('compensated');
    expect(outcomes({ edges: ['a success done', 'a success t', 'a success f'], nodes }).status).toBe('failed');
  });

  it('fails an instance that reaches no terminal', () => {
    expect(outcomes({ edges: ['a success done'], script: { a: [fails('E2')] } }).status).toBe('failed');
  });

  it('joins at a terminal as at any node', () => {
    const nodes = { done: { type: 'terminal', status: 'completed', join_type: 'AND' } } as const;
    const edges = ['a success b', 'a success c', 'b success done', 'c success done'];
    expect(outcomes({ edges, nodes, script: { c: [fails('E2')] } })).toMatchObject({
      done: 'skipped',
      status: 'failed',
    });
  });

  it('keeps odd names apart from what objects inherit', () => {
    const edges = ['__proto__ success constructor', 'constructor success done'];
    expect(outcomes({ edges })).toMatchObject({ constructor: 'success', done: 'completed' });
  });

  it('leaves nodes behind an execution in doubt undecided and lets others end', () => {
    const program = sketch({
      edges: ['a success b', 'a success c', 'b success done', 'c success t'],
      nodes: { t: { type: 'terminal', status: 'completed', action_def: undefined } },
      action: { rollback: 'irreversible', side_effects: ['external_service'] },
      script: { b: [fails('E2', 'unknown')] },
    });
    const run = expected(program);
    expect(run).toMatchObject({ status: 'in_doubt', exact: false });
    expect(run.nodes.get('b')?.outcome).toBe('in_doubt');
    expect(run.nodes.has('done')).toBe(false);
    expect(run.nodes.get('t')?.outcome).toBe('completed');
  });

  it('fires a chain of a hundred thousand nodes', () => {
    const edges = Array.from({ length: 100_000 }, (_, i) => `n${i} success ${i === 99_999 ? 'done' : `n${i + 1}`}`);
    expect(expected(sketch({ edges, script: { n5: [gives({ x: 1 })] } })).status).toBe('completed');
  });
});
