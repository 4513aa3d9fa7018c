import { anyProgram } from '../cases.js';
import { doubtful } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastStatus } from '../seen.js';

/** What cannot be known stops the instance. */
export const doubt = programProperty({
  id: 'workflow/doubt',
  title: 'an execution in doubt stops its instance without ending it',
  requirements: ['FB5'],
  cases: anyProgram,
  control: {
    title: 'a failure that may have had its effect, and whose compensation fails, leaves the instance in doubt',
    case: doubtful('unknown'),
  },
  twins: [
    {
      requirement: 'FB5',
      title: 'a failure that certainly had no effect ends it failed',
      case: doubtful('none'),
      contrast: contrastStatus('in_doubt', 'failed'),
    },
  ],
});
