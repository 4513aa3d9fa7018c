import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import type { AuditRecord, Snapshot, State } from '../../../schemas/types.js';
import { type Ask, type Dialogue, refusalOf, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { digest } from '../../history/chain.js';
import { applyChanges, type Fold } from '../../model/state.js';
import { OWNER } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import {
  check,
  dialogueProperty,
  unlessAnsweredAlike,
  unlessSame,
  unlessServed,
  withAnswer,
  withResult,
} from '../dialogue-property.js';
import { type STORIES, STORY_SCRIPT, told } from '../stories.js';

type Story = Exclude<keyof typeof STORIES, 'hangs' | 'doubt'>;

/** What is done before, between and after two snapshots, and whether the runtime is killed before it is asked. */
interface History {
  readonly parts: readonly [readonly Story[], readonly Story[], readonly Story[]];
  readonly killed?: true;
}

interface Given {
  readonly state: State;
  readonly sequence: number;
}

const stories = fc.array(fc.constantFrom<Story[]>('steps', 'undone', 'fails', 'writes', 'restored'), {
  minLength: 1,
  maxLength: 2,
});

const FORGED = { forged: { value: 1, version: 1, writer: 'nobody' } };
const NO_HASH = `sha256:${'0'.repeat(64)}`;

/** Reconstructions, by name: from where, and as of what; each is asked for twice. */
const ASKED: Readonly<Record<string, Ask['params']>> = {
  'whole, now': { sequence: { $: 'now/sequence' } },
  'whole, s1': { sequence: { $: 's1/sequence' } },
  'whole, middle': { sequence: 12 },
  'whole, nothing': { sequence: 0 },
  's1, s1': { sequence: { $: 's1/sequence' }, snapshot: { $: 's1' } },
  's1, s2': { sequence: { $: 's2/sequence' }, snapshot: { $: 's1' } },
  's1, now': { sequence: { $: 'now/sequence' }, snapshot: { $: 's1' } },
  's2, now': { sequence: { $: 'now/sequence' }, snapshot: { $: 's2' } },
};

/** Snapshots that do not verify, are not of this log or are too late: whoever gives one is refused, or it is left aside. */
const UNUSABLE: Readonly<Record<string, Ask['params']>> = {
  'later State': { sequence: { $: 's1/sequence' }, snapshot: { $: 's2' } },
  'other State': { sequence: { $: 'now/sequence' }, snapshot: { $: 's1', but: { state: FORGED } } },
  'other head': { sequence: { $: 'now/sequence' }, snapshot: { $: 's2', but: { head_hash: NO_HASH } } },
  'other checksum': { sequence: { $: 'now/sequence' }, snapshot: { $: 's2', but: { checksum: NO_HASH } } },
};

/** Snapshots are what they say, and State can be had anew from any of them. */
export const reconstruction = dialogueProperty<History>({
  id: 'audit/reconstruction',
  title:
    'State is reconstructed from any snapshot as from the whole log, without any effect, and snapshots never change',
  requirements: ['FR1', 'FR2', 'FR3', 'I2', 'SO2', 'SP4'],
  capabilities: ['audit', 'state'],
  cases: fc.tuple(stories, stories, stories).map(parts => ({ parts })),
  weight: 0.1,
  control: {
    title: 'two snapshots among writes, an undo and a failure, killed before they are used',
    case: {
      parts: [
        ['steps', 'writes'],
        ['undone', 'writes'],
        ['restored', 'fails', 'steps'],
      ],
      killed: true,
    },
  },
  twins: [
    {
      requirement: 'FR1',
      title: 'a reconstruction from a snapshot that has lost a key',
      tamper: spoken => withResult<Given>(spoken, 's1, now', given => ({ ...given, state: withoutFirst(given.state) })),
    },
    {
      requirement: 'FR2',
      title: 'a ledger in which an action was invoked meanwhile',
      tamper: spoken => {
        const [first] = spoken.ledger;
        const received_at = (spoken.answered_at['s1, s1'] ?? 0) + 0.5;
        return { ...spoken, ledger: first === undefined ? [] : [...spoken.ledger, { ...first, received_at }] };
      },
    },
    {
      requirement: 'FR3',
      title: 'a log that is longer afterwards',
      tamper: spoken => withResult<{ text: string }>(spoken, 'after', ({ text }) => ({ text: `${text}{}\n` })),
    },
    {
      requirement: 'I2',
      title: 'a snapshot whose State has changed',
      tamper: spoken =>
        withResult<Snapshot>(spoken, 's1', snapshot => ({ ...snapshot, state: withoutFirst(snapshot.state) })),
    },
    {
      requirement: 'SO2',
      title: 'a snapshot with another State that is used',
      tamper: spoken => withAnswer(spoken, 'other State', { result: { state: FORGED, sequence: 0 } }),
    },
    {
      requirement: 'SP4',
      title: 'a snapshot that names another sequence',
      tamper: spoken =>
        withResult<Snapshot>(spoken, 's1', snapshot => ({ ...snapshot, sequence: snapshot.sequence - 1 })),
    },
  ],
  dialogue: ({ parts: [first, second, third], killed }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      ...tell(first, 'a'),
      { do: 'ask', method: 'state/snapshot', params: { agent_id: OWNER }, as: 's1' },
      ...tell(second, 'b'),
      { do: 'ask', method: 'state/snapshot', params: { agent_id: OWNER }, as: 's2' },
      { do: 'ask', method: 'state/snapshot', params: { agent_id: OWNER }, as: 's2 again' },
      ...tell(third, 'c'),
      ...(killed === true ? ([{ do: 'kill' }, { do: 'open' }] as const) : []),
      { do: 'read', as: 'before' },
      { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'now' },
      ...Object.entries({ ...ASKED, ...UNUSABLE }).map(([name, params]) => reconstruct(name, params)),
      ...Object.entries(ASKED).map(([name, params]) => reconstruct(`${name} again`, params)),
      { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'now again' },
      { do: 'read', as: 'after' },
    ],
  }),
  judge: (_history, spoken) => judgeAll(spoken),
});

