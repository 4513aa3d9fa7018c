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

test('the adapter in Python knows every method that belongs to a capability beside core', () => {
  const text = readFileSync(new URL('python/ars_adapter.py', import.meta.url), 'utf8');
  const table = text.slice(text.indexOf('CAPABILITIES = {'), text.indexOf('class AdapterError'));
  const told = [...table.matchAll(/"(\w+)": \(([^)]*)\)/g)].flatMap(([, capability, methods = '']) =>
    [...methods.matchAll(/"([^"]+)"/g)].map(([, name]) => [name, capability]),
  );
  const served = Object.entries(METHODS)
    .filter(([, { capability, sender }]) => sender === 'suite' && capability !== 'core')
    .map(([name, { capability }]) => [name, capability]);
  expect(told.sort()).toEqual(served.sort());
});

test('EXCHANGES.md shows an exchange of every method, none of them refused', () => {
  const text = readFileSync(new URL('EXCHANGES.md', import.meta.url), 'utf8');
  expect([...text.matchAll(/^## `(.+)`$/gm)].map(([, method]) => method)).toEqual(Object.keys(METHODS));
  expect(text).not.toContain('"error": { "code"');
});
