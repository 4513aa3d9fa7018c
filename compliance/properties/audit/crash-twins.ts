import type { RecoveryReport } from '../../../schemas/types.js';
import { SuiteError } from '../../error.js';
import type { Observation, Program } from '../../program.js';
import type { Twin } from '../../runner/case-property.js';
import { incarnations } from '../crash.js';
import { withoutKey } from '../state/fold.js';
import { actionRecord, changed, failedAgain, repeated, withLog, without } from '../tamper.js';

/** Gives what a crash property has to notice about a requirement. */
export function crashTwin(requirement: string): Twin<Program, Observation> {
  const twin = TWINS.find(candidate => candidate.requirement === requirement);
  if (twin === undefined) throw new SuiteError('suite_bug', `nothing contradicts '${requirement}' after a crash`);
  return twin;
}

const TWINS: readonly Twin<Program, Observation>[] = [
  {
    requirement: 'AII6',
    title: 'the earlier export with one digit changed',
    tamper: seen => {
      const [first = '', ...others] = seen.exports ?? [];
      return { ...seen, exports: [first.replace(/"sequence":\d/, '"sequence":9'), ...others] };
    },
  },
  {
    requirement: 'CRC3',
    title: 'a further opening that decides the same executions otherwise',
    tamper: seen => ({ ...seen, recoveries: [...seen.recoveries, decidedAgain(seen)] }),
  },
  {
    requirement: 'CR1',
    title: 'the log in which something new begins before the interrupted execution is decided',
    tamper: seen =>
      withLog(seen, records => {
        const at = records.findIndex(({ record_type }) => record_type === 'recovery');
        const first = records.find(actionRecord('pending'));
        const { incarnation = 2 } = records[at] ?? {};
        const { refers_to: _none, ...early } = {
          ...(first as (typeof records)[number]),
          execution_id: 'early',
          incarnation,
        };
        return records.toSpliced(Math.max(0, at), 0, early);
      }),
  },
  {
    requirement: 'EX1',
    title: 'the log in which a later execution has the id of the first',
    tamper: seen =>
      withLog(seen, records => {
        const execution_id = records.find(actionRecord('pending'))?.execution_id ?? '';
        const last = records.findLast(actionRecord('pending'))?.sequence;
        return changed(records, ({ sequence }) => sequence === last, { execution_id });
      }),
  },
  {
    requirement: 'AII1',
    title: 'the log with a second committed record of one execution',
    tamper: seen => withLog(seen, records => repeated(records, actionRecord('committed'))),
  },
  {
    requirement: 'AII3',
    title: 'the log without the pending record of a committed execution',
    tamper: seen =>
      withLog(seen, records => {
        const id = records.find(actionRecord('committed'))?.execution_id;
        return without(records, record => record.status === 'pending' && record.execution_id === id);
      }),
  },
  {
    requirement: 'WII2',
    title: 'the log without the pending record of an invocation',
    tamper: seen => withLog(seen, records => without(records, actionRecord('pending'))),
  },
  {
    requirement: 'CLI1',
    title: 'the log without the pending record of the interrupted invocation',
    tamper: seen => withLog(seen, records => without(records, actionRecord('pending'))),
  },
  {
    requirement: 'G1',
    title: 'the log without the record of the gate',
    tamper: seen => withLog(seen, records => records.filter(({ gate }) => gate !== 'governance')),
  },
  {
    requirement: 'CC3',
    title: 'the log in which the interrupted execution is never closed',
    tamper: seen => withLog(seen, unclosed),
  },
  {
    requirement: 'CRC1',
    title: 'the log in which the interrupted execution is never closed',
    tamper: seen => withLog(seen, unclosed),
  },
  {
    requirement: 'CRC2',
    title: 'a ledger with one more effect under a key of its own',
    tamper: seen => ({ ...seen, ledger: [...seen.ledger, stray(seen)] }),
  },
  { requirement: 'AII4', title: 'State without one of the keys', tamper: withoutKey },
  { requirement: 'CC2', title: 'State without what a committed record wrote', tamper: withoutKey },
  {
    requirement: 'CC1',
    title: 'the log without the commit that was durable at the kill',
    tamper: seen => withLog(seen, records => without(records, actionRecord('committed'))),
  },
  {
    requirement: 'CLI3',
    title: 'a committed execution that fails in a later incarnation',
    tamper: seen =>
      withLog(seen, records => {
        const first = records.filter(({ incarnation }) => incarnation === 1);
        return [...records, ...failedAgain(first, incarnations(seen)).slice(-1)];
      }),
  },
  {
    requirement: 'IR5',
    title: 'a ledger in which a committed node is invoked again after the restart',
    tamper: seen => ({ ...seen, ledger: [...seen.ledger, again(seen)] }),
  },
];

/** The last report that decided something, with another decision. */
function decidedAgain({ recoveries }: Observation): RecoveryReport {
  const report = recoveries.findLast(candidate => (candidate?.decisions ?? []).length > 0);
  if (!report) throw new SuiteError('suite_bug', 'nothing was decided');
  return { ...report, decisions: report.decisions.map(decision => ({ ...decision, decision: 'in_doubt' })) };
}

type Records = Parameters<Parameters<typeof withLog>[1]>[0];

/** The records without the failed one that recovery wrote about an execution of an earlier incarnation. */
function unclosed(records: Records): Records {
  const began = new Map(
    records.filter(actionRecord('pending')).map(({ execution_id, incarnation }) => [execution_id, incarnation]),
  );
  return without(
    records,
    ({ status, execution_id, incarnation, record_type }) =>
      record_type === 'action' &&
      status !== 'pending' &&
      began.has(execution_id) &&
      (began.get(execution_id) as number) < incarnation,
  );
}

function again(seen: Observation): Observation['ledger'][number] {
  const first = seen.ledger.find(({ kind }) => kind === 'invoke') as Observation['ledger'][number];
  const last = Math.max(...seen.ledger.map(({ received_at }) => received_at));
  return { ...first, incarnation: incarnations(seen), received_at: last + 1, replied_at: last + 2 };
}

function stray(seen: Observation): Observation['ledger'][number] {
  return { ...again(seen), idempotency_key: 'stray', execution_id: 'stray', effect: true };
}
