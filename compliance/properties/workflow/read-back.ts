import type { AuditRecord } from '../../../schemas/types.js';
import { handledPrograms } from '../../generators/handled.js';
import type { Observation } from '../../program.js';
import { programProperty } from '../program-property.js';
import { changed, repeated, withLog, without } from '../tamper.js';
import { readable } from './handled-programs.js';

/** From the log and the documents alone follows what an instance did. */
export const readBack = programProperty({
  id: 'workflow/read-back',
  title:
    'the log and the documents tell which nodes of an instance and its children ended how, on what values, in one way',
  requirements: ['AM2', 'AM3', 'AM4', 'AM5', 'EB5', 'EB6'],
  capabilities: ['audit'],
  optional: 'error nodes or skill nodes',
  cases: handledPrograms,
  weight: 0.6,
  control: { title: 'a skill, and an action that an error node executes again', case: readable() },
  twins: [
    {
      requirement: 'AM2',
      title: 'the log without the record of the terminal',
      tamper: seen => withLog(seen, records => without(records, one => one.node_id === 'done')),
    },
    {
      requirement: 'AM3',
      title: 'the log in which a child names another root',
      tamper: seen => withLog(seen, records => changed(records, startsChild, { context_id: 'elsewhere' })),
    },
    { requirement: 'AM4', title: 'a trace in which the skill failed', tamper: skillFailed },
    {
      requirement: 'AM5',
      title: 'the log in which the skill is resolved twice',
      tamper: seen => withLog(seen, records => repeated(records, ({ record_type }) => record_type === 'skill')),
    },
    {
      requirement: 'EB5',
      title: 'the log in which the child has another context',
      tamper: seen => withLog(seen, records => changed(records, startsChild, { context: { of: 'its own' } })),
    },
    {
      requirement: 'EB6',
      title: 'the log in which the repeated attempt had other inputs',
      tamper: seen => withLog(seen, records => changed(records, repeatedAttempt, { inputs: { x: 'other' } })),
    },
  ],
});

function startsChild({ status, parent_execution_id }: AuditRecord): boolean {
  return status === 'workflow_started' && parent_execution_id !== undefined;
}

function repeatedAttempt({ status, node_id, attempt }: AuditRecord): boolean {
  return status === 'pending' && node_id === 'b' && attempt === 2;
}

function skillFailed(seen: Observation): Observation {
  if (seen.wait === undefined) return seen;
  const trace = seen.wait.trace.map(entry => (entry.node_id === 'sk' ? { ...entry, outcome: 'failure' } : entry));
  return { ...seen, wait: { ...seen.wait, trace } };
}
