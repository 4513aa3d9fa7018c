import { isValid } from '../../schemas/index.js';
import type { LogLine } from './check.js';

/** The lines of a log in the interchange form, or of records already read; what stands after the last LF is a line too. */
export function* readLines(log: string | readonly unknown[]): Generator<LogLine> {
  if (typeof log !== 'string') {
    let number = 0;
    for (const value of log) {
      number += 1;
      yield lineOf(number, value);
    }
    return;
  }
  let number = 0;
  for (let from = 0; from < log.length; ) {
    const feed = log.indexOf('\n', from);
    const to = feed === -1 ? log.length : feed + 1;
    number += 1;
    const text = log.slice(from, to);
    yield lineOf(number, parse(text), text);
    from = to;
  }
}

function lineOf(number: number, value: unknown, text?: string): LogLine {
  return {
    number,
    value,
    ...(text === undefined ? {} : { text }),
    ...(isValid('audit-record', value) ? { record: value } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
