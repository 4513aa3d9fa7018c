import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METHODS } from '../wire/methods.js';

test('the table of methods in PROTOCOL.md is that of the wire', () => {
  const text = readFileSync(new URL('PROTOCOL.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## Methods'), text.indexOf('## A life'));
  const rows = [...section.matchAll(/^\| `(\w+)` \|(.*)\|(.*)\|$/gm)];
  const told = rows.flatMap(([, capability, suite = '', adapter = '']) =>
    [suite, adapter].flatMap((cell, side) =>
      [...cell.matchAll(/`([a-z_/]+)`/g)].map(([, name]) => [name, capability, side === 0 ? 'suite' : 'adapter']),
    ),
  );
  const served = Object.entries(METHODS).map(([name, { capability, sender }]) => [name, capability, sender]);
  expect(told.sort()).toEqual(served.sort());
});
