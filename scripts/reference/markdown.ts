import { posix } from 'node:path';

/** Gives the first lines of a generated page. */
export function pageStart(title: string, sources: string): string {
  return `<!-- Generated from ${sources} by \`npm run generate\`. Do not edit. -->\n\n# ${title}\n`;
}

/** Gives a table; bars in the cells are escaped. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeBars).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function escapeBars(cell: string): string {
  return cell
    .replaceAll(/(?<!\\)\|/g, '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

/** Gives a text of a chapter as it stands in the folder reference/: its links lead to the same places. */
export function fromChapter(text: string, chapter: string): string {
  return text
    .replace(/\]\((#[^)]*)\)/g, `](../${chapter}$1)`)
    .replace(/\]\((?!https?:|\.\.\/)([^)#][^)]*)\)/g, `](../${posix.dirname(chapter)}/$1)`);
}

/** Gives words in code spans, separated by spaces; a dash where there are none. */
export function codes(words: readonly string[]): string {
  return words.length === 0 ? '–' : words.map(word => `\`${word}\``).join(' ');
}

/** Gives the anchor that a heading has on a page, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** Gives the lines of the section under a heading, up to the next of the same or a higher level; undefined without it. */
export function sectionUnder(text: string, heading: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex(line => /^#{1,6} /.test(line) && line.replace(/^#+ /, '').trim() === heading);
  if (start === -1) return undefined;
  const depth = (lines[start] ?? '').indexOf(' ');
  const next = lines.findIndex((line, index) => index > start && new RegExp(`^#{1,${depth}} `).test(line));
  return lines.slice(start + 1, next === -1 ? undefined : next).join('\n');
}

/** Gives the tables of a Markdown text, each as its rows of cells, the headings first. */
export function tablesOf(markdown: string): string[][][] {
  const tables: string[][][] = [];
  let rows: string[][] | undefined;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      rows = undefined;
      continue;
    }
    if (rows === undefined) {
      rows = [];
      tables.push(rows);
    }
    const cells = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/);
    if (!cells.every(cell => /^\s*:?-+:?\s*$/.test(cell))) rows.push(cells.map(cell => cell.trim()));
  }
  return tables;
}
