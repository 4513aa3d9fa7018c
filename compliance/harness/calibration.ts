import type { InstanceStatus } from '../../schemas/types.js';
import type { Program } from '../program.js';
import type { WireEvent } from '../wire/event.js';
import type { AdapterCommand } from './process.js';
import { Session, type SessionOptions } from './session.js';

/** How long the steps of a run take with one adapter on this machine, in milliseconds. */
export interface Measurements {
  /** From the start of the command to the answer to initialize. */
  readonly start_ms: number;
  /** A case with a workflow of one action, in a fresh process. */
  readonly first_case_ms: number;
  /** The same once more. */
  readonly next_case_ms: number;
  readonly status: InstanceStatus | 'refused';
  readonly invocations: number;
  /** The kind of the error that refused the first start; absent where it was not. */
  readonly refusal?: string;
  /** What was wrong on the wire meanwhile. */
  readonly events: readonly WireEvent[];
  /** The last of what the process wrote to stderr meanwhile. */
  readonly stderr: string;
}

/** The smallest workflow that invokes something. */
export const TRIVIAL: Program = {
  workflow: {
    schema_version: '1.0',
    workflow: { name: 'calibration', version: '1.0.0' },
    actions: [
      {
        action_id: 'calibrate',
        version: '1.0.0',
        determinism: 'deterministic',
        rollback: 'rollbackable',
        side_effects: [],
      },
    ],
    nodes: [
      { node_id: 'only', type: 'action', action_def: 'calibrate@1.0.0' },
      { node_id: 'end', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'only', to_node: 'end', label: 'success' }],
  },
  inputs: {},
  script: { nodes: { only: [{ reply: { outputs: {} } }] } },
  kills: [],
};

/** Measures a start and two runs of the smallest workflow. Rejects as Session.start and runProgram do. */
export async function measure(command: AdapterCommand, options: SessionOptions = {}): Promise<Measurements> {
  const began = performance.now();
  const session = await Session.start(command, options);
  try {
    const started = performance.now();
    const { start, wait, ledger } = await session.observe(TRIVIAL);
    const first = performance.now();
    const { stderr } = session;
    await session.observe(TRIVIAL);
    return {
      start_ms: Math.round(started - began),
      first_case_ms: Math.round(first - started),
      next_case_ms: Math.round(performance.now() - first),
      status: wait?.status ?? 'refused',
      invocations: ledger.filter(({ kind }) => kind === 'invoke').length,
      ...('error' in start ? { refusal: start.error.kind } : {}),
      events: [...session.all_events],
      stderr,
    };
  } finally {
    await session.close();
  }
}

/** What a start and a first case may take together before the budgets grow, in milliseconds. */
const EXPECTED_MS = 1500;

/** By what the budgets are multiplied: 1 for what was expected or faster, at most 20. */
export function scaleOf({ start_ms, first_case_ms }: Pick<Measurements, 'start_ms' | 'first_case_ms'>): number {
  return Math.min(20, Math.max(1, Math.ceil((10 * (start_ms + first_case_ms)) / EXPECTED_MS) / 10));
}
