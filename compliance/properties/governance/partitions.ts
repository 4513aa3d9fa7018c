import * as fc from 'fast-check';
import { AGENT, granted, PAST, registered, revoked, scene, started, WORKER } from '../../generators/scenes.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

/** Two agents with records, evidence, State and an instance under a key, and one that reads. */
const TWO: readonly Act[] = [
  ...WORKER,
  registered('second'),
  registered('reader'),
  granted('second', 'execution:execute'),
  started('keep', { label: 'a', request_key: 'k' }),
  started('show', { label: 'shown' }),
  started('file', { label: 'b', request_key: 'k', agent_id: 'second' }),
  started('keep', { agent_id: 'reader' }),
];

const READS: readonly ((agent_id: string) => Act)[] = [
  agent_id => ({ do: 'records', agent_id, how: 'query' }),
  agent_id => ({ do: 'records', agent_id, how: 'export' }),
  agent_id => ({ do: 'evidence', agent_id, label: 'shown', node_id: 'show-1' }),
  agent_id => ({ do: 'state', agent_id }),
  agent_id => ({ do: 'state', agent_id, keys: ['note/keep'] }),
  agent_id => started('keep', { agent_id, request_key: 'k' }),
];

const permitted = fc
  .record({
    what: fc.constantFrom('audit:read', 'audit:read', 'state:read', 'execution:read'),
    scope: fc.constantFrom('*', AGENT, 'second', 'a*', 'note/*', 'note/keep'),
    end: fc.constantFrom('stays', 'stays', 'lapses', 'revoked'),
  })
  .map(({ what, scope, end }) => (at: number): readonly Act[] => {
    const permission_id = `r${at}`;
    const more = { scope, permission_id, ...(end === 'lapses' ? { valid_until: PAST } : {}) };
    return [granted('reader', what, more), ...(end === 'revoked' ? [revoked(permission_id)] : [])];
  });

const readers = fc.constantFrom('reader', 'reader', 'reader', 'second', AGENT);

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    permits: fc.array(permitted, { maxLength: 3 }),
    reads: fc.array(fc.tuple(fc.nat({ max: READS.length - 1 }), readers), { minLength: 3, maxLength: 8 }),
  })
  .map(({ permits, reads }) =>
    scene([
      ...TWO,
      ...permits.flatMap((permit, at) => permit(at)),
      ...reads.map(([read, agent_id]) => (READS[read] as (typeof READS)[number])(agent_id)),
    ]),
  );

function read(index: number, agent_id: string, ...before: readonly Act[]): Scene {
  return scene([...TWO, ...before, (READS[index] as (typeof READS)[number])(agent_id)]);
}

const AUDITOR = granted('reader', 'audit:read', { scope: AGENT });

/** What is of one agent is shown to others as far as they are permitted to see it. */
export const partitions = caseProperty<Scene, Played>({
  id: 'governance/partitions',
  title: 'records, evidence, State and keys of others are seen by those who are permitted, and own ones by everybody',
  kind: 'message',
  requirements: ['NS1', 'NS2', 'NS3', 'NS4', 'NS5'],
  capabilities: ['governance', 'audit', 'state'],
  cases: scenes,
  weight: 0.5,
  examples: [
    ...[0, 1, 2, 3, 4, 5].flatMap(index => [read(index, 'reader'), read(index, AGENT)]),
    read(3, 'reader', granted('reader', 'state:read', { scope: 'note/keep' })),
    read(2, 'second'),
    read(2, 'reader', granted('reader', 'execution:read')),
    read(2, 'reader', granted('reader', 'audit:read', { scope: AGENT, valid_until: PAST })),
    // Scopes in which State has nothing: whether that is refused or answered with nothing is open.
    ...[3, 4].map(index => read(index, 'reader', granted('reader', 'state:read', { scope: 'a*' }))),
    read(5, 'second'),
    // What a record of its own names an agent is given, though one of another agent names the same later.
    read(2, AGENT, started('show', { label: 'shown-too', agent_id: 'second' })),
    scene([...TWO, registered('reader'), granted('reader', 'execution:execute'), READS[5]?.('reader') as Act]),
  ],
  control: { title: 'with audit:read for another agent its evidence is given', case: read(2, 'reader', AUDITOR) },
  twins: [
    {
      requirement: 'NS3',
      title: 'with audit:read for a third agent it is not',
      case: read(2, 'reader', granted('reader', 'audit:read', { scope: 'second' })),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'NS2',
      title: 'without audit:read its records are stubs',
      case: read(0, 'reader'),
      contrast: (_control, twin) => (stubs(twin) > 0 ? undefined : { message: 'no record came as a stub' }),
    },
    {
      requirement: 'NS1',
      title: 'its own evidence is given to everybody',
      case: read(2, AGENT),
      contrast: contrastLast('done', 'done'),
    },
    {
      requirement: 'NS4',
      title: 'with audit:read alone State is not given',
      case: read(3, 'reader', AUDITOR),
      contrast: (control, twin) =>
        entries(twin) === 0 ? contrastLast('done', '')(control, twin) : { message: 'entries of State were given' },
    },
    {
      requirement: 'NS5',
      title: 'with a key of another agent an instance of its own is started',
      case: scene([...TWO, registered('reader'), granted('reader', 'execution:execute'), READS[5]?.('reader') as Act]),
      contrast: contrastLast('done', 'done'),
    },
  ],
  examine: examineScene,
  judge: judgeScene,
});

function lastResult({ seen }: Played): Readonly<Record<string, unknown>> {
  const reply = seen.at(-1)?.replies.at(-1);
  return reply !== undefined && 'result' in reply ? reply.result : {};
}

function stubs(played: Played): number {
  const { records = [] } = lastResult(played) as { records?: readonly { redacted?: true }[] };
  return records.filter(({ redacted }) => redacted === true).length;
}

function entries(played: Played): number {
  return Object.keys(lastResult(played).state ?? {}).length;
}
