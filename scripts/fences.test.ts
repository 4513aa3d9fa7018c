import { expect, test } from 'vitest';
import { fencesOf, isRegionOf } from './fences.js';

test('a block gives its place, language, subject, attributes and text', () => {
  const text =
    'Text\n\n```yaml workflow invalid="S1"\na: 1\n\n  b: 2\n```\n\n~~~~json audit-record\n```\n~~~~\n\n```\nplain\n```\n';
  expect(fencesOf('x.md', text)).toEqual([
    { place: 'x.md:3', language: 'yaml', subject: 'workflow', attributes: { invalid: 'S1' }, text: 'a: 1\n\n  b: 2' },
    { place: 'x.md:9', language: 'json', subject: 'audit-record', attributes: {}, text: '```' },
    { place: 'x.md:13', language: '', attributes: {}, text: 'plain' },
  ]);
});

test('a comment above names the source, blank lines aside', () => {
  const fences = fencesOf('x.md', '<!-- source: examples/a/main.ts -->\n\n```ts\na();\n```\n\n```ts\nb();\n```\n');
  expect(fences.map(fence => fence.source)).toEqual(['examples/a/main.ts', undefined]);
});

test('an unclosed block ends with the text', () => {
  expect(fencesOf('x.md', '```ts\na();')).toMatchObject([{ text: 'a();' }]);
});

test('a region is a run of whole lines, at any indentation', () => {
  const source = 'function f() {\n  if (x) {\n    y();\n\n  }\n}\n';
  expect(isRegionOf('if (x) {\n  y();\n\n}\n', source)).toBe(true);
  expect(isRegionOf('if (x) {\n  z();\n}', source)).toBe(false);
  expect(isRegionOf('if (x) {\n}', source)).toBe(false);
  expect(isRegionOf('y()', source)).toBe(false);
});
