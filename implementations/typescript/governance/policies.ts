import { validate } from '../../../schemas/index.js';
import type { Policy } from '../../../schemas/types.js';
import type { Journal } from '../audit/journal.js';
import type { Log } from '../audit/log.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { demand } from './agents.js';
import { intact, lookUp } from './stored.js';

/** All versions of all policies, active or not. Throws `invalid_document` where one is damaged. */
export function storedPolicies(log: Log): readonly Policy[] {
  return [...log.documents('policy')].map(({ id, value }) => intact('policy', id, value));
}

/** The policies of a workspace, as somebody puts them there. */
export class Policies {
  readonly #journal: Journal;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /**
   * Keeps a version of a policy; of one that is there only `active` can change, and one that is damaged is replaced. A
   * second active version is kept too: the gate denies until one of the two is put as inactive.
   *
   * Throws `denied` unless `by` holds governance:write for the policy, `invalid_document` for what fits no schema, and
   * `conflict` for a version that is there with other content.
   *
   * @requirement I4
   */
  async put({ policy, by }: { policy: Policy; by: string }, now: string): Promise<void> {
    const defect = validate('policy', policy)[0];
    if (defect !== undefined)
      throw new ArsError('invalid_document', `The policy does not fit its schema: ${defect.message}.`, {
        details: { pointer: defect.pointer },
      });
    demand(this.#journal.log, by, { domain: 'governance', action: 'write', name: policy.policy_id }, now);
    const turn = this.#turn.catch(() => undefined).then(() => this.#keep(policy));
    this.#turn = turn;
    await turn;
  }

  /** One after the other, so that of two that put one version at one time the second sees the first. */
  async #keep(policy: Policy): Promise<void> {
    const id = `${policy.policy_id}@${policy.version}`;
    const before = lookUp(this.#journal.log, 'policy', id);
    if (before !== undefined && before !== 'damaged' && contentOf(before) !== contentOf(policy))
      throw new ArsError('conflict', `There is a policy '${id}' already with other content; give it a new version.`, {
        details: { policy_id: policy.policy_id, version: policy.version },
      });
    await this.#journal.append({ records: [], documents: [{ kind: 'policy', id, value: policy }] });
  }
}

/** What of a policy never changes. */
function contentOf({ schema_version: _version, active: _active, ...content }: Policy): string {
  return canonicalize(content);
}
