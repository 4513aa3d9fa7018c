import { expect, test } from 'vitest';
import { unclearWordsIn } from '../key-words.js';
import { normativeWords } from './normative-words.js';

const heading = (value: string) => ({ type: 'heading', depth: 4, children: [{ type: 'text', value }] });
const paragraph = (value: string) => ({ type: 'paragraph', children: [{ type: 'text', value }] });
const code = (value: string) => ({ type: 'paragraph', children: [{ type: 'inlineCode', value }] });

/** What the plugin warns of in a document of these blocks. */
function warnings(path: string, ...children: object[]): string[] {
  const reasons: string[] = [];
  normativeWords()({ type: 'root', children } as never, { path, message: reason => reasons.push(reason) });
  return reasons;
}

const CHAPTER = 'spec/v1.0/06-audit.md';

test('a key word belongs into the sentence of a requirement', () => {
  expect(warnings(CHAPTER, heading('AII1'), paragraph('The log MUST hold one.'))).toEqual([]);
  expect(warnings(CHAPTER, heading('AII1'), paragraph('It MUST hold.'), paragraph('It MUST too.'))).toHaveLength(1);
  expect(warnings('README.md', paragraph('You MUST read this.')).join()).toContain('"MUST" stands outside');
});

test('a word that sounds like one is named in the specification, also in the sentence, and nowhere else', () => {
  expect(warnings(CHAPTER, paragraph('A folder should be there.')).join()).toContain('"should" leaves open');
  expect(warnings(CHAPTER, heading('AII1'), paragraph('It MUST hold what must be kept.'))).toHaveLength(1);
  expect(warnings('CONTRIBUTING.md', paragraph('You should run the tests.'))).toEqual([]);
  expect(unclearWordsIn('Must it? It MUST, and `must` is code, and may is a possibility.')).toEqual(['Must']);
});

test('code, the paragraph about key words and what is generated may hold them', () => {
  expect(warnings(CHAPTER, code('MUST'), paragraph('MUST is read as in RFC 2119.'))).toEqual([]);
  expect(warnings('reference/requirements.md', paragraph('It MUST hold.'))).toEqual([]);
});
