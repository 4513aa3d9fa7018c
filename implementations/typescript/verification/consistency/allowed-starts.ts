import type { RecordCheck, Unseen } from './check.js';

const HELP = 'Find out what started it: no interface of a runtime starts an instance that governance has not allowed.';

/**
 * Whether governance allowed every root instance before it started, and did not deny it after that.
 *
 * @requirement AC5
 */
export function allowedStarts(unseen: Unseen): RecordCheck {
  const decided = new Map<string, string>();
  return ({ record_type, status, execution_id, parent_execution_id, gate }) => {
    if (record_type === 'gate' && gate === 'governance') decided.set(execution_id, status);
    if (record_type !== 'workflow' || status !== 'workflow_started' || parent_execution_id !== undefined)
      return undefined;
    const decision = decided.get(execution_id);
    decided.delete(execution_id);
    if (decision === 'allowed' || (decision === undefined && unseen.any())) return undefined;
    const why = decision === undefined ? 'was never asked' : 'denied it';
    return { message: `the instance ${execution_id} starts, and governance ${why}`, help: HELP };
  };
}
