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

/** How many lines are looked at to tell a log from another text. */
const FIRST_LINES = 5;

/** Whether one of the first lines is a record or the beginning of one, as of any log, however damaged, that is not empty. */
export function resemblesLog(text: string): boolean {
  let looked = 0;
  for (const { text: line = '', value } of readLines(text)) {
    if (line.trim() === '') continue;
    if (line.startsWith('{"') || (typeof value === 'object' && value !== null && !Array.isArray(value))) return true;
    looked += 1;
    if (looked === FIRST_LINES) return false;
  }
  return looked === 0;
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
