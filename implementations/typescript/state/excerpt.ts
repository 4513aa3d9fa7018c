/** The beginning and the end of a text that is longer than so many characters, and else the text; no character is cut in two. */
export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - 3) / 2);
  return `${text.slice(0, half).replace(/[\ud800-\udbff]$/, '')} … ${text.slice(-half).replace(/^[\udc00-\udfff]/, '')}`;
}
