import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import { selected } from './query.js';
import { type DrawnRecord, logOf, STARTED } from './sample.js';

const action = (status: AuditRecord['status'], execution_id: string, timestamp: string): DrawnRecord => ({
  record_type: 'action',
  status,
  execution_id,
  timestamp,
});

const LOG = logOf([
  ...STARTED,
  action('pending', 'e1', '2026-03-01T12:00:01.000Z'),
  action('committed', 'e1', '2026-03-01T12:00:02.000Z'),
  action('pending', 'e2', '2026-03-01T12:00:02.000Z'),
  action('pending', 'e3', '2026-03-01T12:00:03.000Z'),
  { record_type: 'recovery', status: 'in_doubt', execution_id: 'e3', timestamp: '2026-03-01T12:00:04.000Z' },
  action('in_doubt', 'e3', '2026-03-01T12:00:04.000Z'),
  { record_type: 'gate', status: 'allowed', execution_id: 'i1', timestamp: '2026-03-01T12:00:05.000Z' },
]);

describe('selected', () => {
  const places = (conditions: Parameters<typeof selected>[1]) =>
    selected(LOG, conditions).map(({ sequence }) => sequence);

  it.each([
    [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ execution_id: 'e3' }, [6, 7, 8]],
    [{ from: '2026-03-01T12:00:02.000Z', until: '2026-03-01T12:00:04.000Z' }, [4, 5, 6]],
    [{ status: 'pending' }, [3, 5, 6]],
    [{ latest: true }, [2, 4, 5, 8]],
    [{ latest: true, status: 'pending' }, [5]],
    [{ incomplete: true }, [5, 8]],
    [{ incomplete: true, record_type: 'recovery' }, []],
  ])('gives for %j the records %j', (conditions, expected) => {
    expect(places(conditions)).toEqual(expected);
  });
});
