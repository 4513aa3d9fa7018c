import { expect } from 'vitest';
import type { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { replayInstance } from './verification/replay/index.js';
import { sourceOfLog } from './verification/replay/source.js';

/** The differences that replay finds in the instances of a log, which has to have all that replay needs. */
export function differencesOf(memory: MemoryWorkspace) {
  const source = sourceOfLog(memory.view());
  const roots = memory.records.filter(r => r.status === 'workflow_started' && r.parent_execution_id === undefined);
  return roots.flatMap(({ execution_id }) => {
    const { verdict, first_difference, instances } = replayInstance(source, execution_id);
    expect(instances.map(({ reason }) => reason).filter(reason => reason !== undefined)).toEqual([]);
    return verdict === 'agrees' ? [] : [first_difference];
  });
}
