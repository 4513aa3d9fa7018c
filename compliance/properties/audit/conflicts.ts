import type { Action, AuditRecord, ProbeAnswer, StateChange } from '../../../schemas/types.js';
import type { Behaviour, Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Failure } from '../../runner/verdict.js';
import { check, unlessSame } from '../dialogue-property.js';
import { draw, EFFECTFUL, UNDO } from '../drawn.js';
import { changed, withLog } from '../tamper.js';
import { withoutRollback } from './undo-programs.js';

/** Where a result meets the conflict: as it comes from the action, or, after a crash, from what its probe answers. */
interface Met {
  readonly at: 'answer' | 'recovery';
}

const { compensation: _none, ...WITHOUT_UNDO } = EFFECTFUL;
const ROLLBACKABLE = { ...WITHOUT_UNDO, rollback: 'rollbackable', revert: 'undo@^1.0.0' };
const IRREVERSIBLE = { ...WITHOUT_UNDO, rollback: 'irreversible' };
const MORE = [
  UNDO,
  { ...UNDO, ...ROLLBACKABLE, action_id: 'put' },
  { ...UNDO, ...IRREVERSIBLE, action_id: 'send' },
] as readonly Action[];

/** A node: its action, and whether it answers or fails with an effect that only its probe knows of. */
interface Conflicting {
  readonly action: 'step' | 'put' | 'send';
  readonly fails?: true;
}

/** Everything that was written reads as if it had been written three times: nothing has this version. */
const CHANGES = (node_id: string) =>
  [{ key: `out/${node_id}`, op: 'put', value: node_id, expected_version: 3 }] as StateChange[];

const NODES: Readonly<Record<Met['at'], Readonly<Record<string, Conflicting>>>> = {
  // One behind the other, the one in doubt at last.
  answer: {
    step: { action: 'step' },
    put: { action: 'put' },
    'step-failed': { action: 'step', fails: true },
    'put-failed': { action: 'put', fails: true },
    send: { action: 'send' },
  },
  // All at one time, and all are interrupted.
  recovery: { step: { action: 'step' }, put: { action: 'put' }, send: { action: 'send' } },
};

const DECIDED = { step: 'compensate', put: 'roll_back', send: 'in_doubt' } as const;

/** What conflicts with State after an effect is undone, or in doubt, and fails with E4. */
export const conflicts = caseProperty<Met, Observation>({
  id: 'audit/conflicts',
  title:
    'a result that conflicts with State at its commit is undone or in doubt by its category, and fails as a conflict',
  kind: 'kill',
  requirements: ['CRC1'],
  capabilities: ['audit', 'recovery'],
  examples: [{ at: 'recovery' }],
  control: { title: 'results that conflict as they come, and answers of probes', case: { at: 'answer' } },
  twins: [
    {
      requirement: 'CRC1',
      title: 'the log in which the failure of the first is that of a service',
      tamper: seen =>
        withLog(seen, records => changed(records, record => hasFailed(record, 'step'), { error_class: 'E2' })),
    },
    {
      requirement: 'CRC1',
      title: 'the log in which what conflicted is closed',
      tamper: seen =>
        withLog(seen, records =>
          changed(records, ({ record_type, node_id }) => record_type === 'recovery' && node_id === 'put', {
            status: 'close',
          }),
        ),
    },
  ],
  examine: async (subject, value) => {
    const evidence = await subject.observe(programOf(value));
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [] };
  },
  inapplicable: withoutRollback,
  judge: ({ at }, seen) => {
    if (at === 'recovery' && seen.kills === 0) return [];
    const wrong = Object.entries(NODES[at]).map(([node_id, { action, fails }]) => {
      const probed = at === 'recovery' || fails === true;
      return unlessUndone(node_id, DECIDED[action], probed, seen);
    });
    return [check('CRC1', wrong.find(Boolean))];
  },
});

function programOf({ at }: Met): Program {
  const nodes = NODES[at];
  const ids = Object.keys(nodes);
  const outputs = { value: 1 };
  const behaviour = (node_id: string, { fails }: Conflicting): Behaviour => {
    if (fails === true) return { reply: { error: { error_class: 'E2', detail: 'scripted', effect: 'unknown' } } };
    return at === 'recovery' ? {} : { reply: { outputs, state_changes: CHANGES(node_id) } };
  };
  const applied = (node_id: string): ProbeAnswer => ({ verdict: 'applied', outputs, state_changes: CHANGES(node_id) });
  const chained = ids.map((id, place) => `${id} always ${ids[place + 1] ?? 'done'}`);
  const spread = ids.flatMap(id => [`begin success ${id}`, `${id} always done`]);
  const drawn = draw({
    edges: at === 'answer' ? chained : spread,
    nodes: {
      ...Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, nodeOf(node)])),
      ...(at === 'answer'
        ? {}
        : { begin: { action_def: 'undo@^1.0.0', fan_out: 'parallel' }, done: { join_type: 'OR' } }),
    },
    script: {
      begin: [{ reply: { outputs: {} } }],
      ...Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, [behaviour(id, node)]])),
    },
    action: EFFECTFUL,
    more: MORE,
  });
  return {
    ...drawn,
    script: {
      ...drawn.script,
      actions: { undo: [{ reply: { outputs: {} } }] },
      probes: Object.fromEntries(ids.map(id => [id, applied(id)])),
    },
    kills: at === 'answer' ? [] : [{ at: 'invocation', ordinal: ids.length + 1, when: 'receipt' }],
  };
}

function nodeOf({ action }: Conflicting): object {
  return { action_def: `${action}@^1.0.0`, ...(action === 'send' ? { irreversible: 'acknowledged' } : {}) };
}

/** What is wrong with the decision about a node, or with the end of its one execution. */
function unlessUndone(
  node_id: string,
  decision: (typeof DECIDED)[keyof typeof DECIDED],
  probed: boolean,
  { log = [], ledger }: Observation,
): Failure | undefined {
  const own = log.filter(record => record.node_id === node_id && record.purpose === undefined);
  const asked = ledger.some(entry => entry.kind === 'probe' && entry.node_id === node_id);
  const end = decision === 'in_doubt' ? 'in_doubt' : 'failed';
  const told = own.map(({ record_type, status, probe, error_class, error_detail }) =>
    [record_type, status, probe, error_class, error_detail].filter(part => part !== undefined).join(' '),
  );
  const expected = [
    'action pending',
    `recovery ${decision} ${probed ? 'partial' : 'unknown'}`,
    `action ${end} E4 conflict`,
  ];
  return (
    unlessSame(`the records of '${node_id}', whose result conflicts with State`, expected, told) ??
    unlessSame(`whether the probe of '${node_id}' was asked`, probed, asked)
  );
}

function hasFailed({ record_type, status, node_id }: AuditRecord, wanted: string): boolean {
  return record_type === 'action' && status === 'failed' && node_id === wanted;
}
