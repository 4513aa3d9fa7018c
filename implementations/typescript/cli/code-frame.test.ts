import pc from 'picocolors';
import { expect, it } from 'vitest';
import { SourceText } from '../workspace/source-text.js';
import { codeFrame } from './code-frame.js';

const source = new SourceText('a.yaml', `${'left '.repeat(20)}HERE${' right'.repeat(20)}\n`);
const location = { file: 'a.yaml', line: 1, column: 101, end_line: 1, end_column: 105 };

it.each([40, 60, 100, 200, undefined])(
  'a frame fits into a window of %s columns, with the place underlined',
  columns => {
    const [line = '', under = ''] = codeFrame(source, { location }, 3, '^', pc.createColors(false), columns);
    expect(line.length).toBeLessThanOrEqual(columns ?? 128);
    expect(line.slice(under.indexOf('^'), under.lastIndexOf('^') + 1)).toBe('HERE');
  },
);
