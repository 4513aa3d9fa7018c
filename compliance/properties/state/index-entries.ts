import canonicalize from 'canonicalize';
import type { IndexEntry, StateChange } from '../../../schemas/types.js';
import { type Dialogue, type Quoted, refusalOf, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { digest } from '../../history/chain.js';
import { OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { draw } from '../drawn.js';

/** Which kinds of things entries refer to, and whether the things are there at first. */
interface Entries {
  readonly kinds: readonly Kind[];
  readonly missing?: true;
}

type Kind = IndexEntry['kind'];

const EVIDENCE = 'seen';
const writing = (id: string, change: object) =>
  draw({
    edges: [`${id} success done`],
    script: { [id]: [{ reply: { outputs: {}, evidence: EVIDENCE, state_changes: [change as StateChange] } }] },
  });
const WRITES = writing('puts', { key: 'indexed', op: 'put', value: 1 });
const DELETES = writing('deletes', { key: 'indexed', op: 'delete' });

const ACTION = {
  action_id: 'indexed',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
} as const;
const WORKFLOW = { ...WRITES.workflow, workflow: { name: 'indexed', version: '1.0.0' } };
const FILE = 'templates/indexed.txt';

const put = (method: 'registry/put', params: object): Turn => ({ do: 'ask', method, params: { ...params } });
const remove = (params: object): Turn => ({ do: 'ask', method: 'registry/remove', params: { ...params } });

/** For each kind: its target, how that comes about, and how it goes; what never goes has no such turns. */
const KINDS: Readonly<
  Record<Kind, { target: string | Quoted; missing: string; appears: readonly Turn[]; goes?: readonly Turn[] }>
> = {
  action: {
    target: 'indexed@1.0.0',
    missing: 'indexed@2.0.0',
    appears: [put('registry/put', { actions: [ACTION], workflows: [] })],
    goes: [remove({ actions: ['indexed@1.0.0'] })],
  },
  workflow: {
    target: 'indexed@1.0.0',
    missing: 'indexed@2.0.0',
    appears: [put('registry/put', { actions: [], workflows: [WORKFLOW] })],
    goes: [remove({ workflows: ['indexed@1.0.0'] })],
  },
  state: {
    target: 'indexed',
    missing: 'never written',
    appears: [{ do: 'run', program: WRITES }],
    goes: [{ do: 'run', program: DELETES }],
  },
  file: {
    target: FILE,
    missing: 'templates/none.txt',
    appears: [{ do: 'write', path: FILE, text: 'Dear …' }],
    goes: [{ do: 'erase', path: FILE }],
  },
  evidence: {
    target: digest(canonicalize(EVIDENCE) ?? ''),
    missing: digest('nothing'),
    appears: [{ do: 'run', program: WRITES }],
  },
  execution: {
    target: { $: 'run/execution_id' },
    missing: 'nobody',
    appears: [{ do: 'run', program: WRITES, as: 'run' }],
  },
  snapshot: {
    target: '0',
    missing: '99999',
    appears: [],
  },
};

const LASTING: readonly Kind[] = ['evidence', 'execution'];
const GOING: readonly Kind[] = ['action', 'workflow', 'state', 'file'];

/** What an index says is there is there, or it says that it is not. */
export const indexEntries = dialogueProperty<Entries>({
  id: 'state/index-entries',
  title: 'an index entry refers to something that is there, or is marked stale, as things come and go',
  requirements: ['I5'],
  capabilities: ['components'],
  examples: [{ kinds: LASTING }, { kinds: [...GOING, ...LASTING, 'snapshot'], missing: true }],
  control: { title: 'entries of things that come, go and come again', case: { kinds: GOING } },
  twins: [
    {
      requirement: 'I5',
      title: 'an entry of something that is not there is refused',
      case: { kinds: GOING, missing: true },
      contrast: (control, twin) => {
        const refused = (spoken: Spoken) => GOING.filter(kind => refusalOf(spoken, `put ${kind}`) === 'not_found');
        const observed = { control: refused(control), twin: refused(twin) };
        return unlessSame('what is there made no difference', { control: [], twin: GOING }, observed);
      },
    },
    {
      requirement: 'I5',
      title: 'an entry of something gone that does not say so',
      tamper: spoken =>
        withResult<{ entry: IndexEntry }>(spoken, 'gone file', ({ entry: { stale: _stale, ...entry } }) => ({ entry })),
    },
  ],
  dialogue: ({ kinds, missing }): Dialogue => ({
    script: { nodes: { ...WRITES.script.nodes, ...DELETES.script.nodes } },
    turns: kinds.flatMap(kind => (missing === true ? absent(kind) : life(kind))),
  }),
  judge: ({ kinds, missing }, spoken) =>
    kinds.flatMap(kind => (missing === true ? judgeAbsent(kind, spoken) : judgeLife(kind, spoken))),
});

function entryOf(kind: Kind, target: string | Quoted, more: object = {}): object {
  return { entry_id: `entry.${kind}`, kind, target, keywords: ['indexed'], ...more };
}

function putEntry(kind: Kind, target: string | Quoted, as: string, more: object = {}): Turn {
  return { do: 'ask', method: 'index/put', params: { entry: entryOf(kind, target, more), by: OWNER }, as };
}

function get(kind: Kind, as: string): Turn {
  return { do: 'ask', method: 'index/get', params: { entry_id: `entry.${kind}`, agent_id: OWNER }, as };
}

function life(kind: Kind): readonly Turn[] {
  const { target, appears, goes } = KINDS[kind];
  return [
    ...appears,
    putEntry(kind, target, `put ${kind}`),
    get(kind, `there ${kind}`),
    ...(goes === undefined ? [] : [...goes, get(kind, `gone ${kind}`), ...appears, get(kind, `back ${kind}`)]),
  ];
}

function absent(kind: Kind): readonly Turn[] {
  const { missing } = KINDS[kind];
  return [
    putEntry(kind, missing, `put ${kind}`),
    get(kind, `unknown ${kind}`),
    putEntry(kind, missing, `stale put ${kind}`, { stale: true }),
    get(kind, `stale ${kind}`),
  ];
}

function judgeLife(kind: Kind, spoken: Spoken): readonly Check[] {
  const stale = (name: string) => resultOf<{ entry: IndexEntry }>(spoken, `${name} ${kind}`)?.entry.stale === true;
  const known = (name: string) => refusalOf(spoken, `${name} ${kind}`) === undefined;
  const goes = KINDS[kind].goes !== undefined;
  const expected = { put: true, there: [true, false], ...(goes ? { gone: [true, true], back: [true, false] } : {}) };
  const observed = {
    put: known('put'),
    there: [known('there'), stale('there')],
    ...(goes ? { gone: [known('gone'), stale('gone')], back: [known('back'), stale('back')] } : {}),
  };
  return [
    check('I5', unlessSame(`the entry of kind ${kind} does not say whether its target is there`, expected, observed)),
  ];
}

function judgeAbsent(kind: Kind, spoken: Spoken): readonly Check[] {
  const expected = { put: 'not_found', unknown: 'not_found', stale_put: 'taken', stale: true };
  const observed = {
    put: refusalOf(spoken, `put ${kind}`) ?? 'taken',
    unknown: refusalOf(spoken, `unknown ${kind}`) ?? 'given',
    stale_put: refusalOf(spoken, `stale put ${kind}`) ?? 'taken',
    stale: resultOf<{ entry: IndexEntry }>(spoken, `stale ${kind}`)?.entry.stale === true,
  };
  return [check('I5', unlessSame(`an entry of kind ${kind} without its target`, expected, observed))];
}
