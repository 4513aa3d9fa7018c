import { describe, expect, it } from 'vitest';
import { wantsColor } from './color.js';

describe('colours', () => {
  it.each([
    ['on a terminal', undefined, true, {}, true],
    ['into a pipe', undefined, false, {}, false],
    ['on a terminal that can show none', undefined, true, { TERM: 'dumb' }, false],
    ['with NO_COLOR', undefined, true, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', undefined, true, { NO_COLOR: '' }, true],
    ['with FORCE_COLOR into a pipe', undefined, false, { FORCE_COLOR: '1' }, true],
    ['with FORCE_COLOR=0', undefined, true, { FORCE_COLOR: '0' }, false],
    ['with NO_COLOR and FORCE_COLOR', undefined, true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['with --color into a pipe and NO_COLOR', true, false, { NO_COLOR: '1' }, true],
    ['with --no-color on a terminal and FORCE_COLOR', false, true, { FORCE_COLOR: '1' }, false],
  ])('%s', (_, option, isTTY, env, expected) => {
    expect(wantsColor(option, { isTTY, env })).toBe(expected);
  });
});
