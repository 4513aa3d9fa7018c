import { AGENT, checked, granted, registered, scene } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

const LAST = '2040-06-01T11:59:59.999Z';
const END = '2040-06-01T12:00:00.000Z';
const AFTER = '2040-06-01T12:00:00.001Z';

/** A permission that ends at a time, and a start that is asked about at another. */
function askedAt(time: string): Scene {
  return scene([
    registered(AGENT),
    granted(AGENT, 'execution:execute', { valid_until: END }),
    { do: 'clock', time },
    checked('keep'),
    { do: 'check', workflow: 'keep', agent_id: OWNER },
  ]);
}

/** A permission counts until the millisecond before its end. */
export const permissionExpiry = caseProperty<Scene, Played>({
  id: 'governance/permission-expiry',
  title: 'a permission counts to the last millisecond before its end, and no longer',
  kind: 'message',
  requirements: ['PR2'],
  capabilities: ['governance', 'clock'],
  examples: [askedAt(END), askedAt(AFTER)],
  control: { title: 'a check a millisecond before the end', case: last(askedAt(LAST)) },
  twins: [
    {
      requirement: 'PR2',
      title: 'a check at the end is denied',
      case: last(askedAt(END)),
      contrast: contrastLast('allowed', 'denied'),
    },
  ],
  examine: examineScene,
  judge: judgeScene,
});

/** The scene without what the operator asks in the end. */
function last(whole: Scene): Scene {
  return { ...whole, acts: whole.acts.slice(0, -1) };
}
