import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import type { Observation, Program } from '../program.js';
import { judgeResumed, refusesResuming } from './judge-steered.js';
import { fails, gives, sketch } from './testing/sketch.js';

const program: Program = {
  ...sketch({
    edges: ['a success b', 'b success done', 'b failure back', 'back success over'],
    nodes: {
      back: { type: 'error', action_def: undefined, handling: 'rollback' },
      over: { type: 'terminal', action_def: undefined, status: 'compensated' },
    },
    script: { a: [gives({ x: 1 })], b: [fails('E4')] },
  }),
  resume: true,
};

function record(sequence: number, execution_id: string, status: string, more: object = {}): AuditRecord {
  return { sequence, execution_id, status, record_type: 'action', ...more } as AuditRecord;
}

const ANEW = record(5, 'i2', 'workflow_started', { refers_to: ['i1'] });
const undo = (sequence: number) => record(sequence, `u${sequence}`, 'committed', { purpose: 'revert' });

function seen(log: readonly AuditRecord[] | undefined, refused = false): Observation {
  return {
    start: { execution_id: 'i1' },
    wait: { status: 'failed', trace: [] },
    ledger: [],
    recoveries: [null],
    kills: 0,
    resumed: { answer: refused ? { error: { kind: 'illegal_state' } } : { execution_id: 'i2' } },
    ...(log === undefined ? {} : { log }),
  };
}

function broken(observation: Observation): string[] {
  return judgeResumed(program, observation).map(({ requirement }) => requirement);
}

describe('resuming an instance in which something was undone', () => {
  it('has to be refused', () => {
    expect(broken(seen([undo(3), ANEW]))).toEqual(['IR3']);
    expect(broken(seen([undo(3)], true))).toEqual([]);
  });

  it('is something else than undoing in the instance that comes of it', () => {
    expect(broken(seen([ANEW, undo(7)]))).toEqual([]);
    expect(broken(seen([], true))).toEqual(['IR2']);
  });

  it('cannot be told from another refusal without a log', () => {
    expect(refusesResuming(program, seen(undefined))).toBe(undefined);
    expect(broken(seen(undefined, true))).toEqual([]);
    expect(broken(seen(undefined))).toEqual([]);
  });
});
