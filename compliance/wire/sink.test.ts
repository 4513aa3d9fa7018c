import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { StreamSink } from './sink.js';

describe('StreamSink', () => {
  it('lets lines of one time leave together, and is flushed once they have', async () => {
    const left: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        left.push(String(chunk));
        done();
      },
      writev(chunks, done) {
        left.push(chunks.map(({ chunk }) => String(chunk)).join(''));
        done();
      },
    });
    const sink = new StreamSink(stream);
    await Promise.all([1, 2, 3].map(async n => sink.write(`line ${n}`)));
    await sink.flushed();
    expect(left).toEqual(['line 1\nline 2\nline 3\n']);
    sink.write('later');
    await sink.flushed();
    expect(left[1]).toBe('later\n');
  });
});
