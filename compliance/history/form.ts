import canonicalize from 'canonicalize';
import { isValid } from '../../schemas/index.js';
import type { Check } from './check.js';

/** Every line is the canonical form of one record or stub, ended by one line feed (AW2). */
export const form: Check = {
  requirements: ['AW2', 'PC5'],
  begin: report => ({
    line: ({ number, text, value, record }) => {
      if (text !== undefined && text !== `${canonical(value)}\n`) {
        const expected = `line ${number} in canonical form, ended by a line feed`;
        report({ requirement: 'AW2', expected, observed: JSON.stringify(text.slice(0, 200)) });
      }
      if (record === undefined && !isValid('audit-record#stub', value)) {
        const requirement = lacksExecution(value) ? 'PC5' : 'AW2';
        const observed = JSON.stringify(value)?.slice(0, 200) ?? 'no JSON';
        report({ requirement, expected: `line ${number} to fit the schema of an audit record`, observed });
      }
    },
  }),
};

function lacksExecution(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>).execution_id !== 'string'
  );
}

function canonical(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch {
    return undefined;
  }
}