function tell(names: readonly Story[], part: string): readonly Turn[] {
  return names.map((name, index) => told(name, { as: `${part}${index}` }));
}

function reconstruct(name: string, params: Ask['params']): Turn {
  return { do: 'ask', method: 'state/reconstruct', params: { agent_id: OWNER, ...params }, as: name };
}

function judgeAll(spoken: Spoken): readonly Check[] {
  const before = resultOf<{ text: string; records: readonly AuditRecord[] }>(spoken, 'before');
  const now = resultOf<Given>(spoken, 'now');
  if (before === undefined || now === undefined) return [];
  const log = before.records;
  const names = Object.keys(ASKED);
  const checks = [
    ...names.map(name => check('FR1', unlessFold(spoken, name, log))),
    check('FR2', invokedMeanwhile(spoken)),
    check('FR3', unlessQuiet(spoken, names)),
    ...['s1', 's2'].flatMap(name => judgeSnapshot(spoken, name, log)),
    check(
      'I2',
      unlessSame('a snapshot of the same head differs', resultOf(spoken, 's2'), resultOf(spoken, 's2 again')),
    ),
    ...Object.keys(UNUSABLE).map(name =>
      check(name === 'later State' ? 'FR1' : 'SO2', unlessLeftAside(spoken, name, log)),
    ),
    ...['now', ...names].map(name => check('SP4', unlessNamed(spoken, name, log))),
  ];
  // Of a log without records every State is reconstructed that is empty, and nothing is shown.
  return log.length > 0 ? checks : checks.filter(({ failure }) => failure !== undefined);
}

/** A snapshot verifies and is State at the record that it names. */
function judgeSnapshot(spoken: Spoken, name: string, log: readonly AuditRecord[]): readonly Check[] {
  const refused = unlessServed(spoken, name);
  const snapshot = resultOf<Snapshot>(spoken, name);
  if (snapshot === undefined) return [check('I2', refused), check('SP4', refused)];
  const { checksum, ...content } = snapshot;
  const verifies = digest(canonicalize(content) ?? '') === checksum;
  const head = log[snapshot.sequence - 1]?.hash;
  const wrong: Failure = { message: `the checksum of '${name}' does not verify`, observed: checksum };
  const shown = { state: snapshot.state, head: snapshot.head_hash };
  const folded = { state: foldTo(log, snapshot.sequence), head };
  return [
    check('I2', !verifies && wrong),
    check('SO2', !verifies && wrong),
    check('SP4', unlessSame(`'${name}' is not State at the record that it names`, folded, shown)),
  ];
}

function unlessFold(spoken: Spoken, name: string, log: readonly AuditRecord[]): Failure | undefined {
  const refused = unlessServed(spoken, name);
  const given = resultOf<Given>(spoken, name);
  if (given === undefined) return refused;
  return unlessSame(`'${name}' is not the fold of the log`, foldTo(log, wantedOf(spoken, name)), given.state);
}

/** An answer as of a record says which one. */
function unlessNamed(spoken: Spoken, name: string, log: readonly AuditRecord[]): Failure | undefined {
  const given = resultOf<Given>(spoken, name);
  if (given === undefined) return undefined;
  const wanted = name === 'now' ? log.length : wantedOf(spoken, name);
  return unlessSame(`'${name}' does not say as of what it is`, wanted, given.sequence);
}

/** A snapshot that cannot be used is refused, or State comes from elsewhere. */
function unlessLeftAside(spoken: Spoken, name: string, log: readonly AuditRecord[]): Failure | undefined {
  if (refusalOf(spoken, name) !== undefined) return undefined;
  const given = resultOf<Given>(spoken, name);
  return unlessSame(`a snapshot with ${name} was used`, foldTo(log, wantedOf(spoken, name)), given?.state);
}

function unlessQuiet(spoken: Spoken, names: readonly string[]): Failure | undefined {
  const text = (name: string) => resultOf<{ text: string }>(spoken, name)?.text;
  return (
    unlessSame('reconstruction changed the log', text('before'), text('after')) ??
    unlessAnsweredAlike('reconstruction changed State', spoken, 'now', 'now again') ??
    names
      .map(name => unlessAnsweredAlike(`'${name}' gave something else again`, spoken, name, `${name} again`))
      .find(failure => failure !== undefined)
  );
}

function invokedMeanwhile({ ledger, answered_at }: Spoken): Failure | undefined {
  const [from, to] = [answered_at.now ?? 0, answered_at['now again'] ?? 0];
  const entry = ledger.find(({ received_at }) => received_at > from && received_at < to);
  return entry && { message: 'reconstruction asked the host', expected: 'nothing', observed: entry };
}

function wantedOf(spoken: Spoken, name: string): number {
  const wanted = { ...ASKED, ...UNUSABLE }[name]?.sequence as number | { $: string };
  if (typeof wanted === 'number') return wanted;
  return resultOf<{ sequence: number }>(spoken, wanted.$.split('/')[0] ?? '')?.sequence ?? -1;
}

function foldTo(log: readonly AuditRecord[], sequence: number): State {
  const fold: Fold = new Map();
  for (const record of log.slice(0, Math.max(0, sequence)))
    if (record.record_type === 'action' && record.status === 'committed')
      applyChanges(fold, record.state_changes ?? [], record.execution_id);
  return Object.fromEntries(fold) as State;
}

function withoutFirst(state: State): State {
  return Object.fromEntries(Object.entries(state).slice(1));
}
