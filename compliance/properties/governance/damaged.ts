import { AGENT, checked, granted, policy, registered, revoked, scene, started } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

/** Texts that occur in one document each, and what makes it unfit or unreadable. */
const TRUST = { text: '2987-06-05T04:03:02.101Z', unfit: '2987-06-05T04:03:02.1?1Z' };
const VALID = { text: '2987-06-05T04:03:02.202Z', unfit: '2987-06-05T04:03:02.2?2Z' };
const VERSION = { text: '1.0.0-marked', unfit: '1.0.0?marked' };

const unfit = ({ text, unfit: by }: typeof TRUST): Act => ({ do: 'damage', text, by, makes: 'unfit' });
const unreadable = ({ text }: typeof TRUST): Act => ({
  do: 'damage',
  text,
  by: `${text.slice(0, -2)}\u0001\u0001`,
  makes: 'unreadable',
});

const FRAIL: readonly Act[] = [
  { do: 'register', agent: { agent_id: 'frail', trust: 'CONDITIONAL', trust_until: TRUST.text }, by: OWNER },
  registered(AGENT),
  granted('frail', 'execution:execute', { permission_id: 'frail', valid_until: VALID.text }),
  granted(AGENT, 'execution:execute'),
  policy({ level: 3, effect: 'deny', scope: 'elsewhere', version: VERSION.text, active: false }),
];

/** Who asks for what after the damage. */
const ASKED: readonly Act[] = ['frail', AGENT, OWNER, 'stranger'].map(agent_id => checked('keep', { agent_id }));

function after(damage: readonly Act[], ...acts: readonly Act[]): Scene {
  return scene([...FRAIL, ...damage, ...(acts.length > 0 ? acts : ASKED), started('keep', { agent_id: 'frail' })]);
}

const NONE: Act = { do: 'damage', text: VALID.text, by: VALID.text, makes: 'unfit' };

/** What governance cannot read, or cannot rely on, allows nothing. */
export const damaged = caseProperty<Scene, Played>({
  id: 'governance/damaged',
  title:
    'while a document that counts cannot be read or does not fit its schema, starts are denied, and after that not',
  kind: 'message',
  requirements: ['GF1', 'GF2', 'GFR3'],
  capabilities: ['governance'],
  examples: [
    after([unfit(TRUST)]),
    after([unfit(VERSION)]),
    after([unreadable(VALID)]),
    after([unreadable(TRUST)], ...ASKED, registered('frail'), ...ASKED),
    after([unfit(VALID)], ...ASKED, revoked('frail'), granted('frail', 'execution:execute')),
  ],
  control: { title: 'a workspace that is closed and opened, and nothing else', case: after([NONE]) },
  twins: [
    {
      requirement: 'GF2',
      title: 'with the end of validity of a permission made no time',
      case: after([unfit(VALID)]),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'GF1',
      title: 'with a policy made no text',
      case: after([unreadable(VERSION)]),
      contrast: contrastLast('done', 'denied'),
    },
  ],
  examine: examineScene,
  inapplicable: ({ seen }) => (placesIn(seen) === 0 ? 'documents as text in its folder' : undefined),
  judge: judgeScene,
});

function placesIn(seen: Played['seen']): unknown {
  const reply = seen[FRAIL.length]?.replies[0];
  return reply !== undefined && 'result' in reply ? reply.result.places : undefined;
}
