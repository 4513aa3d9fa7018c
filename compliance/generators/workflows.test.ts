import * as fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { isValid, validate } from '../../schemas/index.js';
import type { Action } from '../../schemas/types.js';
import { type Expected, expected } from '../model/expected.js';
import { fire, graphOf } from '../model/firing.js';
import { sameJson } from '../model/json.js';
import type { Program } from '../program.js';
import { naiveDefects } from './testing/naive.js';
import { programs } from './workflows.js';

const RUNS = { numRuns: 400, seed: 20260301 };
const all = programs();

function actionsOf(program: Program): readonly Action[] {
  return [...(program.workflow.actions ?? []), ...(program.registry?.actions ?? [])];
}

describe('generated programs', () => {
  it('fit the schemas and have sound graphs', () => {
    fc.assert(
      fc.property(all, program => {
        expect(validate('workflow', program.workflow)).toEqual([]);
        for (const action of actionsOf(program)) expect(isValid('action', action)).toBe(true);
        expect(naiveDefects(program.workflow)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('come through JSON unchanged', () => {
    fc.assert(
      fc.property(all, program => sameJson(JSON.parse(JSON.stringify(program)), program)),
      RUNS,
    );
  });

  it('have contracts that satisfy IH1 to IH4, S9 and S10, and references that resolve', () => {
    fc.assert(
      fc.property(all, program => {
        const actions = actionsOf(program);
        const resolves = (reference: string) => {
          const [id, range] = reference.split('@');
          return actions.some(action => action.action_id === id && semver.satisfies(action.version, range ?? ''));
        };
        for (const { side_effects = [], rollback, modifies_existing, revert, compensation } of actions) {
          if (side_effects.length === 0)
            expect({ rollback, modifies_existing }).toEqual({ rollback: 'rollbackable', modifies_existing: undefined });
          if (modifies_existing === true) expect(rollback).not.toBe('rollbackable');
          if (side_effects.includes('remote_server')) expect(rollback).not.toBe('rollbackable');
          if (side_effects.includes('external_service')) expect(rollback).toBe('irreversible');
          if (rollback === 'rollbackable' && side_effects.length > 0) expect(revert).toBeDefined();
          for (const reference of [revert, compensation])
            expect(reference === undefined || resolves(reference)).toBe(true);
        }
        for (const node of program.workflow.nodes)
          if (node.type === 'action') expect(resolves(node.action_def)).toBe(true);
      }),
      RUNS,
    );
  });

  it('reach every kind of structure and outcome', () => {
    const seen = new Set<string>();
    for (const program of fc.sample(all, { numRuns: 1500, seed: 7 })) {
      const run = expected(program);
      seen.add(run.status);
      for (const node of program.workflow.nodes) {
        const ins = program.workflow.edges.filter(edge => edge.to_node === node.node_id).length;
        const outcome = run.nodes.get(node.node_id)?.outcome ?? 'undecided';
        seen.add(`${node.type} ${outcome}`);
        if (ins > 1) seen.add(`${node.join_type} ${outcome === 'skipped' ? 'skipped' : 'executed'}`);
        if (run.nodes.get(node.node_id)?.run?.undo !== undefined) seen.add('undo');
      }
    }
    for (const kind of [
      'completed',
      'failed',
      'compensated',
      'in_doubt',
      'AND executed',
      'AND skipped',
      'OR executed',
      'OR skipped',
      'action success',
      'action failure',
      'action in_doubt',
      'action skipped',
      'condition true',
      'condition false',
      'condition default',
      'condition x',
      'condition failure',
      'condition skipped',
      'terminal completed',
      'terminal failed',
      'terminal compensated',
      'terminal skipped',
      'undo',
    ]) {
      expect(seen).toContain(kind);
    }
  });

  it('are the same for the same seed', () => {
    const [first, second] = [1, 2].map(() => JSON.stringify(fc.sample(all, { numRuns: 50, seed: 99 })));
    expect(first).toBe(second);
  });
});

describe('the model over generated programs', () => {
  const summary = (run: Expected) => ({
    status: run.status,
    outputs: run.outputs,
    nodes: Object.fromEntries(
      [...run.nodes].map(([id, { outcome, attempts, run: done }]) => [id, { outcome, attempts, inputs: done?.inputs }]),
    ),
    state: Object.fromEntries(
      [...run.state].map(([key, { version, last }]) => [
        key,
        { version, last: last.map(({ node_id }) => node_id).sort() },
      ]),
    ),
  });

  it('decides every node of an instance that ends, and gives the same whatever the order', () => {
    fc.assert(
      fc.property(all, fc.infiniteStream(fc.nat(97)), (program, picks) => {
        const run = expected(program);
        if (run.exact) expect(run.nodes.size).toBe(program.workflow.nodes.length);
        expect(run.status).not.toBe('running');
        const shuffled = expected(program, decided => (picks.next().value ?? 0) % decided);
        expect(summary(shuffled)).toEqual(summary(run));
      }),
      RUNS,
    );
  });

  it('executes a node only behind predecessors that were decided', () => {
    fc.assert(
      fc.property(all, program => {
        const graph = graphOf(program.workflow);
        const { nodes } = expected(program);
        const decided = new Set<string>();
        const resolutions = fire(graph, node => nodes.get(node.node_id) ?? { outcome: 'running', attempts: 0 });
        for (const id of resolutions.keys()) {
          for (const edge of graph.ins.get(id) ?? []) expect(decided.has(edge.from_node)).toBe(true);
          decided.add(id);
        }
      }),
      RUNS,
    );
  });
});

describe('shrinking', () => {
  /** The largest of what several failures shrink to. */
  function shrunk(fails: (program: Program, run: Expected) => boolean): Program {
    const found = [11, 13, 16, 17].map(seed => {
      const property = fc.property(all, program => !fails(program, expected(program)));
      const [program] = fc.check(property, { numRuns: 3000, seed }).counterexample ?? [];
      if (program === undefined) throw new Error('no program failed');
      return program;
    });
    return found.reduce((a, b) => (a.workflow.nodes.length > b.workflow.nodes.length ? a : b));
  }

  it('reduces a skipped AND join to a handful of nodes with plain names', () => {
    const program = shrunk(({ workflow }, run) =>
      workflow.nodes.some(node => node.join_type === 'AND' && run.nodes.get(node.node_id)?.outcome === 'skipped'),
    );
    expect(program.workflow.nodes.length).toBeLessThanOrEqual(7);
    expect(program.workflow.nodes.every(({ node_id }) => /^n\d+$/.test(node_id))).toBe(true);
  });

  it('reduces a failed instance to one step and a terminal', () => {
    const program = shrunk((_, run) => run.status === 'failed' && [...run.nodes.values()].some(node => node.drains));
    expect(program.workflow.nodes.length).toBeLessThanOrEqual(3);
  });

  it('reduces a choice to its condition, one step and terminals', () => {
    const program = shrunk(({ workflow }) => workflow.nodes.some(node => node.type === 'condition'));
    expect(program.workflow.nodes.length).toBeLessThanOrEqual(4);
  });
});
