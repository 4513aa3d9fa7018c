import type { Mutant } from './mutant.js';

const ADAPTER = 'adapter.js';
const QUERY = 'const after = Number(cursor ?? 0);';

function query(id: string, requirement: string, why: string, fault: string): Mutant {
  return { id, requirement, why, edits: [{ file: ADAPTER, find: QUERY, replace: `${fault} ${QUERY}` }] };
}

/** Faults in what a runtime gives to whoever reads. */
export const READING_MUTANTS: readonly Mutant[] = [
  query(
    'query-of-root',
    'AQ1',
    'a query for one execution gives everything of its root instance',
    'if (conditions.execution_id) { conditions.context_id = conditions.execution_id; delete conditions.execution_id; }',
  ),
  query(
    'until-inclusive',
    'AQ2',
    'the end of a range of time belongs to it',
    'if (conditions.until) conditions.until = new Date(Date.parse(conditions.until) + 1).toISOString();',
  ),
  query(
    'status-of-now',
    'AQ3',
    'a query for committed records leaves out what was undone later',
    "if (conditions.status === 'committed') conditions.latest = true;",
  ),
  query(
    'latest-of-actions',
    'AQ4',
    'a query for the latest records knows actions only',
    "if (conditions.latest) conditions.record_type ??= 'action';",
  ),
  query(
    'doubt-complete',
    'AQ5',
    'what is in doubt does not count as incomplete',
    "if (conditions.incomplete) conditions.status ??= 'pending';",
  ),
];
