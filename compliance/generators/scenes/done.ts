import * as fc from 'fast-check';
import type { Act, Scene } from '../../scene.js';
import { AGENT, type Errand, granted, registered, started, WORKER } from '../scenes.js';
import { type Made, steps } from './step.js';

const SECOND = 'second';

/** What two agents have done, with skills, undos and a crash. */
const doneStep: fc.Arbitrary<Made> = fc
  .record({
    workflow: fc.constantFrom<Errand>('keep', 'round', 'back', 'fail', 'wait'),
    agent_id: fc.constantFrom(AGENT, SECOND),
    more: fc.boolean(),
  })
  .map(({ workflow, agent_id, more }) => at => {
    const label = `i${at}`;
    const begin = started(workflow, { agent_id, label });
    if (!more) return [begin];
    if (workflow === 'keep') return [begin, { do: 'undo', agent_id, label, node_id: 'keep-1' }];
    if (workflow === 'fail') return [begin, { do: 'resume', agent_id, label, as: `${label}-again` }];
    if (workflow === 'wait') return [begin, { do: 'cancel', agent_id, label }, { do: 'finish', label }];
    return [begin];
  });

/** Two agents that may do everything with what is their own. */
export const PAIR: readonly Act[] = [
  ...WORKER,
  granted(AGENT, 'execution:undo'),
  registered(SECOND),
  granted(SECOND, 'execution:execute:undo'),
];

/** Scenes in which two agents have things done, undone and resumed. */
export const doneScenes: fc.Arbitrary<Scene> = steps([{ arbitrary: doneStep, weight: 1 }], PAIR);
