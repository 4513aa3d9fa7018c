import type { Mutant } from './mutant.js';

const ADAPTER = 'adapter.js';
const GROUP = 'store/group-commit.js';
const RECONSTRUCT = 'reconstruct: ({ agent_id, ...options }) => runtime().readAs(agent_id).reconstruct(options)';

function inReconstruction(id: string, requirement: string, why: string, fault: string): Mutant {
  const replace = `reconstruct: async ({ agent_id, ...options }) => { ${fault} return runtime().readAs(agent_id).reconstruct(options); }`;
  return { id, requirement, why, edits: [{ file: ADAPTER, find: RECONSTRUCT, replace }] };
}

/** Faults in what stands once it was told, and in how State and interrupted work are had anew. */
export const STANDING_MUTANTS: readonly Mutant[] = [
  {
    id: 'told-before-durable',
    requirement: 'PC3',
    why: 'what was executed is told as ended some time before it is durable',
    edits: [
      { file: GROUP, find: 'this.#begin.run();', replace: 'if (this.late === undefined) this.#begin.run();' },
      {
        file: GROUP,
        find: 'this.#commit.run();',
        replace: 'this.late ??= setTimeout(() => { this.late = undefined; this.#commit.run(); }, 10_000);',
      },
      {
        file: GROUP,
        find: 'if (isFull || fault !== undefined || !writes.isOneStatement())',
        replace: 'if (true)',
      },
    ],
  },
  {
    id: 'end-withdrawn',
    requirement: 'CI1',
    why: 'after a restart an instance that had completed is told as failed',
    edits: [
      {
        file: ADAPTER,
        find: 'wait: ({ execution_id, budget_ms }) => runtime().wait(execution_id, budget_ms)',
        replace:
          "wait: async ({ execution_id, budget_ms }) => { const was = await runtime().wait(execution_id, budget_ms); return runtime().incarnation > 1 && was.status === 'completed' ? { ...was, status: 'failed' } : was; }",
      },
    ],
  },
  {
    id: 'state-stale',
    requirement: 'CI3',
    why: 'State is read once and then given from memory',
    edits: [
      {
        file: ADAPTER,
        find: 'get: ({ agent_id, keys }) => runtime().readAs(agent_id).state(keys)',
        replace: 'get: ({ agent_id, keys }) => (runtime().stale ??= runtime().readAs(agent_id).state(keys))',
      },
    ],
  },
  {
    id: 'recovery-on-opening-only',
    requirement: 'CR1',
    why: 'whoever asks for recovery is told that all is well',
    edits: [
      {
        file: ADAPTER,
        find: 'const report = await runtime().recover(dry_run === undefined ? {} : { dry_run });',
        replace: 'const report = undefined;',
      },
    ],
  },
  {
    id: 'undo-decided-anew',
    requirement: 'AII5',
    why: 'recovery does not take up an undo that an earlier recovery had begun',
    edits: [
      {
        file: 'audit/recovery.js',
        find: 'const open = openUndo(parts.log, x.execution_id);',
        replace: 'const open = undefined;',
      },
    ],
  },
  {
    id: 'compensation-unchecked',
    requirement: 'CP2',
    why: 'an answer is enough for an undo to count as done',
    edits: [
      {
        file: 'audit/undo-protocol.js',
        find: 'const after = accept(undo, reply);',
        replace: 'const after = { ok: true, degraded: false };',
      },
    ],
  },
  {
    id: 'snapshot-folded-twice',
    requirement: 'FR1',
    why: 'the records of a snapshot are applied to it once more',
    edits: [
      {
        file: 'audit/reconstruction.js',
        find: 'committedBetween(log, base?.sequence ?? 0, sequence)',
        replace: 'committedBetween(log, Math.floor((base?.sequence ?? 0) / 2), sequence)',
      },
    ],
  },
  {
    id: 'later-snapshot',
    requirement: 'FR1',
    why: 'a snapshot of a later record is used as well',
    edits: [{ file: 'audit/reconstruction.js', find: 'if (taken > sequence)', replace: 'if (false)' }],
  },
  inReconstruction(
    'reconstructed-by-running',
    'FR2',
    'State is reconstructed by running actions',
    "const key = { execution_id: 'x', idempotency_key: 'x', action_id: 'step', version: '1.0.0', node_id: 'n1' }; await host.invoke({ ...key, instance_id: 'x', attempt: 1, inputs: {}, context: {} });",
  ),
  inReconstruction(
    'reconstruction-recorded',
    'FR3',
    'a reconstruction leaves a record',
    "for (const trust of ['TRUSTED', 'UNTRUSTED']) await runtime().registerAgent({ agent_id: 'reader', trust }, 'owner');",
  ),
  {
    id: 'snapshot-text-digested',
    requirement: 'I2',
    why: 'the checksum of a snapshot is not that of its canonical form',
    edits: [
      {
        file: 'state/snapshot.js',
        find: 'return { ...content, checksum: digest(content) };',
        replace: 'return { ...content, checksum: digest(JSON.stringify(content)) };',
      },
    ],
  },
  {
    id: 'snapshot-trusted',
    requirement: 'SO2',
    why: 'a snapshot is used whatever its checksum says',
    edits: [
      {
        file: 'audit/reconstruction.js',
        find: 'const fault = snapshotFault(value);',
        replace: 'const fault = undefined;',
      },
    ],
  },
  {
    id: 'state-undated',
    requirement: 'SP4',
    why: 'a read of State names another record than the one that it is of',
    edits: [
      {
        file: 'agent-view.js',
        find: 'return { state: Object.fromEntries(entries), sequence };',
        replace: 'return { state: Object.fromEntries(entries), sequence: sequence - 1 };',
      },
    ],
  },
];
