/** The key words of RFC 2119 and RFC 8174, longest first where one begins with another. */
export const KEY_WORDS = [
  'MUST NOT',
  'MUST',
  'SHALL NOT',
  'SHALL',
  'SHOULD NOT',
  'SHOULD',
  'NOT RECOMMENDED',
  'RECOMMENDED',
  'REQUIRED',
  'MAY',
  'OPTIONAL',
] as const;

/** One of the key words. */
export type KeyWord = (typeof KEY_WORDS)[number];

const PATTERN = new RegExp(`\\b(?:${KEY_WORDS.map(word => word.replace(' ', '\\s+')).join('|')})\\b`, 'g');

/** Words that sound like a key word and are none: who reads them cannot tell whether they bind. */
const UNCLEAR = /\b(?:must|shall|should|ought|recommended)\b/gi;

/** Gives the words of a text in other than upper case that sound like a key word, in order, without those in code spans. */
export function unclearWordsIn(text: string): string[] {
  return [...withoutCode(text).matchAll(UNCLEAR)].map(match => match[0]).filter(word => word !== word.toUpperCase());
}

/** Gives the key words of a text in order, without those inside code spans. */
export function keyWordsIn(text: string): KeyWord[] {
  return [...withoutCode(text).matchAll(PATTERN)].map(match => match[0].replace(/\s+/, ' ') as KeyWord);
}

function withoutCode(text: string): string {
  return text.replace(/(`+)[\s\S]*?\1/g, code => ' '.repeat(code.length));
}
