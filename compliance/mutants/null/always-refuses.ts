import { createInterface } from 'node:readline';

const identity = {
  runtime: { name: 'null-always-refuses', version: '1.0.0' },
  spec_version: '1.0',
  capabilities: ['core', 'audit', 'recovery', 'state', 'verification', 'governance', 'faults'],
  durable_scope: 'process',
  fault_points: ['gate_allowed', 'pending_durable', 'invoked', 'committing', 'committed', 'recovery_recorded'],
};
const served: Readonly<Record<string, unknown>> = {
  initialize: identity,
  'workspace/open': { recovery: null },
  'workspace/close': {},
  shutdown: {},
};
const refusal = {
  code: -32004,
  message: 'refused',
  data: { kind: 'denied', gate: 'governance', execution_id: 'refused' },
};

/** A null adapter: introduces itself, opens and closes, and denies everything else. */
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  if (id === undefined || method === undefined) continue;
  const answer = Object.hasOwn(served, method) ? { result: served[method] } : { error: refusal };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
