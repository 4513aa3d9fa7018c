import { remark } from 'remark';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { tableCells } from './table-cells.js';

/** What the plugin warns of in a document, with the line. */
async function warnings(text: string): Promise<string[]> {
  const file = await remark().use(remarkGfm).use(tableCells).process(text);
  return file.messages.map(({ line, reason }) => `${line}: ${reason}`);
}

const table = (...rows: string[]) => ['| a | b |', '|---|---|', ...rows].join('\n');

test('a row has as many cells as the head of its table, wherever the table stands', async () => {
  expect(await warnings(table('| `x` | y |', '| `\\|\\|` | y |'))).toEqual([]);
  expect(await warnings(table('| x | y |', '| `||` | y |'))).toEqual([expect.stringMatching(/^4: .* 4 cells .* 2;/)]);
  expect(await warnings(table('| x |'))).toEqual([expect.stringMatching(/^3: .* 1 cells .* 2;/)]);
  expect(await warnings(`- one\n\n${table('| a | b | c |').replace(/^/gm, '  ')}`)).toHaveLength(1);
});
