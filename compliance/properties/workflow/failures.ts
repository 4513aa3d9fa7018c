import type { Program } from '../../program.js';
import { anyProgram } from '../cases.js';
import { diamond, FAILS, failing, scripted } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastStatus } from '../seen.js';
import { failsWith } from './handled-programs.js';

const FAULT = failsWith('E5');

/** A failure is handled where an edge says so, and else ends the instance failed. */
export const failures = programProperty({
  id: 'workflow/failures',
  title:
    'a handled failure goes on, one that is not handled or of class E5 makes its edges dead and the instance failed',
  requirements: ['FB1', 'FB2', 'FB3'],
  cases: anyProgram,
  examples: [
    diamond('AND', { quick: [FAILS] }),
    diamond('OR', { quick: [FAILS] }),
    failing('always', 'E4'),
    failing('success', 'E5'),
    diamond('AND', { quick: [FAULT] }),
    diamond('OR', { slow: [FAULT] }),
    failingBoth('quick'),
    failingBoth('slow'),
  ],
  control: {
    title: 'a failure of class E5 before an always edge ends the instance failed',
    case: failing('always', 'E5'),
  },
  twins: [
    {
      requirement: 'FB3',
      title: 'of class E4 it is handled by that edge, and the instance completes',
      case: failing('always', 'E4'),
      contrast: contrastStatus('failed', 'completed'),
    },
    {
      requirement: 'FB1',
      title: 'a failure of class E4 before an always edge completes',
      case: failing('always', 'E4'),
      contrast: contrastStatus('failed', 'completed'),
    },
    {
      requirement: 'FB2',
      title: 'without the failure the instance completes',
      case: scripted(failing('always', 'E5'), { a: [{ reply: { outputs: {} } }] }),
      contrast: contrastStatus('failed', 'completed'),
    },
  ],
});

/** A split of which both branches fail, the one later than the other: `quick` by E2 and `slow`, the larger node_id, by E3. */
function failingBoth(later: 'quick' | 'slow'): Program {
  const delay_ms = (id: string) => (id === later ? 40 : 0);
  return diamond('OR', {
    quick: [{ ...failsWith('E2'), delay_ms: delay_ms('quick') }],
    slow: [{ ...failsWith('E3'), delay_ms: delay_ms('slow') }],
  });
}
