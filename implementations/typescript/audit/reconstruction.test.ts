import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Snapshot, StateChange } from '../../../schemas/types.js';
import { foldState, toState } from '../state/state.js';
import { committed, pending } from './drafts.fixture.js';
import { MemoryWorkspace } from './memory-log.fixture.js';
import { reconstructState } from './reconstruction.js';

const change: fc.Arbitrary<StateChange> = fc
  .record({ key: fc.constantFrom('a', 'b', '__proto__'), value: fc.option(fc.integer()) })
  .map(({ key, value }) => (value === null ? { key, op: 'delete' } : { key, op: 'put', value }));
const event = fc.oneof(
  { arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }), weight: 3 },
  { arbitrary: fc.constant('snapshot' as const), weight: 1 },
);

it('gives the State of every record, from any snapshot before it as from the whole log, and writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), async events => {
      const workspace = new MemoryWorkspace();
      const log = workspace.open();
      const snapshots: Snapshot[] = [];
      for (const [at, what] of events.entries())
        if (what === 'snapshot') snapshots.push(await log.takeSnapshot());
        else {
          const id = `e${at}`;
          await log.append({ records: [pending(id)] });
          await log.append({ records: [committed(id, ...what)] });
        }
      const before = [...workspace.lines];
      for (let sequence = 0; sequence <= log.head().sequence; sequence++) {
        const expected = { state: toState(foldState(workspace.records.slice(0, sequence))), sequence };
        expect(reconstructState(log, { sequence })).toEqual(expected);
        for (const snapshot of snapshots.filter(s => s.sequence <= sequence))
          expect(reconstructState(log, { sequence, snapshot })).toEqual(expected);
      }
      expect(workspace.lines).toEqual(before);
      expect(() => reconstructState(log, { sequence: log.head().sequence + 1 })).toThrow(
        expect.objectContaining({ code: 'not_found' }),
      );
    }),
    { numRuns: 40 },
  );
});
