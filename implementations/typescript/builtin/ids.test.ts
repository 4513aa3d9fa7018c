import { expect, it } from 'vitest';
import { fileActions } from './files.js';
import { httpActions } from './http.js';
import { BUILTIN_IDS } from './ids.js';
import { processActions } from './process.js';

it('are those of all families', () => {
  const families = [fileActions({ root: '.' }), httpActions(), processActions()];
  const ids = families.flatMap(({ definitions }) => definitions.map(({ action_id }) => action_id));
  expect([...BUILTIN_IDS].sort()).toEqual(ids.sort());
});
