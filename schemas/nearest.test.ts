import { expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.js';

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['teh', 'the', 1],
  ['action_ref', 'action_def', 1],
])('the distance of %j and %j is %i', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test.each([
  ['acton', 'action'],
  ['ACTION', 'action'],
  ['actionDef', 'action_def'],
  ['action-def', 'action_def'],
  ['from', 'from_node'],
  ['colour', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('%j was meant to be %j', (name, meant) => {
  expect(nearest(name, ['action', 'action_def', 'from_node', 'label'])).toBe(meant);
});

test('what says the opposite is never meant', () => {
  expect(nearest('reversible', ['rollbackable', 'compensatable', 'irreversible'])).toBeUndefined();
  expect(nearest('nondeterministic', ['deterministic', 'non_deterministic'])).toBe('non_deterministic');
  expect(nearest('unlabel', ['label'])).toBeUndefined();
});

test('names with dots are compared part by part', () => {
  expect(nearest('htp.get', ['http.get', 'http.send'])).toBe('http.get');
  expect(nearest('example.reprot', ['example.here', 'example.report'])).toBe('example.report');
  expect(nearest('example.reprot', ['example.here'])).toBeUndefined();
  expect(nearest('fileread', ['file.read'])).toBe('file.read');
});

test('takes of several names that are equally close the first by name, whatever their order', () => {
  const names = ['step-3', 'step-1', 'step-2'];
  expect(nearest('step-7', names)).toBe('step-1');
  expect(nearest('step-7', [...names].reverse())).toBe('step-1');
});
