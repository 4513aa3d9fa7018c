import { anyProgram } from '../cases.js';
import { judgedValue } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastStatus } from '../seen.js';

/** A condition that decides nothing fails. */
export const conditionFails = programProperty({
  id: 'workflow/condition-fails',
  title: 'a condition whose value is neither boolean nor string, or has no label, fails and marks the instance failed',
  requirements: ['CN3'],
  cases: anyProgram,
  examples: [[], [true], {}, { yes: true }, 1.5, 'neither'].map(judgedValue),
  control: { title: 'a number as value of the condition', case: judgedValue(3) },
  twins: [
    {
      requirement: 'CN3',
      title: 'a boolean as value of the same condition',
      case: judgedValue(true),
      contrast: contrastStatus('failed', 'completed'),
    },
  ],
});
