import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { changed, without, withRawLog } from '../tamper.js';

/** The log is one gapless chain in canonical form. */
export const chained = programProperty({
  id: 'audit/chained',
  title: 'records are canonical, numbered without gaps, never earlier than the one before, and linked by hashes',
  requirements: ['AW2', 'AW3', 'AW5', 'AW6', 'PC5'],
  capabilities: ['audit'],
  cases: anyProgram,
  weight: 0.5,
  control: { title: 'the log of a chain of three', case: chain(3) },
  twins: [
    {
      requirement: 'AW2',
      title: 'the log with blanks in its lines',
      tamper: seen => ({ ...seen, exports: (seen.exports ?? []).map(text => text.replaceAll('":', '": ')) }),
    },
    {
      requirement: 'AW3',
      title: 'the log with a first record from the far future',
      tamper: seen =>
        withRawLog(seen, records => changed(records, () => true, { timestamp: '2999-01-01T00:00:00.000Z' })),
    },
    {
      requirement: 'AW5',
      title: 'the log without its second record',
      tamper: seen => withRawLog(seen, records => without(records, ({ sequence }) => sequence === 2)),
    },
    {
      requirement: 'AW6',
      title: 'the log with another agent in its first record, and its old hash',
      tamper: seen => withRawLog(seen, records => changed(records, () => true, { agent_id: 'somebody' })),
    },
    {
      requirement: 'PC5',
      title: 'the log with a record that names no execution',
      tamper: seen =>
        withRawLog(seen, ([first, ...others]) => {
          const { execution_id: _gone, ...rest } = first as NonNullable<typeof first>;
          return [rest as typeof first & object, ...others];
        }),
    },
  ],
});
