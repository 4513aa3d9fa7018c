import type { Mutant } from './mutant.js';

const SCHEDULE = 'schedule.js';

/** Faults in what scheduled jobs start. */
export const SCHEDULING_MUTANTS: readonly Mutant[] = [
  {
    id: 'denied-job-again',
    requirement: 'GF5',
    why: 'the denied start of a job is asked for again at each opening',
    edits: [{ file: SCHEDULE, find: ' || (denied !== undefined && due <= denied)', replace: '' }],
  },
  {
    id: 'missed-all',
    requirement: 'I7',
    why: 'all due times that passed while the runtime was down are made up for',
    edits: [
      {
        file: SCHEDULE,
        find: 'if (!isStarted(agent_id, requestKey(job_id, due)))\n                this.#ask(job, due);',
        replace:
          'for (let one = dueAfter(job, new Date(Date.parse(since) - 1).toISOString()); one !== undefined && one <= due; one = dueAfter(job, one)) if (!isStarted(agent_id, requestKey(job_id, one))) this.#ask(job, one);',
      },
    ],
  },
  {
    id: 'missed-none',
    requirement: 'I7',
    why: 'a due time that passed while the runtime was down is not made up for',
    edits: [{ file: SCHEDULE, find: 'if (!isStarted(agent_id, requestKey(job_id, due)))', replace: 'if (false)' }],
  },
  {
    id: 'due-again',
    requirement: 'P2',
    why: 'a due time that gave an instance gives another one at the next opening',
    edits: [
      { file: SCHEDULE, find: 'if (!isStarted(agent_id, requestKey(job_id, due)))', replace: '' },
      {
        file: 'instances.js',
        find: 'if (known !== undefined)\n            return known;\n        const starting',
        replace: 'const starting',
      },
    ],
  },
];
