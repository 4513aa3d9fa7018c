import { describe, expect, it } from 'vitest';
import { LiveLine } from './live-line.js';

describe('a live line', () => {
  it('is shown at once only where that is asked for, and taken away', () => {
    const written: string[] = [];
    const line = new LiveLine(text => written.push(text));
    line.show('reading file 1 of 9');
    line.clear();
    expect(written).toEqual([]);
    line.show('verifying', true);
    line.clear();
    line.clear();
    expect(written).toEqual(['\r\u001b[Kverifying …', '\r\u001b[K']);
  });

  it('is nothing where nobody looks', () => {
    const line = new LiveLine(undefined);
    expect(() => line.show('verifying', true)).not.toThrow();
  });
});
