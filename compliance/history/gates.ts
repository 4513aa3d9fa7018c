import type { Check } from './check.js';

/** An allowed governance gate precedes every root instance (G1); after a denial nothing of that execution follows (G2). */
export const gates: Check = {
  requirements: ['G1', 'G2'],
  begin: report => {
    const decided = new Map<string, string>();
    const started = new Set<string>();
    return {
      record: ({ record_type, status, gate, execution_id, parent_execution_id, sequence }) => {
        const place = { execution_id, sequence };
        if (record_type === 'gate' && gate === 'governance') decided.set(execution_id, status);
        if (record_type === 'gate' && status === 'denied' && gate !== 'governance') decided.set(execution_id, status);
        if (record_type === 'workflow' && status === 'workflow_started' && parent_execution_id === undefined) {
          started.add(execution_id);
          const decision = decided.get(execution_id);
          if (decision === undefined) {
            report({ ...place, requirement: 'G1', expected: 'a governance gate before', observed: 'none' });
          } else if (decision !== 'allowed') {
            report({ ...place, requirement: 'G2', expected: 'no start after a denial', observed: status });
          }
        }
        if (record_type === 'action' && parent_execution_id !== undefined && !started.has(parent_execution_id)) {
          if (decided.get(parent_execution_id) === 'denied') {
            report({ ...place, requirement: 'G2', expected: 'no execution after a denial', observed: status });
          }
        }
      },
    };
  },
};
