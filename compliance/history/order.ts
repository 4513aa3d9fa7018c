import type { Check } from './check.js';

/** Sequences run from 1 without gaps (AW5); neither timestamps nor incarnations ever fall (AW3). */
export const order: Check = {
  requirements: ['AW5', 'AW3'],
  begin: report => {
    let latest = '';
    let incarnation = 1;
    return {
      line: ({ number, value }) => {
        const sequence = (value as { sequence?: unknown } | null | undefined)?.sequence;
        if (sequence !== number) {
          const observed = sequence === undefined ? 'no sequence' : `sequence ${JSON.stringify(sequence)}`;
          report({ requirement: 'AW5', expected: `sequence ${number}`, observed });
        }
      },
      record: ({ timestamp, sequence, incarnation: written }) => {
        if (written < incarnation) {
          report({
            requirement: 'AW3',
            expected: `incarnation ${incarnation} or later`,
            observed: `${written}`,
            sequence,
          });
        }
        incarnation = Math.max(incarnation, written);
        if (timestamp < latest) {
          report({ requirement: 'AW3', expected: `a timestamp from ${latest} on`, observed: timestamp, sequence });
        }
        if (timestamp > latest) latest = timestamp;
      },
    };
  },
};
