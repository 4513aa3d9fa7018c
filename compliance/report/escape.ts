const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML does not have
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\ud800-\udfff]/gu;

/** Gives a text for XML or HTML, in an element or in a quoted attribute; what XML cannot hold becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(UNFIT, '\ufffd').replace(/[&<>"']/g, sign => NAMED[sign] as string);
}

/** Gives a sentence of the specification for HTML: what stands between back-ticks is code. */
export function sentenceHtml(text: string): string {
  return escapeXml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Gives a text for HTML in which each UUID is cut to its beginning, which tells it from the others of one run. */
export function shortIds(text: string): string {
  const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})\b/g;
  return escapeXml(text).replace(UUID, (whole, head: string, tail: string) => {
    return `<abbr title="${whole}">${head.slice(0, 4)}…${tail.slice(-4)}</abbr>`;
  });
}
