import { describe, expect, it } from 'vitest';
import type { RecordedChange, StateEntry } from '../../../schemas/types.js';
import { putBack } from './put-back.js';

const put = (key: string, value: string): RecordedChange => ({ key, op: 'put', value });
const entry = (version: number, writer = 'e2'): StateEntry => ({ value: 'now', version, writer });

describe('what puts State back', () => {
  it('looks for an earlier write only where the version says that there is one', () => {
    const asked: string[] = [];
    const changes = putBack(
      { execution_id: 'e2', state_changes: [put('new', 'a'), put('new', 'b'), put('old', 'c')] },
      key => entry(key === 'new' ? 2 : 4),
      key => {
        asked.push(key);
        return { execution_id: 'e1', state_changes: [put('old', 'before')] };
      },
    );
    expect(asked).toEqual(['old']);
    expect(changes).toEqual([
      { key: 'new', op: 'delete', expected_version: 2 },
      { key: 'old', op: 'put', value: 'before', writer: 'e1', expected_version: 4 },
    ]);
  });

  it('refuses a key that another has written since', () => {
    const subject = { execution_id: 'e2', state_changes: [put('k', 'a')] };
    const attempt = () =>
      putBack(
        subject,
        () => entry(2, 'e3'),
        () => undefined,
      );
    expect(attempt).toThrow(expect.objectContaining({ code: 'version_conflict', details: { key: 'k', writer: 'e3' } }));
  });
});
