import { expect, test } from 'vitest';
import { GENESIS, verifyChain } from '../../implementations/typescript/audit/chain.js';
import { checkLines } from '../../implementations/typescript/governance/log-check.js';
import { history } from './log/history.js';

test('the history of the bench is a log as a runtime writes it', () => {
  const lines = [...history(60, 2, GENESIS)].map(({ text }) => text);
  expect(lines.length).toBeGreaterThanOrEqual(60);
  expect(verifyChain(lines).ok).toBe(true);
  expect(checkLines(lines)).toEqual([]);
});
