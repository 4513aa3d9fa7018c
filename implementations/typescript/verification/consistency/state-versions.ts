import type { RecordCheck, Unseen } from './check.js';

const HELP =
  'A commit is made whole or refused: a version that does not fit means that a commit is missing, doubled or forged.';

/**
 * Whether every expected version is the one that the fold of the earlier records has; not judged behind what is not to be
 * seen, which can have written any key.
 *
 * @requirement AC4
 */
export function stateVersions(unseen: Unseen): RecordCheck {
  const versions = new Map<string, number>();
  return ({ record_type, status, execution_id, state_changes }) => {
    if (record_type !== 'action' || status !== 'committed' || state_changes === undefined || unseen.any())
      return undefined;
    let message: string | undefined;
    for (const { key, expected_version } of state_changes) {
      const version = versions.get(key) ?? 0;
      if (expected_version !== undefined && expected_version !== version)
        message ??= `${execution_id} expects version ${expected_version} of the key ${JSON.stringify(key)}, which is at ${version}`;
      versions.set(key, version + 1);
    }
    return message === undefined ? undefined : { message, help: HELP };
  };
}
