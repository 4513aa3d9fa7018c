import { describe, expect, it } from 'vitest';
import type { Action } from '../../schemas/types.js';
import { expected } from './expected.js';
import { fails, gives, type Sketch, sketch } from './testing/sketch.js';

const chain: Sketch = { edges: ['a success b', 'b success done'] };

function nodeOf(drawn: Partial<Sketch>, id = 'a') {
  return expected(sketch({ ...chain, ...drawn })).nodes.get(id);
}

function statusOf(drawn: Partial<Sketch>) {
  return expected(sketch({ ...chain, ...drawn })).status;
}

const undo: Action = { action_id: 'undo', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };
const rollbackable: Partial<Action> = { rollback: 'rollbackable', side_effects: ['filesystem'], revert: 'undo@1' };
const compensatable: Partial<Action> = {
  rollback: 'compensatable',
  side_effects: ['remote_server'],
  compensation: 'undo@1',
};
const irreversible: Partial<Action> = { rollback: 'irreversible', side_effects: ['external_service'] };

describe('retries, as the table of chapter 5 works them out', () => {
  const cases: [Action['determinism'], number | undefined, ('E0' | 'E1' | 'E3')[], number][] = [
    ['deterministic', undefined, ['E1', 'E1', 'E1', 'E1'], 4],
    ['deterministic', 1, ['E1', 'E1'], 2],
    ['deterministic', 3, ['E0', 'E0'], 2],
    ['deterministic', undefined, ['E1', 'E1', 'E0'], 3],
    ['conditionally_deterministic', undefined, ['E1', 'E1', 'E1'], 3],
    ['non_deterministic', undefined, ['E1'], 1],
    ['deterministic', 3, ['E3'], 1],
  ];
  for (const [determinism, max_retries, classes, invocations] of cases) {
    it(`${determinism}, policy ${max_retries}, ${classes.join(' ')}: ${invocations}`, () => {
      const nodes = max_retries === undefined ? {} : { a: { retry_policy: { max_retries } } };
      const script = { a: classes.map(error_class => fails(error_class)) };
      expect(nodeOf({ action: { determinism }, nodes, script })).toMatchObject({
        outcome: 'failure',
        attempts: invocations,
      });
    });
  }

  it('success after E0 and E1 takes three attempts', () => {
    expect(nodeOf({ script: { a: [fails('E0'), fails('E1'), gives()] } })).toMatchObject({
      outcome: 'success',
      attempts: 3,
    });
  });

  it('repeats an irreversible action only after effect none or a probe that answers absent', () => {
    const script = { a: [fails('E1', 'unknown'), gives()] };
    expect(nodeOf({ action: irreversible, script })).toMatchObject({ outcome: 'in_doubt', attempts: 1 });
    expect(nodeOf({ action: irreversible, script: { a: [fails('E1'), gives()] } })).toMatchObject({ attempts: 2 });
    const rest = { script: { nodes: { b: [gives()], ...script }, probes: { a: { verdict: 'absent' } } } } as const;
    expect(nodeOf({ action: { ...irreversible, probe: true }, rest })).toMatchObject({
      outcome: 'success',
      attempts: 2,
    });
  });
});

describe('a failure when no retry is left', () => {
  it('is only a failure without side effects', () => {
    expect(nodeOf({ script: { a: [fails('E2', 'unknown')] } })).toMatchObject({ outcome: 'failure', drains: true });
  });

  it('is rolled back, compensated or in doubt by category where the effect is unknown', () => {
    const script = { a: [fails('E2', 'unknown')] };
    const undone = { outcome: 'failure', run: { undo: { action_id: 'undo', done: true } } };
    expect(nodeOf({ action: rollbackable, more: [undo], script })).toMatchObject(undone);
    expect(nodeOf({ action: compensatable, more: [undo], script })).toMatchObject(undone);
    expect(nodeOf({ action: irreversible, script })).toMatchObject({ outcome: 'in_doubt' });
  });

  it('undoes nothing where the effect is none, unless an earlier attempt may have had one', () => {
    const drawn = { action: rollbackable, more: [undo] };
    expect(nodeOf({ ...drawn, script: { a: [fails('E2')] } })?.run?.undo).toBeUndefined();
    expect(nodeOf({ ...drawn, script: { a: [fails('E1', 'unknown'), fails('E2')] } })?.run?.undo).toBeDefined();
  });

  it('is in doubt where the category has no undo action or the undo fails', () => {
    const script = { a: [fails('E2', 'unknown')] };
    const bare: Partial<Action> = { rollback: 'compensatable', side_effects: ['remote_server'] };
    expect(nodeOf({ action: bare, script })).toMatchObject({ outcome: 'in_doubt' });
    const rest = { script: { nodes: { b: [gives()], ...script }, actions: { undo: [fails('E2')] } } };
    expect(nodeOf({ action: rollbackable, more: [undo], rest })).toMatchObject({ outcome: 'in_doubt' });
    expect(statusOf({ action: rollbackable, more: [undo], rest })).toBe('in_doubt');
  });

  it('follows the probe: applied commits, absent closes', () => {
    const nodes = { a: [fails('E2', 'unknown')], b: [gives()] };
    const action = { ...rollbackable, probe: true };
    const applied = { script: { nodes, probes: { a: { verdict: 'applied', outputs: { x: 1 } } } } } as const;
    expect(nodeOf({ action, more: [undo], rest: applied })).toMatchObject({ outcome: 'success', outputs: { x: 1 } });
    const absent = { script: { nodes, probes: { a: { verdict: 'absent' } } } } as const;
    const closed = nodeOf({ action, more: [undo], rest: absent });
    expect(closed).toMatchObject({ outcome: 'failure' });
    expect(closed?.run?.undo).toBeUndefined();
  });

  it('reads applied without outputs as unknown', () => {
    const rest = { script: { nodes: { a: [fails('E2', 'unknown')] }, probes: { a: { verdict: 'applied' } } } } as const;
    expect(nodeOf({ action: { ...irreversible, probe: true }, rest })).toMatchObject({ outcome: 'in_doubt' });
  });
});

