import { type Change, ERRATA_FILE } from './frozen.js';

/** One correction of a published text. */
export interface Erratum {
  readonly id: string;
  readonly date: string;
  readonly changes: readonly (Change & { readonly place: string })[];
  readonly what: string;
  readonly why: string;
}

/** What `errata.md` says, and what is wrong with it, each as `file:line: what`. */
export interface ErrataReading {
  /** The date of publication; absent where the text says that there was none yet. */
  readonly published?: string;
  readonly errata: readonly Erratum[];
  readonly problems: readonly string[];
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const DIGEST = /^(?:`sha256:[0-9a-f]{64}`|none)$/;
const NOT_YET = 'not yet';

/** What stands in a draft where a human has to write. */
const BLANK = '(write it here)';

/** Gives the corrections of the text of `errata.md`, in order. */
export function readErrata(text: string): ErrataReading {
  const problems: string[] = [];
  const lines = withoutExamples(text.split('\n'));
  const published = labelled(lines, 'Published');
  if (published === undefined || (published !== NOT_YET && !DATE.test(published)))
    problems.push(`${ERRATA_FILE}: the line "**Published.** YYYY-MM-DD", or "${NOT_YET}", is missing`);
  const starts = lines.flatMap((line, index) => (/^## E/.test(line) ? [index] : []));
  const errata = starts.map((start, number) =>
    readErratum(lines, start, starts[number + 1] ?? lines.length, number + 1, problems),
  );
  if (published === NOT_YET && errata.length > 0)
    problems.push(`${ERRATA_FILE}: there are errata, but nothing is published that they could correct`);
  const dated = published !== undefined && DATE.test(published);
  return { ...(dated && { published }), errata, problems };
}

function readErratum(
  lines: readonly string[],
  start: number,
  end: number,
  number: number,
  problems: string[],
): Erratum {
  const place = `${ERRATA_FILE}:${start + 1}`;
  const id = `E${number}`;
  const section = lines.slice(start, end);
  if (section[0]?.trim() !== `## ${id}`)
    problems.push(`${place}: the heading is "${section[0]}" and should be "## ${id}": errata are numbered from E1 on`);
  const [date = '', what = '', why = ''] = ['Date', 'What', 'Why'].map(label => labelled(section, label));
  if (!DATE.test(date)) problems.push(`${place}: ${id} needs a line "**Date.** YYYY-MM-DD"`);
  for (const [label, value] of Object.entries({ What: what, Why: why })) {
    if (value === '' || value.includes(BLANK))
      problems.push(`${place}: ${id} needs a line "**${label}.** …" with a sentence`);
  }
  const changes = section.flatMap((line, index) => readChange(line, `${ERRATA_FILE}:${start + index + 1}`, problems));
  if (changes.length === 0) problems.push(`${place}: ${id} names no file; it needs a row | file | before | after |`);
  return { id, date, changes, what, why };
}

function readChange(line: string, place: string, problems: string[]): Erratum['changes'] {
  const cells = line.startsWith('|') ? line.split('|').map(cell => cell.trim()) : [];
  const [, file = '', before = '', after = ''] = cells;
  if (file === '' || file === 'file' || /^-+$/.test(file)) return [];
  if (cells.length !== 5 || !DIGEST.test(before) || !DIGEST.test(after)) {
    problems.push(`${place}: a row has a file and two digests, each \`sha256:…\` or none`);
    return [];
  }
  const plain = (cell: string): string | undefined => (cell === 'none' ? undefined : cell.slice(1, -1));
  const [from, to] = [plain(before), plain(after)];
  return [{ file, place, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) }];
}

/** The lines with those of fenced blocks blank, so that numbers of lines stay. */
function withoutExamples(lines: readonly string[]): string[] {
  let fenced = false;
  return lines.map(line => {
    const mark = /^ {0,3}```/.test(line);
    if (mark) fenced = !fenced;
    return mark || fenced ? '' : line;
  });
}

/** The text behind `**Label.**` on its line. */
function labelled(lines: readonly string[], label: string): string | undefined {
  const start = `**${label}.**`;
  return lines
    .find(line => line.startsWith(start))
    ?.slice(start.length)
    .trim();
}

/** Gives an entry of `errata.md` for some changes, in which what and why are still to be written. */
export function draftErratum(number: number, date: string, changes: readonly Change[]): string {
  const cell = (digest: string | undefined): string => (digest === undefined ? 'none' : `\`${digest}\``);
  const rows = changes.map(({ file, before, after }) => `| ${file} | ${cell(before)} | ${cell(after)} |`);
  const table = ['| file | before | after |', '|---|---|---|', ...rows].join('\n');
  return `## E${number}\n\n**Date.** ${date}\n\n${table}\n\n**What.** ${BLANK}\n\n**Why.** ${BLANK}\n`;
}

/** Gives the text of `errata.md` with the date of publication in it. */
export function markPublished(text: string, date: string): string {
  return text.replace(`**Published.** ${NOT_YET}`, `**Published.** ${date}`);
}
