import type { Subject } from '../runner/property.js';
import type { Act, Played, Reply, Scene } from '../scene.js';
import { courseOf, SCENE_TIME } from './scene-course.js';

/** A runtime without a log that answers every act of a scene as the model says, for tests of what scenes exercise. */
export const SCENE_PLAYER = { play: (scene: Scene) => Promise.resolve(playAsModelled(scene)) } as unknown as Subject;

function playAsModelled(scene: Scene): Played {
  const labels = new Map<string, string>();
  const seen = courseOf(scene, SCENE_TIME).map(({ words }, at) => {
    const act = scene.acts[at] as Act;
    if (act.do === 'clock' || act.do === 'reopen') return { replies: [] };
    const asked = act.do === 'check' ? [...words, ...words] : words;
    const replies = asked.map((word, time) => replyOf(act, word, labels, `${at} ${time}`));
    return { replies, ...(act.do === 'records' ? { whole: '' } : {}) };
  });
  return { seen, ledger: [], kills: 0, violations: [] };
}

function replyOf(act: Act, word: string, labels: Map<string, string>, execution_id: string): Reply {
  const [first, second = '', ...others] = word.split(' ');
  if (act.do === 'check' && word !== 'denied verification') {
    const reasons = word.split(' ').slice(1, -1);
    return {
      result: {
        gate: 'governance',
        decision: first,
        reasons: reasons.map(code => ({ code })),
        trust_after: word.split(' ').at(-1),
      },
    };
  }
  if (first === 'refused') return { error: { kind: 'invalid', reasons: [] } };
  if (word === 'denied' || word === 'denied SECURITY_BREACH')
    return { error: { kind: 'denied', reasons: [second || 'MISSING_PERMISSION'] } };
  if (first === 'denied') return { error: { kind: 'denied', gate: second, reasons: others } };
  if (first === 'same') return { result: { execution_id: labels.get(second) } };
  if (word === 'started') {
    const label = act.do === 'start' ? act.label : act.do === 'resume' ? act.as : undefined;
    if (label !== undefined) labels.set(label, execution_id);
    return { result: { execution_id } };
  }
  switch (act.do) {
    case 'finish':
      return { result: { status: word } };
    case 'records':
      return { result: { records: [] } };
    case 'damage':
      return { result: { places: 1 } };
    case 'state': {
      const key = second === 'everything' ? 'any' : second.replace('*', '');
      return { result: { state: first === 'given' ? { [key]: {} } : {} } };
    }
    default:
      return { result: {} };
  }
}
