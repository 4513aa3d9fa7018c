import { describe, expect, test } from 'vitest';
import { CATALOGUE, FAMILY_OF } from './catalogue.js';
import { readChapter } from './chapters.js';
import { collectRequirements } from './generate-requirements.js';
import { keyWordsIn } from './key-words.js';

const PATH = 'spec/v1.0/06-audit.md';
const GOOD = `# Audit

Prose that says nothing normative.

#### AII3

A runtime MUST make \`pending\` durable before \`committed\`.

> Note: The order is that
> of the log.

<!-- how: P K T -->

### More

Prose below a heading of its own.

#### CC4

A marker SHOULD be kept.

<!-- how: I; untestable: a marker is not visible from outside -->
`;

function problemsOf(text: string): readonly string[] {
  return readChapter(PATH, text).problems;
}

test('the catalogue has the 47 invariants and 17 rules, and no identifier twice', () => {
  const count = (kind: string): number =>
    CATALOGUE.filter(entry => entry.kind === kind).flatMap(entry => entry.ids).length;
  expect([count('invariant'), count('rule')]).toEqual([47, 17]);
  expect(FAMILY_OF.size).toBe(CATALOGUE.flatMap(entry => entry.ids).length);
});

test('a chapter gives its requirements in order, each with sentence, note, level and evidence', () => {
  expect(readChapter(PATH, GOOD)).toEqual({
    problems: [],
    requirements: [
      {
        id: 'AII3',
        kind: 'invariant',
        chapter: 6,
        level: 'MUST',
        sentence: 'A runtime MUST make `pending` durable before `committed`.',
        note: 'The order is that of the log.',
        link: `${PATH}#aii3`,
        how: ['P', 'K', 'T'],
      },
      {
        id: 'CC4',
        kind: 'contract',
        chapter: 6,
        level: 'SHOULD',
        sentence: 'A marker SHOULD be kept.',
        link: `${PATH}#cc4`,
        how: ['I'],
        untestable: 'a marker is not visible from outside',
      },
    ],
  });
});

describe('a broken requirement is named with its line', () => {
  test.each([
    ['an unknown identifier', GOOD.replace('#### CC4', '#### CC9'), 18, '"CC9" is not in scripts/catalogue.ts'],
    ['no sentence', GOOD.replace(/A runtime MUST.*\n/, ''), 5, 'not followed by a sentence'],
    ['two key words', GOOD.replace('MUST make', 'MUST and SHALL make'), 7, '2 key words (MUST, SHALL)'],
    ['no key word', GOOD.replace('MUST make', 'makes'), 7, '0 key words'],
    ['two lines', GOOD.replace('durable before', 'durable\nbefore'), 7, 'does not end with a full stop'],
    [
      'a key word in a note',
      GOOD.replace('The order is', 'The order MUST be'),
      9,
      'has no key word, but this one has MUST',
    ],
    ['a quotation that is no note', GOOD.replace('> Note: The', '> The'), 9, 'starts with "Note: "'],
    ['no metadata', GOOD.replace('<!-- how: P K T -->\n', ''), 0, 'comment that says how it is shown'],
    ['unknown evidence', GOOD.replace('P K T', 'P X'), 12, '"X" is none of P, K, T, M, I'],
    ['inspection without a reason', GOOD.replace(/; untestable: [^>]*-->/, ' -->'), 22, 'says why'],
    ['more text', GOOD.replace('### More\n', ''), 15, 'is not part of a requirement'],
  ])('%s', (_, text, line, what) => {
    const problems = problemsOf(text);
    expect(problems.join('\n')).toContain(what);
    if (line > 0) expect(problems.join('\n')).toContain(`${PATH}:${line}: `);
  });
});

test('a heading inside a fenced block is an example', () => {
  expect(problemsOf(`# A\n\n\`\`\`md\n#### CC4\n\`\`\`\n`)).toEqual([]);
});

test('an identifier that is stated twice or nowhere is a problem', () => {
  const { problems } = collectRequirements([
    { path: PATH, text: GOOD },
    { path: 'spec/v1.0/07-workflow.md', text: GOOD },
  ]);
  expect(problems.filter(problem => problem.includes('second time'))).toHaveLength(2);
  const missing = problems.filter(problem => problem.includes('stated nowhere')).join('\n');
  expect(missing).toContain('AII1, AII2, AII4');
  expect(missing).not.toContain('AII3');
});

test('key words count in upper case only, longest first, and not in code', () => {
  expect(keyWordsIn('It MUST NOT, it must, it MUST  and `MAY` and MAYBE and NOT RECOMMENDED.')).toEqual([
    'MUST NOT',
    'MUST',
    'NOT RECOMMENDED',
  ]);
});
