import type { Policy, PutPolicyParams } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { Log } from '../audit/log.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { demand } from './agents.js';
import { lookUp, ofAll } from './stored.js';

/** All versions of all policies, active or not. Throws `invalid_document` where one is damaged. */
export const storedPolicies: (log: Log) => readonly Policy[] = ofAll('policy', policies => policies);

/**
 * Keeps a version of a policy; of one that is there only `active` can change, and one that is damaged is replaced. A second
 * active version is kept too: the gate denies until one of the two is put as inactive.
 *
 * Throws `denied` unless `by` holds governance:write for the policy, and `conflict` for a version that is there with
 * other content.
 *
 * @requirement I4
 */
export async function putPolicy(journal: Journal, { policy, by }: PutPolicyParams, now: string): Promise<void> {
  demand(journal.log, by, { domain: 'governance', action: 'write', name: policy.policy_id }, now);
  const id = `${policy.policy_id}@${policy.version}`;
  await journal.turns.take(`policy ${id}`, async () => {
    const before = lookUp(journal.log, 'policy', id);
    if (before !== undefined && before !== 'damaged' && contentOf(before) !== contentOf(policy))
      throw new ArsError('conflict', `There is a policy '${id}' already with other content; give it a new version.`, {
        details: { policy_id: policy.policy_id, version: policy.version },
      });
    await journal.append({ records: [], documents: [{ kind: 'policy', id, value: policy }] });
  });
}

/** What of a policy never changes. */
function contentOf({ schema_version: _version, active: _active, ...content }: Policy): string {
  return canonicalize(content);
}