describe('conditions of the contract', () => {
  const predicate = (kind: 'hard' | 'soft', expression: string) => [{ id: 'p', kind, expression }];

  it('does not invoke past a hard precondition that is false or in error', () => {
    for (const expression of ['false', 'inputs.missing == 1.0', '"text"']) {
      const preconditions = predicate('hard', expression);
      expect(nodeOf({ action: { preconditions } })).toMatchObject({ outcome: 'failure', attempts: 0 });
    }
  });

  it('runs past a soft one, degraded', () => {
    const run = nodeOf({ action: { preconditions: predicate('soft', 'false') } })?.run;
    expect(run).toMatchObject({ degraded: true, committed: true });
  });

  it('fails after invocation where success condition, schema, postcondition or exit code say so', () => {
    const script = { a: [gives({ x: 1 })] };
    const output_schema = { type: 'object', required: ['y'] };
    const contracts: Partial<Action>[] = [
      { success_condition: 'result.x == 2.0' },
      { output_schema },
      { postconditions: predicate('hard', 'result.x > 1.0') },
    ];
    for (const action of contracts) {
      expect(nodeOf({ action, script })).toMatchObject({ outcome: 'failure', attempts: 1 });
      expect(nodeOf({ action: { ...action, ...irreversible }, script })).toMatchObject({ outcome: 'in_doubt' });
    }
    expect(nodeOf({ script: { a: [gives({}, { exit_code: 1 })] } })).toMatchObject({ error_class: 'E3' });
    const success_condition = 'exit_code == 1.0';
    expect(nodeOf({ action: { success_condition }, script: { a: [gives({}, { exit_code: 1 })] } })?.outcome).toBe(
      'success',
    );
  });

  it('judges an output mapping in error like a postcondition, and maps outputs otherwise', () => {
    const nodes = { a: { output_mapping: { y: '${result.x}' } } } as never;
    expect(nodeOf({ nodes, script: { a: [gives({ x: [1] })] } })).toMatchObject({ outputs: { y: [1] } });
    expect(nodeOf({ nodes, script: { a: [gives({})] } })).toMatchObject({ outcome: 'failure', attempts: 1 });
  });

  it('fails at zero attempts where an input mapping names nothing', () => {
    const nodes = { b: { input_mapping: { v: '${nodes.a.outputs.gone}' } } } as never;
    expect(nodeOf({ nodes }, 'b')).toMatchObject({ outcome: 'failure', attempts: 0, error_class: 'E4' });
  });

  it('gives a hanging action up at its limit of time, with unknown effect', () => {
    const drawn = { action: { ...irreversible, timeout_ms: 10 }, script: { a: [{}] } };
    expect(nodeOf(drawn)).toMatchObject({ outcome: 'in_doubt', attempts: 1 });
    expect(statusOf({ script: { a: [{}] } })).toBe('running');
  });
});

describe('state changes', () => {
  const put = (value: number, expected_version?: number) =>
    gives(
      {},
      {
        state_changes: [
          { key: 'k', op: 'put', value, ...(expected_version === undefined ? {} : { expected_version }) },
        ],
      },
    );

  it('count versions and know the last writer', () => {
    const run = expected(sketch({ ...chain, script: { a: [put(1, 0)], b: [put(2, 1)] } }));
    expect(run.state.get('k')).toEqual({ version: 2, last: [{ node_id: 'b', value: 2 }] });
  });

  it('conflict where the version differs: failed, not repeated, nothing applied', () => {
    const run = expected(sketch({ ...chain, script: { a: [put(1, 0)], b: [put(2, 0)] } }));
    expect(run.nodes.get('b')).toMatchObject({ outcome: 'failure', attempts: 1 });
    expect(run.state.get('k')).toEqual({ version: 1, last: [{ node_id: 'a', value: 1 }] });
  });

  it('conflict undoes side effects', () => {
    const drawn = { action: rollbackable, more: [undo], script: { a: [put(1, 7)] } };
    expect(nodeOf(drawn)).toMatchObject({ outcome: 'failure', run: { undo: { done: true } } });
  });

  it('of unordered writers allow either as the last, and refuse to guess at version checks between them', () => {
    const edges = ['s success a', 's success b', 'a success done', 'b success done'];
    const run = expected(sketch({ edges, script: { a: [put(1)], b: [put(2)] } }));
    expect(run.state.get('k')?.version).toBe(2);
    expect(
      run.state
        .get('k')
        ?.last.map(({ value }) => value)
        .sort(),
    ).toEqual([1, 2]);
    expect(() => expected(sketch({ edges, script: { a: [put(1, 0)], b: [put(2)] } }))).toThrowError(
      expect.objectContaining({ code: 'suite_bug' }),
    );
  });
});
