import canonicalize from 'canonicalize';
import type { AuditRecord } from '../../schemas/types.js';
import { digest, hashOf } from './chain.js';

/** What a drawn record leaves out is filled in: place, time, links and the fields that its type demands. */
export type DrawnRecord = Partial<AuditRecord> & Pick<AuditRecord, 'record_type' | 'status' | 'execution_id'>;

const DIGEST = digest('x');

function demanded(drawn: DrawnRecord): Partial<AuditRecord> {
  const node = { node_id: 'n', parent_execution_id: 'i1' };
  switch (drawn.record_type) {
    case 'action':
      return {
        ...node,
        action_id: 'act',
        action_version: '1.0.0',
        side_effects: [],
        determinism: 'deterministic',
        rollback: 'rollbackable',
        attempt: 1,
        idempotency_key: 'k1',
        ...(drawn.status === 'pending' ? { inputs: {} } : {}),
        ...(drawn.status === 'committed' ? { outputs: {} } : {}),
        ...(drawn.status === 'failed' ? { error_class: 'E2', error_detail: 'it failed' } : {}),
      };
    case 'workflow': {
      const started = { inputs: {}, context: {}, resolved_digest: DIGEST, inputs_digest: DIGEST };
      return { workflow_id: 'w@1.0.0', ...(drawn.status === 'workflow_started' ? started : {}) };
    }
    case 'gate':
      return { gate: 'governance', reasons: [] };
    case 'recovery':
      return { ...node, probe: 'unknown' };
    case 'approval':
      return drawn.status === 'resolved' ? { verdict: 'applied' } : {};
    case 'trust':
      return { trust_after: 'TRUSTED' };
    default:
      return node;
  }
}

/** Records in log order, linked and hashed. */
export function logOf(drawn: readonly DrawnRecord[]): AuditRecord[] {
  let prev_hash = digest('');
  return drawn.map((record, index) => {
    const content = {
      schema_version: '1.0' as const,
      sequence: index + 1,
      incarnation: 1,
      context_id: 'i1',
      agent_id: 'agent',
      timestamp: '2026-03-01T12:00:00.000Z',
      ...demanded(record),
      ...record,
      prev_hash,
    };
    const hash = hashOf(content);
    prev_hash = hash;
    return { ...content, hash };
  });
}

/** Records in the interchange form. */
export function textOf(records: readonly unknown[]): string {
  return records.map(record => `${canonicalize(record)}\n`).join('');
}

/** The gate and the start of one instance, i1. */
export const STARTED: readonly DrawnRecord[] = [
  { record_type: 'gate', status: 'allowed', execution_id: 'i1' },
  { record_type: 'workflow', status: 'workflow_started', execution_id: 'i1' },
];
