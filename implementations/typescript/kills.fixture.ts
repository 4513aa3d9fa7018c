import fc from 'fast-check';
import { expect } from 'vitest';
import type { FaultPoint, WorkflowStartParams, WorkflowWaitResult } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { FAULT_POINTS } from './fault-plan.js';
import { checkLines } from './governance/log-check.js';
import { open, type Script, World } from './nodes.fixture.js';
import { differencesOf } from './replayed.fixture.js';
import type { Runtime } from './runtime.js';

/** A kill at the n-th passing of a point. */
export interface Kill {
  readonly point: FaultPoint;
  readonly occurrence: number;
}

/** The points of a run at which tests kill: all but that of a snapshot, which they take none of. */
export const KILL_POINTS: readonly FaultPoint[] = FAULT_POINTS.filter(point => point !== 'snapshot_written');

/** One kill to three, each in the incarnation after the one before, at passings up to this one. */
export const kills = (most: number): fc.Arbitrary<readonly Kill[]> =>
  fc.array(fc.record({ point: fc.constantFrom(...KILL_POINTS), occurrence: fc.integer({ min: 1, max: most }) }), {
    minLength: 1,
    maxLength: 3,
  });

/**
 * The log of a workflow that is started under one request key in each incarnation, the last of which is not killed, and
 * what was committed, as `purpose node`, sorted. Each end that is seen is handed on, and the log is checked.
 */
export async function survive(
  killed: readonly Kill[],
  script: Script,
  wanted: Omit<WorkflowStartParams, 'dry_run'>,
  { ready, ended }: { ready?: (runtime: Runtime) => Promise<unknown>; ended: (result: WorkflowWaitResult) => void },
): Promise<{ memory: MemoryWorkspace; committed: readonly string[] }> {
  const memory = new MemoryWorkspace();
  const world = new World(script);
  for (const kill of [...killed, undefined]) {
    let result: WorkflowWaitResult;
    try {
      const runtime = await open(memory, world, kill);
      await ready?.(runtime);
      const id = await runtime.start({ ...wanted, request_key: 'k' });
      result = await runtime.wait(id, 10_000);
      await runtime.close();
    } catch (error) {
      if (kill === undefined) throw error;
      expect(error).toMatchObject({ code: 'storage_failed' });
      continue;
    }
    ended(result);
  }
  expect(checkLines(memory.lines)).toEqual([]);
  expect(differencesOf(memory)).toEqual([]);
  const commits = memory.records.filter(r => r.status === 'committed');
  return { memory, committed: commits.map(r => `${r.purpose ?? ''} ${r.node_id}`).sort() };
}
