import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBytes, readSource, SOURCE_BYTES } from './sources.js';

describe('a source', () => {
  it('is read from standard input', async () => {
    const [document] = await readSource('-', Readable.from(['{"a"', ':1}']));
    expect(document?.value).toEqual({ a: 1 });
    expect(document?.file).toBe('<stdin>');
  });

  it('is refused where it does not end', async () => {
    const chunk = Buffer.alloc(2 ** 22, 32);
    let given = 0;
    const endless = new Readable({
      read() {
        given += chunk.length;
        this.push(chunk);
      },
    });
    await expect(readBytes('-', endless)).rejects.toMatchObject({ code: 'usage' });
    expect(given).toBeLessThan(2 * SOURCE_BYTES);
  });

  it('names a file that is not there without its control characters', async () => {
    await expect(readBytes('no\u001b[31mfile')).rejects.toMatchObject({
      code: 'usage',
      message: expect.not.stringContaining('\u001b'),
    });
  });
});
