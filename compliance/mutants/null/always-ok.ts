import { createInterface } from 'node:readline';

const report = {
  schema_version: '1.0',
  verdict: 'PASS',
  findings: [],
  rules: [],
  counts: { blocking: 0, warning: 0 },
};
const recovery = { schema_version: '1.0', level: 'COMPLETE', incarnation: 1, decisions: [], in_doubt: [] };
const entries = { state: {}, sequence: 0 };
const digest = `sha256:${'0'.repeat(64)}`;
const results: Readonly<Record<string, unknown>> = {
  initialize: {
    runtime: { name: 'null-always-ok', version: '1.0.0' },
    spec_version: '1.0',
    capabilities: ['core', 'audit', 'recovery', 'state', 'verification', 'governance', 'components', 'clock', 'faults'],
    durable_scope: 'process',
    fault_points: ['gate_allowed', 'pending_durable', 'invoked', 'committing', 'committed', 'recovery_recorded'],
  },
  'workspace/open': { recovery: null },
  'workflow/start': { execution_id: 'ok' },
  'workflow/wait': { status: 'completed', outputs: {}, trace: [] },
  'workflow/verify': report,
  'audit/query': { records: [] },
  'audit/export': { text: '' },
  'audit/verify': { ok: true },
  'evidence/get': { content: null },
  'recovery/run': recovery,
  'state/get': entries,
  'state/reconstruct': entries,
  'state/snapshot': { ...entries, schema_version: '1.0', head_hash: digest, checksum: digest },
  'governance/grant': { permission_id: 'ok' },
  'governance/approve': { confirmation_id: 'ok' },
  'index/get': { entry: { entry_id: 'ok', kind: 'state', target: 'ok' } },
  'schedule/get': { job: { job_id: 'ok', workflow_id: 'ok@1.0.0', agent_id: 'owner', at: '2026-01-01T00:00:00.000Z' } },
  'governance/check': { gate: 'governance', decision: 'allowed', reasons: [], trust_after: 'TRUSTED' },
};

/** A null adapter: says of everything that it went well, and does nothing. */
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  if (id === undefined || method === undefined) continue;
  const result = Object.hasOwn(results, method) ? results[method] : {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  if (method === 'shutdown') process.exit(0);
}
