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

/** Gives the key words of a text in order, without those inside code spans. */
export function keyWordsIn(text: string): KeyWord[] {
  const prose = text.replace(/(`+)[\s\S]*?\1/g, code => ' '.repeat(code.length));
  return [...prose.matchAll(PATTERN)].map(match => match[0].replace(/\s+/, ' ') as KeyWord);
}
