import type { RecordedChange, StateEntry } from '../../schemas/types.js';
import { sameJson } from '../model/json.js';
import type { Check, Report } from './check.js';
import { SynthesisedReverts } from './synthesised.js';

type Fold = Map<string, StateEntry>;

/** State is the fold of the committed state changes (AII4), each of which met the version it expected (I1, SP3). */
export const stateFold: Check = {
  requirements: ['AII4', 'I1', 'SP3'],
  begin: (report, { state }) => {
    const fold: Fold = new Map();
    const before = new Map<string, Map<string, string | undefined>>();
    const synthesised = new SynthesisedReverts();
    return {
      record: record => {
        synthesised.see(record);
        const changes = record.state_changes ?? [];
        if (record.record_type !== 'action' || record.status !== 'committed' || changes.length === 0) return;
        const id = record.execution_id;
        const original = synthesised.originalOf(id);
        const restored = original === undefined ? undefined : before.get(original);
        before.set(id, new Map(changes.map(({ key }) => [key, fold.get(key)?.writer])));
        for (const change of changes) {
          checkVersion(report, fold, change, id, record.sequence);
          const writer = restored?.get(change.key) ?? id;
          checkWriter(report, change, writer, id, record.sequence);
          apply(fold, change, writer);
        }
      },
      end: () => {
        if (state !== undefined) compare(report, fold, new Map(Object.entries(state)));
      },
    };
  },
};

function checkVersion(report: Report, fold: Fold, change: RecordedChange, id: string, sequence: number): void {
  const version = fold.get(change.key)?.version ?? 0;
  const wanted = change.expected_version;
  if (wanted === undefined || wanted === version) return;
  const requirement = wanted === 0 ? 'I1' : 'SP3';
  const expected = `"${change.key}" at version ${wanted}`;
  report({ requirement, expected, observed: `version ${version}`, execution_id: id, sequence });
}

/** A change names a writer where it puts one back, and then the one from before. */
function checkWriter(report: Report, change: RecordedChange, writer: string, id: string, sequence: number): void {
  const named = change.writer ?? id;
  if (named === writer) return;
  const expected = `"${change.key}" with the writer ${writer}`;
  report({ requirement: 'AII4', expected, observed: named, execution_id: id, sequence });
}

function apply(fold: Fold, change: RecordedChange, writer: string): void {
  const version = (fold.get(change.key)?.version ?? 0) + 1;
  const value = change.value as NonNullable<StateEntry['value']>;
  fold.set(change.key, change.op === 'put' ? { version, writer, value } : { version, writer });
}

function compare(report: Report, fold: Fold, state: ReadonlyMap<string, StateEntry>): void {
  for (const key of new Set([...fold.keys(), ...state.keys()])) {
    const folded = fold.get(key);
    const given = state.get(key);
    if (folded !== undefined && given !== undefined && sameJson(folded, given)) continue;
    const show = (entry: StateEntry | undefined) => (entry === undefined ? 'nothing' : JSON.stringify(entry));
    report({ requirement: 'AII4', expected: `"${key}": ${show(folded)}`, observed: show(given) });
  }
}
